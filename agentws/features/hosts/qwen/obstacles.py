"""Obstacles in Qwen Code: hooks switched off in its settings, or a folder that it does not trust. Pure."""

from __future__ import annotations

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features.hosts.family import obstacles
from agentws.features.hosts.obstacles import Obstacle, Settings
from agentws.features.hosts.qwen.settings import EVENTS, HOST

_SETTINGS = ((PROJECT, ".qwen/settings.json"), (USER, "settings.json"))
_FOLDERS = "trustedFolders.json"
_TRUST = ("security", "folderTrust", "enabled")


def places(level: str) -> tuple[str, ...]:
    """Return the files that may show an obstacle in Qwen Code."""
    return (".qwen/settings.json",) if level == PROJECT else ("settings.json", _FOLDERS)


def find(settings: Settings) -> list[Obstacle]:
    """Return the obstacles that keep Qwen Code from running the hooks."""
    gaps = obstacles.gaps(settings, dict(_SETTINGS)[settings.level], HOST, EVENTS)
    return [*gaps, *obstacles.switched_off(settings, _SETTINGS), *_trust(settings)]


def _trust(settings: Settings) -> list[Obstacle]:
    """Return the obstacle of a folder that Qwen Code does not trust: its hooks do not run if folder trust is on."""
    asks = obstacles.value(settings.text(USER, "settings.json"), _TRUST) is True
    if settings.level != PROJECT or USER not in settings.folders or not asks:
        return []
    folder = settings.folders[PROJECT]
    if obstacles.is_trusted(folder, obstacles.value(settings.text(USER, _FOLDERS), ())):
        return []
    where = f"{settings.folders.get(USER, '')}/{_FOLDERS}"
    says = f"the folder {folder} is not trusted, so none of its hooks run"
    return [Obstacle(says, place=where, remedy="Start qwen there, and trust the folder: /permissions", untrusted=True)]
