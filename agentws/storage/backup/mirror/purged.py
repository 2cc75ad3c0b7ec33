"""The mirrors that still hold the bodies of purged events: those of other machines, and of runs that were killed."""

from __future__ import annotations

from agentws.formats.travel import mirror
from agentws.storage.backup import copies as _copies
from agentws.storage.backup import erase
from agentws.storage.backup.folder import FolderBackups
from agentws.storage.backup.mirror import medium

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.ports import Backups
    from agentws.storage.backup.copies import HeldCopies
    from agentws.storage.backup.mirror.medium import Medium
    from agentws.storage.workspace.purges import PurgedEvent
    from agentws.storage.workspace.stores import Stores

HOW = "Its machine removes them after forgetting: agentws backup mirror"


def holding(stores: Stores, lines: Sequence[PurgedEvent], *, but: str = "") -> list[str]:
    """Return, in words, which mirrors at known destinations, `but` those of one owner, hold some of these bodies."""
    found: list[str] = []

    def look(_: HeldCopies, place: Backups) -> None:
        for one in medium.all_of(place.place) if isinstance(place, FolderBackups) else ():
            if one.owner != but and any(erase.whole(one.tree, line) is not None for line in lines):
                found.append(words(one))

    _copies.each(stores, look, all_=False)
    return found


def words(one: Medium) -> str:
    """What there is to say of a mirror that holds what is forgotten."""
    return f"The mirror {one.place}/{mirror.FOLDER}/{one.owner} contains matches. {HOW}"
