"""ask list and show: requests as files and journal say. Reads only."""

from __future__ import annotations

from agentws.core.formats.documents import approval
from agentws.features.approvals import lost
from agentws.features.approvals.approval import Approval, ApprovalList
from agentws.features.approvals.desk import Requests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores


def list_approvals(stores: Stores, *, pending: bool = False) -> ApprovalList:
    """Every approval, those that wait first, then the newest; with `pending` only those that wait."""
    requests = Requests(stores)
    found = [requests.approval(one) for one in requests.known()]
    archived = lost.archived(stores) if any(one.is_gone for one in found) else {}
    listed = [one for one in found if not one.is_gone or _is_missed(one, archived)]
    shown = [one for one in listed if not pending or one.status == approval.PENDING]
    shown.sort(key=lambda one: one.asked, reverse=True)
    shown.sort(key=lambda one: one.status != approval.PENDING)
    gone = [
        f"{one.path} is missing. Its request is known from the journal, and can be answered: agentws ask show {one.id}"
        for one in shown
        if one.is_gone and one.status == approval.PENDING
    ]
    return ApprovalList(shown, requests.now, [*stores.notices, *requests.notices, *gone])


def _is_missed(one: Approval, archived: dict[str, str]) -> bool:
    return one.id not in archived and one.status not in (approval.USED, approval.EXPIRED)


def show(stores: Stores, id: str) -> Approval:
    """Return one approval, by its id or a beginning that no other has; MissingFileError, AmbiguousError."""
    requests = Requests(stores)
    found = requests.approval(requests.get(id))
    if found.is_gone and (path := lost.archived(stores).get(found.id)):
        found.path, found.is_gone = path, False
    found.notices = [*stores.notices, *requests.notices]
    return found
