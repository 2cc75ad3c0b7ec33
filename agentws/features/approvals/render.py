"""Renders approvals, statements, keys and rules for tool calls: lines for people, and JSON fields for scripts."""

from __future__ import annotations

from agentws.core.disk import clock
from agentws.core.formats.documents import readable
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
_PLAIN = ("used", "rejected", "expired")
"""The states of an approval that need no reason."""


def approval_fields(one: Approval) -> dict[str, object]:
    """Return the fields of one approval, the same in each schema."""
    return output.fields(
        one,
        "id question status risk action action_digest edited=is_edited task? asked? expires? decided? decided_by? "
        "proof? message? usable=is_usable reason? session? src? path gone=is_gone",
    )


def done_fields(one: Approval) -> dict[str, object]:
    """Return the fields of `agentws/ask@1`, `ask-approve@1` and all other schemas of a single approval."""
    return {**approval_fields(one), "notices": one.notices}


def list_fields(found: ApprovalList) -> dict[str, object]:
    """Return the fields of `agentws/ask-list@1`."""
    return {"approvals": [approval_fields(one) for one in found], "notices": found.notices}


def asked_lines(one: Approval) -> Iterator[str]:
    """Yield the path of a new request, and the command that a person runs to answer it."""
    yield one.path
    yield f"To answer, a person runs: agentws ask show {one.id}"


def done_lines(one: Approval) -> Iterator[str]:
    """Yield the status of an approval after a verb, in one line."""
    proof = f" ({one.proof})" if one.proof and one.status == "approved" else ""
    yield f"{one.id}: {one.status}{proof}"


def list_lines(found: ApprovalList) -> Iterator[str]:
    """Yield the approvals, one a line."""
    if not found and not found.unread:
        yield "No approvals. To ask for one: agentws ask QUESTION"
    for one in found:
        until = f" · until {clock.local(one.expires, found.now)}" if one.expires and one.status == "pending" else ""
        risk = " · high risk" if one.risk == "high" else ""
        edited = " · another action" if one.is_edited else ""
        gone = " · file gone" if one.is_gone else ""
        strange = f" · from {one.src}, not vouched for" if one.is_strange else ""
        yield f"{one.id}  {one.status:<8}  {_cut(one.question)}{risk}{until}{edited}{gone}{strange}"


def show_lines(one: Approval, now: datetime) -> Iterator[str]:
    """Yield an approval in full."""
    yield one_line(one.question)
    state = one.status if one.status in _PLAIN else f"{one.status}{f' · {one.reason}' if one.reason else ''}"
    said = (
        ("file", f"{one.path} (gone)" if one.is_gone else one.path),
        ("state", state),
        ("risk", one.risk),
        ("asked", clock.local(one.asked, now)),
        ("expires", clock.local(one.expires, now)),
        ("task", one.task),
        ("via", one.src),
        ("answer", " · ".join(part for part in (clock.local(one.decided, now), one.decided_by, one.proof) if part)),
        ("message", one_line(one.message)),
        ("digest", one.action_digest),
    )
    yield from (f"  {label:<8} {text}" for label, text in said if text)
    if one.action is not None:
        yield f"  {'action' if not one.is_edited else 'action, as a person changed it'}:"
        yield from json_lines(one.action)


def answer_lines(one: Approval) -> Iterator[str]:
    """Yield how a person answers a request that waits."""
    if one.status == "pending":
        elsewhere = "  (from your own machine: agentws docs approvals)" if one.risk == "high" else ""
        yield f"To approve: {one.command}{elsewhere}"
        yield f"To reject:  agentws ask reject {one.id}"


def statement_fields(found: Approval | Statement, action: object, words: str) -> dict[str, object]:
    """Return the fields of `agentws/ask-statement@1`."""
    return {
        **output.fields(found, "id question risk"),
        "action": action,
        "action_digest": words.split("\n")[_DIGEST],
        "expires": found.expires or None,
        "task": found.task or None,
        "statement": words,
    }


def signed_lines(found: Approval | Statement, action: object, words: str) -> list[str]:
    """Return what an approval's statement is about, for a person to read before they sign it."""
    rows = words.split("\n")
    until = f" · until {found.expires}" if found.expires else ""
    said = f"{found.id} · {rows[_VERDICT]} · {one_line(found.question)} · {found.risk} risk{until}"
    return [said, f"action: {readable.dumps(action)}", f"digest of the action: {rows[_DIGEST]}"]


def json_lines(value: object) -> list[str]:
    """Return an action as indented lines of JSON."""
    return [f"    {line}" for line in readable.dumps(value, indent=2).split("\n")]


def keys_fields(found: ApproverList) -> dict[str, object]:
    """Return the fields of `agentws/ask-keys@1`."""
    keys = [
        {
            **output.fields(one, "principal=key.principal kind=key.kind? fingerprint=key.fingerprint? where"),
            "counts": not one.why,
            "why": one.why or None,
        }
        for one in found.keys
    ]
    return {"keys": keys, "file": found.file, "problems": found.problems, "notices": found.notices}


def keys_lines(found: ApproverList) -> Iterator[str]:
    """Yield the keys of approvers, one a line, problems, and how to pin a key."""
    for one in found.keys:
        proves = "by touch" if one.key.is_touched else "signed on another machine"
        counts = f"does not count: {one.why}" if one.why else f"counts: {proves}"
        yield f"{one.key.principal}  {one.key.kind}  {one.key.fingerprint}  {counts}"
    yield from found.problems
    if not any(not one.why for one in found.keys):
        folder = found.file.rpartition("/")[0]
        yield ""
        yield "To pin a person's key, run as that person, not as the agent's user:"
        yield f"  sudo install -d -m 755 {folder}"
        yield f'  echo "sam $(cat ~/.ssh/id_ed25519_sk.pub)" | sudo tee -a {found.file}'


def rules_fields(found: RuleList) -> dict[str, object]:
    """Return the fields of `agentws/ask-rules@1`."""
    verdict = found.verdict
    judged = verdict and {
        "do": verdict.do or "run",
        "unclear": verdict.is_unclear,
        "words": [*verdict.words],
        "rule": _rule_fields(verdict.rule) if verdict.rule else None,
    }
    return {
        "rules": [_rule_fields(one) for one in found.rules],
        "files": found.files,
        "problems": found.problems,
        "verdict": judged,
        "notices": found.notices,
    }


def _rule_fields(rule: Rule) -> dict[str, object]:
    return output.fields(rule, "tool? words? command? path? host? do risk why? where")


def rules_lines(found: RuleList) -> Iterator[str]:
    """Yield the verdict on the call that was asked about, else the rules, one a line; then the problems."""
    if found.verdict is not None:
        yield _verdict_line(found.verdict)
    elif not found.problems or found.rules:
        yield from map(_rule_line, found.rules)
        if not found.rules:
            yield "No rules. A person writes them: agentws docs format/rules"
    yield from found.problems


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
    said = one_line(text)
    return said if len(said) <= _MOST_QUESTION else f"{said[: _MOST_QUESTION - 1].rstrip()}…"
