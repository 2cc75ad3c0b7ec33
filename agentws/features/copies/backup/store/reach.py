"""Open the backups at a destination of any kind: a folder, a git repository, or a restic repository.

A new kind is a module with `at`, `agents` and a subclass of Backups; `private` is a cache folder, empty without one.
"""

from __future__ import annotations

import os

from agentws.core.formats import digest
from agentws.core.formats.travel import backup, destination
from agentws.core.formats.travel.destination import Destination
from agentws.core.installation import host_info
from agentws.core.text import sh
from agentws.errors import DiskError, MissingFileError, UsageError
from agentws.features.copies.backup.store import folder, git
from agentws.features.copies.transfer import temporary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from agentws.features.copies.backup.store.backups import Backups


def named(text: str) -> Destination:
    """Return the destination that a text names on this machine. UsageError."""
    result = destination.parse(text, lambda path: os.path.realpath(os.path.expanduser(path)))
    if result.kind != destination.FOLDER:
        return result
    within, name = os.path.split(result.target)
    if backup.number_of(name) and os.path.lexists(f"{result.target}/{backup.MANIFEST}"):
        return Destination(destination.FOLDER, within, name=name)
    return Destination(destination.GIT, result.target) if _is_repository(result.target) else result


def _is_repository(path: str) -> bool:
    """Return whether a folder is a bare git repository."""
    return os.path.isfile(f"{path}/HEAD") and all(os.path.isdir(f"{path}/{name}") for name in ("objects", "refs"))


def at(to: Destination, agent: str, name: str, *, known: bool, private: str = "") -> Backups:
    """Return the backups of an agent at a destination; a new destination need not exist yet.

    UsageError if it is unsuitable. MissingFileError if a `known` destination has no backups.
    """
    if to.kind == destination.FOLDER:
        return folder.at(to.target, agent, name, known=known)
    backups: Backups = _kind(to).at(to, agent, private)
    if known and not backups.names():
        backups.close()
        there = sh.quote(to.text)
        raise MissingFileError(
            f"{backups.place}: contains no backups of this agent.",
            hint=f"To start again there: agentws backup detach {there}, then agentws backup create {there}",
        )
    return backups


def clear(to: Destination, private: str, owner: str) -> None:
    """Remove the cached data of a destination from the folder `private`. DiskError if that fails."""
    if to.kind in (destination.FOLDER, destination.RCLONE):
        return
    place = _kind(to).cache_of(private, to, owner)
    temporary.remove(place)
    if os.path.lexists(place):
        raise DiskError(f"{place} was not removed.", hint="Delete this folder yourself: it holds a plain copy.")


def agents(to: Destination) -> Sequence[Backups]:
    """Return the backups at a destination, for each agent. MissingFileError if it does not exist."""
    if to.kind == destination.FOLDER:
        return folder.agents(to.target)
    backups: Sequence[Backups] = _kind(to).agents(to)
    return backups


def _kind(to: Destination) -> ModuleType:
    """Return the module of a kind of repositories, with `at`, `agents` and `cache_of`; UsageError for one of before."""
    if to.kind == destination.RCLONE:
        raise _gone(to)
    if to.kind == destination.GIT:
        return git
    from agentws.features.copies.backup.store import restic

    return restic


def _gone(to: Destination) -> UsageError:
    return UsageError(
        f"{to.text}: agentws no longer makes or reads backups through rclone.",
        hint=f"Use restic, such as restic:rclone:REMOTE:PATH. If this one is known here: agentws backup detach "
        f"{sh.quote(to.text)}. To restore its backups: agentws docs guides/backup",
    )


def which(place: Backups, name: str | None) -> str:
    """Return the full name of a backup, given by name or number; without one, the newest. UsageError."""
    known = place.names()
    if not known:
        raise MissingFileError(
            f"{place.place}: contains no complete backup.",
            hint="Is the disk mounted? To make one: agentws backup create",
        )
    if name is None:
        return known[-1]
    number = int(name) if name.isascii() and name.isdigit() and len(name) < 10 else 0
    texts = [text for text in known if text == name or (number and backup.number_of(text) == number)]
    if len(texts) != 1:
        raise UsageError(
            f"No backup {name!r} in {place.place}.", hint=f"To list them: agentws backup list {sh.quote(place.place)}"
        )
    return texts[0]


def owner(root: str) -> str:
    """Return the id of this workspace on this machine, by which a run finds what a killed run has left."""
    return digest.of(f"{host_info.name()} {os.path.realpath(root)}".encode("utf-8", "surrogateescape"))[:12]
