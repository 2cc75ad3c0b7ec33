"""Obstacles that family hosts share: `disableAllHooks`, and folders that are not trusted. Pure."""

from __future__ import annotations

from agentws.core.formats.json import splice
from agentws.errors import DamagedError
from agentws.features.hosts import hook_entries
from agentws.features.hosts.obstacles import Obstacle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agentws.features.hosts.obstacles import Settings

_OFF = "disableAllHooks"
_NO = "DO_NOT_TRUST"
_PARENT = "TRUST_PARENT"


def switched_off(settings: Settings, places: Sequence[tuple[str, str]]) -> list[Obstacle]:
    """Return the obstacle of `disableAllHooks`; of the `places` (level, place), the first file that sets it decides."""
    for level, place in places:
        answer = value(settings.text(level, place), (_OFF,))
        if answer is not None:
            where = f"{settings.folders[level]}/{place}"
            remedy = f"Take {_OFF} out of {where}."
            return [Obstacle(f"{_OFF} is set: no hook runs", place=where, remedy=remedy)] if answer is True else []
    return []


def gaps(settings: Settings, place: str, host: str, events: Sequence[str], *, plain_for: str = "") -> list[Obstacle]:
    """Return the obstacles in the file with the hooks: it is not plain JSON, or hooks of some `events` are missing.

    `plain_for` is the title of a host that ignores a file with comments.
    """
    text, where = settings.text(settings.level, place), f"{settings.folders.get(settings.level, '')}/{place}"
    line = hook_entries.odd_line(text) if plain_for else 0
    if line:
        says = f"line {line} is {hook_entries.NOT_PLAIN}: {plain_for} ignores the file, and no hook runs"
        return [Obstacle(says, place=where, remedy=f"Remove the comment or comma, then run: {settings.install}")]
    try:
        missing = hook_entries.missing(text, host, events, where=where) if text else []
    except DamagedError:
        return []  # reported as damaged settings
    return _lacking(settings, where, missing, events)


def plugin_gaps(settings: Settings, place: str, events: Sequence[str]) -> list[Obstacle]:
    """Return the obstacle that the plugin in a file does not listen to some `events`; none if the file is missing."""
    text = settings.text(settings.level, place)
    missing = [event for event in events if f'on("{event}"' not in text] if text else []
    return _lacking(settings, f"{settings.folders.get(settings.level, '')}/{place}", missing, events)


def _lacking(settings: Settings, where: str, missing: Sequence[str], events: Sequence[str]) -> list[Obstacle]:
    if not missing:
        return []
    says = f"{len(missing)} of {len(events)} are missing, so these events are not recorded: {', '.join(missing)}"
    return [Obstacle(says, place=where, remedy=settings.install)]


def is_trusted(folder: str, stated: Any) -> bool:
    """Return whether the host trusts the folder by `stated` (path → level): its own entry or the nearest one above."""
    rules = stated if isinstance(stated, dict) else {}
    best = ("", False)
    for path, level in rules.items():
        above = path.rstrip("/").rpartition("/")[0] if level == _PARENT else path.rstrip("/")
        if (folder == above or folder.startswith(f"{above}/")) and len(above) >= len(best[0]):
            best = (above, level != _NO)
    return best[1]


def value(text: str, path: tuple[str, ...]) -> Any:
    """Return the value at this path in a settings text, all of it for an empty path; None if missing or unreadable."""
    from agentws.core.formats.json import plainjson

    try:
        return splice.value_at(text, path, where="") if path else plainjson.loads(text)
    except (DamagedError, ValueError, RecursionError):
        return None
