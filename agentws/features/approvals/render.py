"""Renders approvals, statements, keys and rules for tool calls: lines for people, and JSON fields for scripts."""

from __future__ import annotations

from agentws.core.disk import clock
from agentws.core.formats.json import values
from agentws.core.terminal import output
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from agentws.features.approvals.approval import Approval, ApprovalList
    from agentws.features.approvals.rules import Rule, RuleList, Verdict
    from agentws.features.approvals.signing import ApproverList, Statement

_MOST_QUESTION = 72
_ABOUT = ("tool", "words", "command", "path", "host")
_WOULD = {
    "deny": "It would be denied.",
    "ask": "A person would be asked.",
    "confirm": "The host would ask, or a person would be.",
    "": "It would run.",
}
_VERDICT, _DIGEST = 3, 4
"""The lines of a statement with the verdict and the digest, from 0."""
APPROVAL = """
    id question status risk action action_digest edited=is_edited task? asked? expires? decided? decided_by? proof?
    message? usable=is_usable reason? session? src? path gone=is_gone
"""
_KEY = "principal=key.principal kind=key.kind? fingerprint=key.fingerprint? where counts=!why why?"
KEYS = f"keys[{_KEY}] file problems notices"
_RULE = "tool? words? command? path? host? do risk why? where"
RULES = f"rules[{_RULE}] files problems verdict[do=would unclear=is_unclear words rule[{_RULE}]] notices"
_PLAIN = ("used", "rejected", "expired")
"""The states of an approval that need no reason."""


def asked_lines(approval: Approval) -> Iterator[str]:
    """Yield the path of a new request, and the command that a person runs to answer it."""
    yield output.place(approval.path)
    yield f"To answer, a person runs: agentws ask show {approval.id}"


def done_lines(approval: Approval) -> Iterator[str]:
    """Yield the status of an approval after a verb, in one line."""
    proof = f" ({approval.proof})" if approval.proof and approval.status == "approved" else ""
    yield f"{approval.id}: {approval.status}{proof}"


def list_lines(approval_list: ApprovalList) -> Iterator[str]:
    """Yield the approvals, one a line."""
    if not approval_list and not approval_list.unread:
        yield "No approvals. To ask for one: agentws ask QUESTION"
    for approval in approval_list:
        until = (
            f" · until {clock.local(approval.expires, approval_list.now)}"
            if approval.expires and approval.status == "pending"
            else ""
        )
        risk = " · high risk" if approval.risk == "high" else ""
        edited = " · another action" if approval.is_edited else ""
        gone = " · file gone" if approval.is_gone else ""
        strange = f" · from {approval.src}, not vouched for" if approval.is_strange else ""
        yield f"{approval.id}  {approval.status:<8}  {_cut(approval.question)}{risk}{until}{edited}{gone}{strange}"


def show_lines(approval: Approval, now: datetime) -> Iterator[str]:
    """Yield an approval in full."""
    yield one_line(approval.question)
    state = (
        approval.status
        if approval.status in _PLAIN
        else f"{approval.status}{f' · {approval.reason}' if approval.reason else ''}"
    )
    rows = (
        ("file", f"{output.place(approval.path)}{' (gone)' * approval.is_gone}"),
        ("state", state),
        ("risk", approval.risk),
        ("asked", clock.local(approval.asked, now)),
        ("expires", clock.local(approval.expires, now)),
        ("task", approval.task),
        ("via", approval.src),
        (
            "answer",
            " · ".join(
                part for part in (clock.local(approval.decided, now), approval.decided_by, approval.proof) if part
            ),
        ),
        ("message", one_line(approval.message)),
        ("digest", approval.action_digest),
    )
    yield from (f"  {label:<8} {text}" for label, text in rows if text)
    if approval.action is not None:
        yield f"  {'action' if not approval.is_edited else 'action, as a person changed it'}:"
        yield from json_lines(approval.action)


def answer_lines(approval: Approval) -> Iterator[str]:
    """Yield how a person answers a request that waits."""
    if approval.status == "pending":
        elsewhere = "  (from your own machine: agentws docs approvals)" if approval.risk == "high" else ""
        yield f"To approve: {approval.command}{elsewhere}"
        yield f"To reject:  agentws ask reject {approval.id}"


def statement_fields(statement: Approval | Statement, action: object, words: str) -> dict[str, object]:
    """Return the fields of `agentws/ask-statement@1`."""
    names = "id question risk action action_digest expires? task? statement"
    return output.fields(statement, names, action=action, action_digest=words.split("\n")[_DIGEST], statement=words)


def signed_lines(statement: Approval | Statement, action: object, words: str) -> list[str]:
    """Return what an approval's statement is about, for a person to read before they sign it."""
    rows = words.split("\n")
    until = f" · until {statement.expires}" if statement.expires else ""
    message = f"{statement.id} · {rows[_VERDICT]} · {one_line(statement.question)} · {statement.risk} risk{until}"
    return [message, f"action: {values.dumps(action)}", f"digest of the action: {rows[_DIGEST]}"]


def json_lines(value: object) -> list[str]:
    """Return an action as indented lines of JSON."""
    return [f"    {line}" for line in values.dumps(value, indent=2).split("\n")]


def keys_lines(approver_list: ApproverList) -> Iterator[str]:
    """Yield the keys of approvers, one a line, problems, and how to pin a key."""
    for approver in approver_list.keys:
        proves = "by touch" if approver.key.is_touched else "signed on another machine"
        counts = f"does not count: {approver.why}" if approver.why else f"counts: {proves}"
        yield f"{approver.key.principal}  {approver.key.kind}  {approver.key.fingerprint}  {counts}"
    yield from approver_list.problems
    if not any(not approver.why for approver in approver_list.keys):
        folder = approver_list.file.rpartition("/")[0]
        yield ""
        yield "To pin a person's key, run as that person, not as the agent's user:"
        yield f"  sudo install -d -m 755 {folder}"
        yield f'  echo "sam $(cat ~/.ssh/id_ed25519_sk.pub)" | sudo tee -a {approver_list.file}'


def rules_lines(rule_list: RuleList) -> Iterator[str]:
    """Yield the verdict on the call that was asked about, else the rules, one a line; then the problems."""
    if rule_list.verdict is not None:
        yield _verdict_line(rule_list.verdict)
    elif not rule_list.problems or rule_list.rules:
        yield from map(_rule_line, rule_list.rules)
        if not rule_list.rules:
            yield "No rules. A person writes them: agentws docs format/rules"
    yield from rule_list.problems


def _verdict_line(verdict: Verdict) -> str:
    matched = f" It matched: {words}." if (words := verdict.matched()) else ""
    rule = f" · {_about(verdict.rule)}" if verdict.rule else ""
    return f"{_WOULD[verdict.do]}{matched}{rule}"


def _rule_line(rule: Rule) -> str:
    return f"{rule.do:<7}  {_about(rule)}"


def _about(rule: Rule) -> str:
    about = " ".join(f"{key} {one_line(getattr(rule, key))}" for key in _ABOUT if getattr(rule, key))
    risk = " · high risk" if rule.risk == "high" else ""
    why = f" · {one_line(rule.why)}" if rule.why else ""
    return f"{about}{risk}{why}  ({one_line(rule.where)})"


def _cut(text: str) -> str:
    message = one_line(text)
    return message if len(message) <= _MOST_QUESTION else f"{message[: _MOST_QUESTION - 1].rstrip()}…"
