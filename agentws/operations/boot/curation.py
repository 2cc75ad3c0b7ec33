"""The line of boot's header that MEMORY.md waits for its author."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.planning.curate import reminder
from agentws.storage.workspace import curation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.storage.workspace.stores import Stores


def waiting(stores: Stores, logged: Sequence[str]) -> str:
    """The end of the header's line: how many days of notes wait; empty for few. `logged` are the days with a log."""
    if stores.manifest.setting("curation.ask") == "never":
        return ""
    try:
        answered = curation.read(stores.files).day
    except AgentwsError:
        return ""
    found = reminder.what(logged, answered=answered)
    return f" · {found}: agentws curate" if found else ""
