"""Why Claude Code would not run hooks: `disableAllHooks` in one of its settings. Pure."""

from __future__ import annotations

from agentws.hosts.family import obstacles
from agentws.hosts.plan import PROJECT, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.hosts.obstacles import Obstacle, Settings

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
    return obstacles.switched_off(settings, _PLACES)


def memory(settings: Settings) -> tuple[str, str]:
    """(folder in which it keeps its own memory, place that says so); empty where nothing does."""
    for level, place in _PLACES:
        said = obstacles.value(settings.text(level, place), (_MEMORY,))
        if isinstance(said, str) and said:
            return said, f"{settings.folders[level]}/{place}"
    return "", ""
