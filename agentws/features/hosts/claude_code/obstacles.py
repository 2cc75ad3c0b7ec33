"""Obstacles in Claude Code: hooks switched off by `disableAllHooks`, or a folder that is not trusted. Pure."""

from __future__ import annotations

from agentws.core.hosts import block
from agentws.core.hosts.plan import PROJECT, USER
from agentws.features.hosts.claude_code import settings
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
    pages = (settings.INSTRUCTIONS, settings.ASIDE) if level == PROJECT else (settings.INSTRUCTIONS,)
    return (*(place for at, place in _PLACES if at == level), *pages, *(_STATES if level == USER else ()))


def find(present: Settings) -> list[Obstacle]:
    """Return the obstacles that keep Claude Code from running the hooks, and the agent from knowing what they do."""
    place = settings.hooks_file(present.level)
    gaps = obstacles.gaps(present, place, settings.HOST, settings.EVENTS, plain_for="Claude Code")
    return [*gaps, *_no_block(present), *(obstacles.switched_off(present, _PLACES) or _untrusted(present))]


def _no_block(present: Settings) -> list[Obstacle]:
    """Return the obstacle that no instructions file has agentws's block any more."""
    pages = [page for page in places(present.level) if page in (settings.INSTRUCTIONS, settings.ASIDE)]
    if any(block.body_of(present.text(present.level, page), settings.HOST) is not None for page in pages):
        return []
    where = f"{present.folders.get(present.level, '')}/{settings.INSTRUCTIONS}"
    return [Obstacle("their instructions for the agent are missing", place=where, remedy=present.install)]


def _untrusted(present: Settings) -> list[Obstacle]:
    """Return the obstacle of an untrusted folder; `claude -p` never asks for trust, and runs the hooks anyway."""
    place = next((place for place in _STATES if present.text(USER, place)), "")
    if present.level != PROJECT or not place:
        return []
    folder, own = present.folders[PROJECT], present.folders[USER]
    where = f"{own.rpartition('/')[0]}/{place[3:]}" if place.startswith("../") else f"{own}/{place}"
    value = obstacles.value(present.text(USER, place), ("projects",))
    above = [folder[:at] for at, char in enumerate(folder) if char == "/" and at] + [folder]
    projects = [value.get(path) for path in above] if isinstance(value, dict) else []
    if any(isinstance(project, dict) and project.get(_TRUSTED) is True for project in projects):
        return []
    says = f"{folder} is not trusted yet; headless runs work anyway"
    remedy = "Start claude there once and trust the folder."
    return [Obstacle(says, place=where, remedy=remedy, untrusted=True, asks=True)]


def memory(present: Settings) -> tuple[str, str]:
    """Return (the folder of Claude Code's own memory, the settings file that names it); both empty if none does."""
    for level, place in _PLACES:
        value = obstacles.value(present.text(level, place), (_MEMORY,))
        if isinstance(value, str) and value:
            return value, f"{present.folders[level]}/{place}"
    return "", ""
