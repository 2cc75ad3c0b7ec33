"""backup list: the backups at a destination."""

from __future__ import annotations

import os

from agentws.errors import AgentwsError, MissingFileError, UsageError
from agentws.operations.backup import destinations
from agentws.operations.backup.destinations import Listed
from agentws.storage.backup import folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.backup.folder import Backups
    from agentws.storage.installation.backups import Known
    from agentws.storage.workspace.stores import Stores


def known_backups(stores: Stores) -> list[Known]:
    """Return the destinations that this installation has copied to, and what it knows of the newest backup there."""
    return destinations.known(stores)


def list_backups(to: str) -> list[Listed]:
    """Return the complete backups in the folder `to`, of each agent the oldest first. MissingFileError, DiskError."""
    return [_listed(place, name) for place in folder.agents(_place(to)) for name in place.names()]


def one_agent(to: str) -> Backups:
    """The backups in a folder that holds those of one agent. UsageError where it holds several, MissingFileError."""
    found = folder.agents(_place(to))
    if not found:
        raise MissingFileError(
            f"{to}: contains no backups.", hint="Is the disk mounted? Name the folder that holds them."
        )
    if len(found) > 1:
        names = ", ".join(os.path.basename(one.place) for one in found)
        raise UsageError(
            f"{to} contains backups of {len(found)} agents: {names}.", hint=f"Choose one: {found[0].place}"
        )
    return found[0]


def _place(to: str) -> str:
    return os.path.realpath(os.path.expanduser(to))


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
        damage=header.damage,
    )
