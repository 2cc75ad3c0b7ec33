"""The request to the agent, at the end of a turn, to curate MEMORY.md: if its owner wants that, once a day."""

from __future__ import annotations

from agentws.errors import LockHeldError
from agentws.formats import audience, layout
from agentws.operations.curate import brief
from agentws.planning.curate import reminder
from agentws.storage.disk import local_dir, lock
from agentws.storage.workspace import curation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores

_TIMEOUT_S = 0.2


def ask_for_curation(stores: Stores) -> str:
    """Return what waits for the author of MEMORY.md, in a few words, if the agent is to be asked now; else empty.

    It is to be asked in a main session, and not on a day on which it was asked or has answered. That it was asked is
    noted first: where that cannot be, it is not asked, since it would be at the end of each turn.
    """
    if stores.manifest.setting("curation.ask") != "turn" or stores.audience() != audience.MAIN:
        return ""
    today = stores.here().day
    if not _waits(stores, curation.read(stores.files), today):
        return ""
    local_dir.prepare(stores.files)
    try:
        with lock.Lock(stores.files, brief.LOCK, timeout_s=_TIMEOUT_S, note="hook"):
            known = curation.read(stores.files)
            words = _waits(stores, known, today)  # not where another session was first
            if words:
                known.asked = today
                curation.keep(stores.files, known)
            return words
    except LockHeldError:
        return ""


def _waits(stores: Stores, known: curation.Numbers, today: str) -> str:
    if curation.is_at(known.asked, today) or curation.is_at(known.day, today):
        return ""
    logged = {day for name in stores.files.listing(layout.DAYS) if (day := layout.day_of(name))}
    return reminder.what(logged, answered=known.day)
