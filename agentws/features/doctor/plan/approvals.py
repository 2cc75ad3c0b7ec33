"""Findings about approvals whose file says what the journal does not. Pure."""

from __future__ import annotations

from agentws.core.formats.documents import approval
from agentws.features.approvals.plan import standing
from agentws.features.doctor.plan.finding import PROBLEM, WARNING, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.formats.documents.approval import Request
    from agentws.features.approvals.plan.standing import Fact, Standing

_GRANTED = (approval.APPROVED, approval.USED)


def unreadable(path: str, why: str) -> Finding:
    """A finding about a file that cannot be read."""
    return Finding("approval-unread", WARNING, why.removeprefix(f"{path}: "), remedy="Ask again.", path=path)


def gone(path: str) -> Finding:
    """A finding about an open request whose file is not there."""
    says = "the file of an open request is missing; the journal knows it, and it can be answered"
    remedy = "Answer it: agentws ask list. Or restore the file from a backup."
    return Finding("approval-gone", PROBLEM, says, remedy=remedy, path=path)


def judged(request: Request, facts: Sequence[Fact], found: Standing) -> list[Finding]:
    """Findings about a file that was edited, or that grants what nobody granted."""
    remedy = f"agentws journal list --kind {standing.FAMILY}, then ask again"
    if found.status == approval.DISPUTED:
        says = found.reason.removeprefix(f"{request.path} ")
        remedy = standing.AS_IT_WAS if found.reason == standing.edited(request) else remedy
        return [Finding("approval-disputed", PROBLEM, says, remedy=remedy, path=request.path)]
    said = request.text("status")
    if said in _GRANTED and not any(one.kind == standing.DECIDED for one in facts):
        says = f"says {said}, but the journal knows of no answer; it is not believed"
        return [Finding("approval-forged", PROBLEM, says, remedy=remedy, path=request.path)]
    return []
