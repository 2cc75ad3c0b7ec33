"""What boot's header says of MEMORY.md: that something waits for its author."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import plainjson
from agentws.planning.curation import proposals
from agentws.storage import local, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.storage.stores import Stores

_FEWEST_DAYS = 3
"""So many logs since the last answer are worth a look."""


def waiting(stores: Stores, logged: Sequence[str]) -> str:
    """The end of the header's line: how many proposals wait, or that several days do; empty for nothing.

    `logged` are the days with a log, the newest first.
    """
    try:
        data = stores.files.read(proposals.PATH)
    except AgentwsError:
        data = b""
    count = len(proposals.proposals(data.decode("utf-8", "replace")))
    if count:
        return f" · {count} proposal{'s' * (count > 1)} for MEMORY.md: agentws curate"
    days = [day for day in logged if day > _answered(stores)]
    return f" · {len(days)} days of notes for MEMORY.md: agentws curate" if len(days) >= _FEWEST_DAYS else ""


def _answered(stores: Stores) -> str:
    """The day of the newest answer, empty where there was none."""
    try:
        told = plainjson.loads(marks.of(stores.files, local.CURATION) or "{}")
    except (ValueError, RecursionError):
        return ""
    day = told.get("day") if isinstance(told, dict) else ""
    return day if isinstance(day, str) else ""
