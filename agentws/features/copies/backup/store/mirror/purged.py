"""The mirrors that still hold the bodies of purged events: those of other machines, and of runs that were killed."""

from __future__ import annotations

from agentws.core.formats.travel import mirror
from agentws.features.copies.backup.store import copies as _copies
from agentws.features.copies.backup.store import erase
from agentws.features.copies.backup.store.folder import FolderBackups
from agentws.features.copies.backup.store.mirror import medium

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.ports import Backups
    from agentws.core.stores.held_copies import HeldCopies
    from agentws.core.stores.purges import PurgedEvent
    from agentws.core.stores.stores import Stores
    from agentws.features.copies.backup.store.mirror.medium import Medium

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
