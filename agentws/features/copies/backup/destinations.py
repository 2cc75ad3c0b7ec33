"""The destinations of backups that this installation knows, and the backups at one (`backup list`)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass

from agentws.core.formats.travel import destination
from agentws.core.formats.travel.destination import Destination
from agentws.core.installation import backups
from agentws.core.installation.backups import Known
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, MissingFileError, UsageError
from agentws.features.copies.backup.store import reach
from agentws.features.copies.backup.store.backups import Backups

_NONE = "To make the first one: agentws backup create FOLDER"


def named(stores: Stores, to: str | None) -> list[Known]:
    """Return the destination `to`, new or known; without one, all known. MissingFileError if none is known."""
    present = known_backups(stores)
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


def detach(stores: Stores, to: str) -> Known:
    """Stop backing up to a destination; its backups stay, its cached data is removed.

    MissingFileError for an unknown destination, DiskError if the cache cannot be cleared.
    """
    backup = named(stores, to)[0]
    if not (backup.since or backup.failed):
        known_places = ", ".join(each.to for each in known_backups(stores)) or "none"
        raise MissingFileError(f"{backup.to} is not a known destination.", hint=f"Known destinations: {known_places}.")
    backups.forget(*stores.machine, backup.to)
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


def known_backups(stores: Stores) -> list[Known]:
    """Return the destinations that this installation has copied to, and what it knows of the newest backup there."""
    return backups.read(*stores.machine)


def list_backups(to: str) -> list[Listed]:
    """Return the complete backups at a destination, of each agent the oldest first. MissingFileError, DiskError."""
    with _places(to) as (goal, places):
        names = [(place, name) for place in places for name in place.names()]
        return [_listed(place, name) for place, name in names if goal.backup in ("", name)]


@contextmanager
def one_backup(to: str, at: str | None) -> Iterator[tuple[Backups, str]]:
    """Open one backup of the only agent at a destination: the one that `to` or `at` names, else the newest.

    Yields the agent's backups and the name. UsageError if there are several agents, MissingFileError.
    """
    with _places(to) as (goal, candidates):
        if not candidates:
            raise MissingFileError(
                f"{to}: contains no backups.", hint="Is the disk mounted? Name the folder that holds them."
            )
        if len(candidates) > 1:
            names = ", ".join(backups.place for backups in candidates)
            raise UsageError(
                f"{to} contains backups of {len(candidates)} agents: {names}.",
                hint=f"Choose one: {candidates[0].place}",
            )
        if goal.backup and at is not None and reach.which(candidates[0], at) != goal.backup:
            raise UsageError(f"{to} is one backup, and --at names another.", hint="Leave out --at.")
        yield candidates[0], reach.which(candidates[0], goal.backup or at)


@contextmanager
def _places(to: str) -> Iterator[tuple[Destination, Sequence[Backups]]]:
    goal = reach.named(to)
    with ExitStack() as held:
        agents = reach.agents(goal)
        for backups in agents:
            held.enter_context(closing(backups))
        yield goal, agents


def _listed(place: Backups, name: str) -> Listed:
    try:
        header = place.header(name)
    except AgentwsError as error:
        return Listed(name, place.place, wrong=error.message)
    return Listed(
        name,
        place.place,
        at=header.at,
        agent=header.name,
        host=header.host,
        files=header.files,
        bytes=header.bytes,
        events=header.events,
        added=header.added,
        changed=header.changed,
        removed=header.removed,
        damage=(*header.damage, *header.spoiled),
    )
