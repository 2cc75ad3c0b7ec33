"""ask list and show: requests as files and journal say. Reads only."""

from __future__ import annotations

from agentws.formats.documents import approval
from agentws.operations.ask.approval import Approval, ApprovalList
from agentws.operations.ask.desk import Requests
from agentws.planning.ask import standing

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
    return ApprovalList(shown, requests.now, [*stores.notices, *requests.notices, *_gone(requests)])


def _gone(requests: Requests) -> list[str]:
    """A notice of each open request whose file is not there."""
    stores = requests.stores
    if stores.heard() is not stores:
        return []  # what an audience may not hear is not there either
    open_ = [approval.path_of(id) for id, facts in requests.facts.items() if standing.is_open(facts)]
    return [
        f"{path} is missing, though its request is open. Restore it from a backup, or ask again."
        for path in sorted(open_)
        if not stores.files.exists(path)
    ]


def show(stores: Stores, id: str) -> Approval:
    """Return one approval, by its id or a beginning that no other has; MissingFileError, AmbiguousError."""
    requests = Requests(stores)
    found = requests.approval(requests.get(id))
    found.notices = [*stores.notices, *requests.notices]
    return found
