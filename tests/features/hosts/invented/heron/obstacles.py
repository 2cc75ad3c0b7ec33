"""Why Heron would not run hooks: switched off in its settings."""

from __future__ import annotations

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features.hosts.family import obstacles
from agentws.features.hosts.obstacles import Obstacle, Settings

_SETTINGS = ((PROJECT, ".heron/settings.json"), (USER, "settings.json"))


def places(level: str) -> tuple[str, ...]:
    """Each place that may say something of it."""
    return (dict(_SETTINGS)[level],)


def find(settings: Settings) -> list[Obstacle]:
    """Return what keeps the hooks from running."""
    return obstacles.switched_off(settings, _SETTINGS)
