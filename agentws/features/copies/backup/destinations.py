"""The destinations of backups that this installation knows: list, open, record and detach them."""

from __future__ import annotations

import os
from dataclasses import dataclass

from agentws.core.formats.travel import destination
from agentws.core.installation import backups
from agentws.errors import MissingFileError, UsageError
from agentws.features.copies.backup.store import reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.core.installation.backups import Known
    from agentws.core.ports import Backups
    from agentws.core.stores.stores import Stores

_NONE = "To make the first one: agentws backup create FOLDER"


def known(stores: Stores) -> list[Known]:
    """Return the backup destinations that this installation knows."""
    return backups.read(stores.files, stores.manifest.agent_id, stores.environment.state)


def named(stores: Stores, to: str | None) -> list[Known]:
    """Return the destination `to`, new or known; without one, all known. MissingFileError if none is known."""
    present = known(stores)
    if to is None:
        if not present:
            raise MissingFileError("No backup destination is known.", hint=_NONE)
        return present
    place = reach.named(to).text
    return [next((backup for backup in present if backup.to == place), None) or backups.Known(place)]


def opened(stores: Stores, backup: Known, *, afresh: bool = False) -> Backups:
    """Open the backups of this agent at a destination; the caller closes them. UsageError, MissingFileError.

    With `afresh`, nothing is read from the cache.
    """
    root, to = os.path.realpath(stores.root), reach.named(backup.to)
    if to.kind in (destination.FOLDER, destination.GIT) and (to.target == root or to.target.startswith(f"{root}/")):
        raise UsageError(f"{backup.to} is inside the workspace.", hint="Name a folder on another disk.")
    private = "" if afresh else stores.cache.folder or ""
    return reach.at(to, stores.manifest.agent_id, stores.manifest.name, known=bool(backup.since), private=private)


def keep(stores: Stores, to: str, change: Callable[[Known], object], *, adds: bool = False) -> None:
    """Apply `change` to the stored record of a destination; see backups.write."""
    backups.write(stores.files, stores.manifest.agent_id, stores.environment.state, to, change, adds=adds)


def detach(stores: Stores, to: str) -> Known:
    """Stop backing up to a destination; its backups stay, its cached data is removed.

    MissingFileError for an unknown destination, DiskError if the cache cannot be cleared.
    """
    backup = named(stores, to)[0]
    if not (backup.since or backup.failed):
        known_places = ", ".join(each.to for each in known(stores)) or "none"
        raise MissingFileError(f"{backup.to} is not a known destination.", hint=f"Known destinations: {known_places}.")
    backups.forget(stores.files, stores.manifest.agent_id, stores.environment.state, backup.to)
    if stores.cache.folder:
        reach.clear(reach.named(backup.to), stores.cache.folder, reach.owner(stores.root))
    return backup


@dataclass(frozen=True, slots=True)
class Listed:
    """A listed backup: its `name`, `place` and time, what it contains, and the changes since the previous one.

    `damage` says what was damaged in the workspace, `wrong` why the backup cannot be read (empty: it can).
    """

    name: str
    place: str
    at: str = ""
    agent: str = ""
    host: str = ""
    files: int = 0
    bytes: int = 0
    events: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    damage: tuple[str, ...] = ()
    wrong: str = ""
