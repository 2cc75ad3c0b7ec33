"""Obstacles in Claude Code: hooks switched off by `disableAllHooks`, or a folder that is not trusted. Pure."""

from __future__ import annotations

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features.hosts.family import obstacles
from agentws.features.hosts.obstacles import Obstacle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.obstacles import Settings

_MEMORY = "autoMemoryDirectory"
_PLACES = (
    (PROJECT, ".claude/settings.local.json"),
    (PROJECT, ".claude/settings.json"),
    (USER, "settings.json"),
)
"""The settings files that may set the switch; the first one that does decides."""


_STATES = (".claude.json", "../.claude.json")
"""Claude Code's list of trusted folders: in its settings folder if CLAUDE_CONFIG_DIR names that, else beside it."""
_TRUSTED = "hasTrustDialogAccepted"


def places(level: str) -> tuple[str, ...]:
    """Return the files that may show an obstacle in Claude Code."""
    return (*(place for at, place in _PLACES if at == level), *(_STATES if level == USER else ()))


def find(settings: Settings) -> list[Obstacle]:
    """Return the obstacles that keep Claude Code from running the hooks."""
    return obstacles.switched_off(settings, _PLACES) or _untrusted(settings)


def _untrusted(settings: Settings) -> list[Obstacle]:
    """Return the obstacle of an untrusted folder; `claude -p` never asks for trust, and runs the hooks anyway."""
    place = next((place for place in _STATES if settings.text(USER, place)), "")
    if settings.level != PROJECT or not place:
        return []
    folder, where = settings.folders[PROJECT], f"{settings.folders[USER]}/{place}"
    told = obstacles.value(settings.text(USER, place), ("projects",))
    above = [folder[:at] for at, char in enumerate(folder) if char == "/" and at] + [folder]
    projects = [told.get(path) for path in above] if isinstance(told, dict) else []
    if any(isinstance(project, dict) and project.get(_TRUSTED) is True for project in projects):
        return []
    says = f"{folder} is not trusted yet; headless runs work anyway"
    remedy = "Start claude there once and trust the folder."
    return [Obstacle(says, place=where, remedy=remedy, untrusted=True, asks=True)]


def memory(settings: Settings) -> tuple[str, str]:
    """Return (the folder of Claude Code's own memory, the settings file that names it); both empty if none does."""
    for level, place in _PLACES:
        said = obstacles.value(settings.text(level, place), (_MEMORY,))
        if isinstance(said, str) and said:
            return said, f"{settings.folders[level]}/{place}"
    return "", ""
