"""The events of approvals, of the writers that this machine knows."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.planning.ask import standing
from agentws.planning.ask.standing import Fact
from agentws.storage.journal import read, select
from agentws.storage.workspace import writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores


def by_id(stores: Stores, notices: list[str]) -> dict[str, list[Fact]]:
    """Return the events of each approval by its id, oldest first; `notices` says what could not be read."""
    found: dict[str, list[Fact]] = {}
    reader = select.Reader(stores.whole.files, select.Wanted(kinds=[standing.FAMILY]))
    streams = [reader.behind(writer, 0) for writer in writer_trust.known(stores)]
    for event in select.merged(streams):
        try:
            body = read.body(stores.whole.files, event)
        except AgentwsError as error:
            notices.append(f"{event.cursor}: {error.message}")
            continue
        name = (body or {}).get("id")
        if body and isinstance(name, str):
            found.setdefault(name, []).append(Fact(event.kind, body, event.at, event.cursor))
    notices += reader.notices
    return found
