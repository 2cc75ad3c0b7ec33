"""What boot's header says of MEMORY.md: that something waits for its author."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.planning.curation import proposals
from agentws.storage import curation as _curation

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
    try:
        answered = _curation.read(stores.files).day
    except AgentwsError:
        return ""
    days = [day for day in logged if day > answered]
    return f" · {len(days)} days of notes for MEMORY.md: agentws curate" if len(days) >= _FEWEST_DAYS else ""
