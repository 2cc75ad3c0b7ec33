"""The line of boot's header that MEMORY.md waits for its author."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats.documents import proposals
from agentws.planning.curate import reminder
from agentws.storage.workspace import curation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.storage.workspace.stores import Stores


def waiting(stores: Stores, logged: Sequence[str]) -> str:
    """The end of the header's line: how many proposals wait, or that several days do; empty for nothing.

    `logged` are the days with a log.
    """
    if stores.manifest.setting("curation.ask") == "never":
        return ""
    try:
        data = stores.files.read(proposals.PATH)
    except AgentwsError:
        data = b""
    try:
        answered = curation.read(stores.files).day
    except AgentwsError:
        logged, answered = (), ""
    found = reminder.what(data.decode("utf-8", "replace"), logged, answered=answered)
    return f" · {found}: agentws curate" if found else ""
