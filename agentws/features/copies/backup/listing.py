"""backup list: the backups at a destination."""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager

from agentws.errors import AgentwsError, MissingFileError, UsageError
from agentws.features.copies.backup import destinations
from agentws.features.copies.backup.destinations import Listed
from agentws.features.copies.backup.store import reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.formats.travel.destination import Destination
    from agentws.core.installation.backups import Known
    from agentws.core.ports import Backups
    from agentws.core.stores.stores import Stores


def known_backups(stores: Stores) -> list[Known]:
    """Return the destinations that this installation has copied to, and what it knows of the newest backup there."""
    return destinations.known(stores)


def list_backups(to: str) -> list[Listed]:
    """Return the complete backups at a destination, of each agent the oldest first. MissingFileError, DiskError."""
    with _places(to) as (goal, places):
        names = [(place, name) for place in places for name in place.names()]
        return [_listed(place, name) for place, name in names if goal.backup in ("", name)]


@contextmanager
def one_backup(to: str, at: str | None) -> Iterator[tuple[Backups, str, bool]]:
    """Open one backup of the only agent at a destination: the one that `to` or `at` names, else the newest.

    Yields the agent's backups, the name, and whether it was given. UsageError if there are several agents,
    MissingFileError.
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
        yield candidates[0], reach.which(candidates[0], goal.backup or at), bool(goal.backup or at)


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
