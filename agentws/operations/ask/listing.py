"""ask list and show: requests as files and journal say. Reads only."""

from __future__ import annotations

from agentws.formats.documents import approval
from agentws.operations.ask.approval import Approval, ApprovalList
from agentws.operations.ask.desk import Requests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores


def list_approvals(stores: Stores, *, pending: bool = False) -> ApprovalList:
    """Every approval, those that wait first, then the newest; with `pending` only those that wait."""
    requests = Requests(stores)
    found = [requests.approval(one) for one in requests.all()]
    shown = [one for one in found if not pending or one.status == approval.PENDING]
    shown.sort(key=lambda one: one.asked, reverse=True)
    shown.sort(key=lambda one: one.status != approval.PENDING)
    return ApprovalList(shown, requests.now, [*stores.notices, *requests.notices])


def show(stores: Stores, id: str) -> Approval:
    """Return one approval, by its id or a beginning that no other has; MissingFileError, AmbiguousError."""
    requests = Requests(stores)
    found = requests.approval(requests.get(id))
    found.notices = [*stores.notices, *requests.notices]
    return found
