"""Obstacles in GitHub Copilot CLI: hooks switched off, or a folder that it does not trust. Pure."""

from __future__ import annotations

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features.hosts.copilot.settings import EVENTS, HOST
from agentws.features.hosts.family import obstacles
from agentws.features.hosts.obstacles import Obstacle, Settings

_HOOKS = {PROJECT: ".github/hooks/agentws.json", USER: "hooks/agentws.json"}
_SETTINGS, _FOLDERS = "settings.json", "config.json"
_TRUSTED = "trustedFolders"


def places(level: str) -> tuple[str, ...]:
    """Return the files that may show an obstacle in GitHub Copilot CLI."""
    return (_HOOKS[USER], _SETTINGS, _FOLDERS) if level == USER else (_HOOKS[PROJECT],)


def find(settings: Settings) -> list[Obstacle]:
    """Return the obstacles that keep GitHub Copilot CLI from running the hooks."""
    gaps = obstacles.gaps(settings, _HOOKS[settings.level], HOST, EVENTS)
    return [*gaps, *obstacles.switched_off(settings, ((USER, _SETTINGS),)), *_trust(settings)]


def _trust(settings: Settings) -> list[Obstacle]:
    text = settings.text(USER, _FOLDERS)
    if settings.level != PROJECT or not text:
        return []
    folder, value = settings.folders[PROJECT], obstacles.value(text, (_TRUSTED,))
    trusted = [item.rstrip("/") for item in value if isinstance(item, str)] if isinstance(value, list) else []
    if any(folder == parent or folder.startswith(f"{parent}/") for parent in trusted):
        return []
    says = f"the folder {folder} is not trusted, so none of its hooks run"
    where = f"{settings.folders[USER]}/{_FOLDERS}"
    return [Obstacle(says, place=where, remedy="Start copilot there, and trust the folder", untrusted=True)]
