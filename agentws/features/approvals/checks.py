"""Checks of approvals for `status` and `doctor`: how many wait, and files or rules that do not count."""

from __future__ import annotations

from agentws.core.findings import PROBLEM, WARNING, Check, Finding
from agentws.core.formats import layout
from agentws.errors import AgentwsError
from agentws.features.approvals import rules_cache as ask_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.formats.documents.approval import Request
    from agentws.core.stores.seen import Seen
    from agentws.features.approvals.plan.request_state import ApprovalState, Fact


_LIST = "agentws ask rules"
_SIGN = f"A person must run: ssh-keygen -Y sign -n agentws-rules -f KEY {layout.RULES}"


def checks(seen: Seen) -> list[Check]:
    """Return the checks of pending approvals, and of the rules for tool calls, if there are any."""
    return [*_waiting(seen), *_rules(seen)]


def _rules(seen: Seen) -> list[Check]:
    count, findings = _rules_of(seen)
    if findings:
        return [Check("rules", ok=False, says=findings[0].says, remedy=findings[0].remedy)]
    says = f"{count} rule{'' if count == 1 else 's'} for tools"
    return [Check("rules", ok=True, says=says, remedy=_LIST)] if count else []


def hook_rules(seen: Seen) -> int:
    """Return the number of rules that hooks of hosts must enforce."""
    return _rules_of(seen)[0]


def _rules_of(seen: Seen) -> tuple[int, list[Finding]]:
    """Return the number of rules that count, and findings about those that do not."""
    if not seen.stores.files.exists(layout.RULES) and not ask_rules.may_be(seen.stores.environment.config):
        return 0, []
    from agentws.features.approvals import rule_files
    from agentws.features.approvals.plan import rules

    try:
        texts = rule_files.texts(seen.stores)
        count = sum(len(rules.parse(ask_rules.rows(text, where), where)) for where, text in texts)
        unsigned = rule_files.unsigned(seen.stores)
    except AgentwsError as error:
        says = f"{error.message} Hooks deny every tool."
        return 0, [Finding("rules-unread", PROBLEM, says, remedy=error.hint or _LIST)]
    return count, [Finding("rules-unsigned", WARNING, name, remedy=_SIGN, path=layout.RULES) for name in unsigned]


def _waiting(seen: Seen) -> list[Check]:
    paths = _paths(seen)
    if not paths:
        return []
    from agentws.features.approvals import pending_approvals

    waiting = pending_approvals.of(seen.stores.files, paths, seen.moment)
    if waiting.count:
        theirs = pending_approvals.theirs(waiting, pending_approvals.strange(seen.stores))
        return [Check("approvals", ok=True, says=f"{waiting}{theirs}", remedy="agentws ask list")]
    return [Check("approvals", ok=True, says="none waits")]


def deep_findings(seen: Seen) -> list[Finding]:
    """Return the doctor's findings about rules that do not count, and about unreadable, edited or missing approvals."""
    paths = _paths(seen)
    from agentws.core.formats.documents import approval
    from agentws.features.approvals import approval_events
    from agentws.features.approvals.plan import request_state

    facts_of = approval_events.by_id(seen.stores, [])
    files = seen.stores.files
    open_ = [approval.path_of(id) for id, facts in facts_of.items() if request_state.is_open(facts)]
    findings = [*_rules_of(seen)[1], *(_gone(path) for path in sorted(open_) if not files.exists(path))]
    for path in paths:
        name = path.rpartition("/")[2].removesuffix(".md")
        try:
            request = approval.decode(seen.stores.files.read(path), id=name)
        except AgentwsError as error:
            findings.append(_unreadable(path, error.message))
            continue
        facts = facts_of.get(name, [])
        findings += _judged(request, facts, request_state.of(request, facts, seen.moment, lambda _: ""))
    return findings


def _paths(seen: Seen) -> list[str]:
    try:
        names = seen.stores.files.names(layout.APPROVALS)
    except AgentwsError:
        return []  # the check of documents reports a folder that cannot be listed
    return [f"{layout.APPROVALS}/{name}" for name, kind in names if kind == "file" and name.endswith(".md")]


def _unreadable(path: str, why: str) -> Finding:
    """Return the finding about an approval file that cannot be read."""
    return Finding("approval-unread", WARNING, why.removeprefix(f"{path}: "), remedy="Ask again.", path=path)


def _gone(path: str) -> Finding:
    """Return the finding about a pending request whose file is missing."""
    says = "the file of an open request is missing; the journal knows it, and it can be answered"
    remedy = "Answer it: agentws ask list. Or restore the file from a backup."
    return Finding("approval-gone", PROBLEM, says, remedy=remedy, path=path)


def _judged(request: Request, facts: Sequence[Fact], state: ApprovalState) -> list[Finding]:
    """Return the findings about an approval file that was edited, or that grants what nobody approved."""
    from agentws.core.formats.documents import approval
    from agentws.features.approvals.plan import request_state

    remedy = f"agentws journal list --kind {request_state.FAMILY}, then ask again"
    if state.status == approval.DISPUTED:
        says = state.reason.removeprefix(f"{request.path} ")
        remedy = request_state.AS_IT_WAS if state.reason == request_state.edited(request) else remedy
        return [Finding("approval-disputed", PROBLEM, says, remedy=remedy, path=request.path)]
    status = request.text("status")
    if status in (approval.APPROVED, approval.USED) and not any(fact.kind == request_state.DECIDED for fact in facts):
        says = f"says {status}, but the journal knows of no answer; it is not believed"
        return [Finding("approval-forged", PROBLEM, says, remedy=remedy, path=request.path)]
    return []
