"""Obstacles that keep a host from running its hooks: switched off, not trusted, incomplete. Pure."""

from __future__ import annotations

from agentws.core.formats.json import splice
from agentws.core.hosts.plan import PROJECT, USER
from agentws.errors import DamagedError
from agentws.features.hosts import hook_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_OFF = "disableAllHooks"
_NO = "DO_NOT_TRUST"
_PARENT = "TRUST_PARENT"


class HostFiles:
    """The files searched for obstacles. `read` returns the text at a level and a place, empty if there is none.

    `folders` are the absolute folders by level; `level` is that of the hooks. `install` is the command that installs
    the hooks again.
    """

    __slots__ = ("folders", "install", "level", "text")

    def __init__(
        self, level: str, folders: Mapping[str, str], read: Callable[[str, str], str], *, install: str = ""
    ) -> None:
        self.level = level
        self.folders = folders
        self.text = read
        self.install = install

    @property
    def asked(self) -> str:
        """The project's folder that the host must trust; empty for hooks of the user, or if these are unknown."""
        return self.folders[PROJECT] if self.level == PROJECT and USER in self.folders else ""

    def path(self, level: str, place: str) -> str:
        """Return the absolute path of a place."""
        return f"{self.folders.get(level, '')}/{place}"

    def value(self, level: str, place: str, *path: str) -> Any:
        """Return the value at this path in a file, all of it for no path; None if missing or unreadable."""
        from agentws.core.formats.json import plainjson

        text = self.text(level, place)
        try:
            return splice.value_at(text, path, where="") if path else plainjson.loads(text)
        except (DamagedError, ValueError, RecursionError):
            return None

    def untrusted(self, says: str, place: str, remedy: str, *, asks: bool = False) -> list[Obstacle]:
        """Return the obstacle of missing trust, which the user's file at `place` would state."""
        return [Obstacle(says, place=self.path(USER, place), remedy=remedy, untrusted=True, asks=asks)]


class Obstacle:
    """An obstacle to a host's hooks: `says` which, in the file `place` (absolute); `untrusted` if trust is missing.

    `asks`: the host itself asks for trust when somebody starts it, and runs the hooks in headless runs anyway.
    """

    __slots__ = ("asks", "place", "remedy", "says", "untrusted")

    def __init__(self, says: str, *, place: str, remedy: str, untrusted: bool = False, asks: bool = False) -> None:
        self.asks = asks
        self.says = says
        self.place = place
        self.remedy = remedy
        self.untrusted = untrusted


def switched_off(files: HostFiles, places: Sequence[tuple[str, str]]) -> list[Obstacle]:
    """Return the obstacle of `disableAllHooks`; of the `places` (level, place), the first file that sets it decides."""
    answers = ((files.value(level, place, _OFF), files.path(level, place)) for level, place in places)
    answer, where = next((pair for pair in answers if pair[0] is not None), (None, ""))
    return [is_set(_OFF, where)] if answer is True else []


def is_set(name: str, where: str) -> Obstacle:
    """Return the obstacle of a setting that switches all hooks off, in the file `where`."""
    return Obstacle(f"{name} is set: no hook runs", place=where, remedy=f"Take {name} out of {where}.")


def gaps(files: HostFiles, place: str, host: str, events: Sequence[str], *, plain_for: str = "") -> list[Obstacle]:
    """Return the obstacles in the file with the hooks: it is not plain JSON, or hooks of some `events` are missing.

    `plain_for` is the title of a host that ignores a file with comments.
    """
    text, where = files.text(files.level, place), files.path(files.level, place)
    if line := hook_entries.odd_line(text) if plain_for else 0:
        says = f"line {line} is {hook_entries.NOT_PLAIN}: {plain_for} ignores the file, and no hook runs"
        return [Obstacle(says, place=where, remedy=f"Remove the comment or comma, then run: {files.install}")]
    try:
        missing = hook_entries.missing(text, host, events, where=where) if text else []
    except DamagedError:
        return []  # reported as damaged settings
    return lacking(files, place, missing, events)


def lacking(files: HostFiles, place: str, missing: Sequence[str], events: Sequence[str]) -> list[Obstacle]:
    """Return the obstacle that the file at `place` does not handle the `missing` ones of all `events`."""
    if not missing:
        return []
    says = f"{len(missing)} of {len(events)} are missing, so these events are not recorded: {', '.join(missing)}"
    return [Obstacle(says, place=files.path(files.level, place), remedy=files.install)]


def is_below(folder: str, trusted: object) -> bool:
    """Return whether one of the `trusted` paths, a list or the keys of an object, is this folder or holds it."""
    paths = [path.rstrip("/") for path in trusted if isinstance(path, str)] if isinstance(trusted, list | dict) else []
    return any(folder == path or folder.startswith(f"{path}/") for path in paths)


def is_trusted(folder: str, stated: Any) -> bool:
    """Return whether the host trusts the folder by `stated` (path → level): its own entry or the nearest one above."""
    rules = stated if isinstance(stated, dict) else {}
    best = ("", False)
    for path, level in rules.items():
        above = path.rstrip("/").rpartition("/")[0] if level == _PARENT else path.rstrip("/")
        if (folder == above or folder.startswith(f"{above}/")) and len(above) >= len(best[0]):
            best = (above, level != _NO)
    return best[1]
