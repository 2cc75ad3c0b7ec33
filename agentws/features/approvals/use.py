"""ask use: an approval is consumed, once, by the exact action that it is about."""

from __future__ import annotations

from agentws.core.formats.documents import action as _action
from agentws.core.formats.documents import approval
from agentws.core.installation import used_approvals
from agentws.errors import AgentwsError, ApprovalPendingError, ApprovalRefusedError
from agentws.features.approvals import approval_events
from agentws.features.approvals.desk import Desk
from agentws.features.approvals.plan import standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.formats.documents.approval import Request
    from agentws.core.stores.stores import Stores
    from agentws.features.approvals.approval import Approval

_ANOTHER = "A person approved another action instead."
_AGAIN = "Do not do it. Ask again: agentws ask QUESTION"


def use(stores: Stores, id: str, action: Any = None, *, risk: str = approval.LOW, by: str = "") -> Approval:
    """Consume an approval for this action; when it returns, that is durable and the action may be done once.

    With an empty id it is the one about this action, wherever there is one.
    `risk` is the least that the caller asks for: an approval of a low risk does not answer for a high one. `by` is the
    cursor of the event for which it is used, where there is one: so whoever died after this knows it as its own.
    ApprovalPendingError where nobody has answered yet; ApprovalRefusedError for anything else that stands against it.
    """
    digest = _action.digest_of(action)
    with Desk(stores, "ask use") as desk:
        return desk.done(consume(desk, desk.get(id) if id else desk.about(digest, risk), digest, risk, by))


def consume(desk: Desk, request: Request, digest: str, risk: str, by: str = "") -> Request:
    """Consume the approval of a request for the action with this digest."""
    found = desk.approval(request)
    if found.status == approval.PENDING:
        # An answer may stand there that does not count: then the reason says what it lacks.
        why = "nobody has answered yet" if found.reason == standing.UNANSWERED else found.reason.removesuffix(".")
        raise ApprovalPendingError(
            f"{request.id}: {why}: {request.question}",
            hint=f"A person runs, in their own terminal: {standing.command(request)}",
        )
    with used_approvals.Turn(desk.stores.files, desk.stores.manifest.agent_id, desk.stores.environment.state):
        why = _against(found, digest, risk) or _unread(desk, request) or _remembered(desk.stores, request.id, digest)
        if why:
            desk.record(standing.REFUSED, request, {"text": why, "action_digest": digest})
            hint = f"Do not do it. To see the other: agentws ask show {request.id}" if why == _ANOTHER else _AGAIN
            raise ApprovalRefusedError(f"{request.id}: {why}", hint=hint)
        desk.record(standing.CONSUMED, request, {"action_digest": digest, **({"by": by} if by else {})})
        _remember(desk, request.id, digest)
    return desk.say(request, f"ask use {request.id}", {"status": approval.USED})


def _remembered(stores: Stores, id: str, digest: str) -> str:
    """Return why it was used although the journal does not say so: this copy of the workspace is an older one."""
    used = used_approvals.read(stores.files, stores.manifest.agent_id, stores.environment.state)
    if f"{id} {digest}" not in used:
        return ""
    return "It was used on this machine, and the journal does not know: this is an older copy of the workspace."


def _remember(desk: Desk, id: str, digest: str) -> None:
    stores = desk.stores
    try:
        used_approvals.add(stores.files, stores.manifest.agent_id, stores.environment.state, id, digest)
    except AgentwsError as error:
        desk.notices.append(f"The use stands in the journal alone: {error.message}")


def _unread(desk: Desk, request: Request) -> str:
    """Return why nobody knows whether it was used: a use since it was asked cannot be read; empty for no such."""
    asked = min((one.at for one in desk.facts.get(request.id, ()) if one.kind == standing.ASKED), default="")
    later = [one.cursor for one in desk.facts.get(approval_events.UNREAD, ()) if one.at >= asked]
    return f"A use in the journal cannot be read ({later[0]}), and may have been of this approval." if later else ""


def _against(found: Approval, digest: str, risk: str) -> str:
    """Return what stands against the use, empty for nothing."""
    if not found.is_usable:
        return found.reason or f"It is {found.status}."
    if found.action_digest != digest:
        is_edited = found.request.action_digest == digest
        return _ANOTHER if is_edited else "This is not the action that was approved."
    if risk == approval.HIGH and found.risk != approval.HIGH:
        return "It was asked with a low risk, and this needs a high one."
    return ""
