"""Why Claude Code would not run hooks: `disableAllHooks` in one of its settings. Pure."""

from __future__ import annotations

from agentws.errors import DamagedError
from agentws.formats import jsonsplice
from agentws.hosts.obstacles import Obstacle, Settings
from agentws.hosts.plan import PROJECT, USER

_OFF = "disableAllHooks"
_MEMORY = "autoMemoryDirectory"
_PLACES = (
    (PROJECT, ".claude/settings.local.json"),
    (PROJECT, ".claude/settings.json"),
    (USER, "settings.json"),
)
"""Where it may stand; what comes first wins."""


def places(level: str) -> tuple[str, ...]:
    """Each place that may say something of it."""
    return tuple(place for at, place in _PLACES if at == level)


def find(settings: Settings) -> list[Obstacle]:
    """What keeps the hooks from running."""
    for level, place in _PLACES:
        said = _said(settings.text(level, place), place)
        if said is not None:
            where = f"{settings.folders[level]}/{place}"
            remedy = f"Take {_OFF} out of {where}."
            return [Obstacle(f"{_OFF} is set: no hook runs", place=where, remedy=remedy)] if said is True else []
    return []


def memory(settings: Settings) -> tuple[str, str]:
    """(folder in which it keeps its own memory, place that says so); empty where nothing does."""
    for level, place in _PLACES:
        said = _said(settings.text(level, place), place, _MEMORY)
        if isinstance(said, str) and said:
            return said, f"{settings.folders[level]}/{place}"
    return "", ""


def _said(text: str, place: str, key: str = _OFF) -> object:
    try:
        return jsonsplice.value_at(text, (key,), where=place)
    except DamagedError:
        return None
