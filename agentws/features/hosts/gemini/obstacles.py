"""Obstacles in Gemini CLI: hooks switched off in its settings, or a folder that it does not trust. Pure."""

from __future__ import annotations

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features.hosts.family.obstacles import gaps, is_trusted, value
from agentws.features.hosts.gemini.settings import EVENTS, HOST
from agentws.features.hosts.obstacles import Obstacle, Settings

_SETTINGS = {PROJECT: ".gemini/settings.json", USER: "settings.json"}
_FOLDERS = "trustedFolders.json"
_SWITCHES = (("hooksConfig", "enabled"), ("tools", "enableHooks"))
_ONES_OFF = ("hooksConfig", "disabled")
_TRUST = ("security", "folderTrust", "enabled")
_OURS = "agentws"


def places(level: str) -> tuple[str, ...]:
    """Return the files that may show an obstacle in Gemini CLI."""
    return (_SETTINGS[PROJECT],) if level == PROJECT else (_SETTINGS[USER], _FOLDERS)


def find(settings: Settings) -> list[Obstacle]:
    """Return the obstacles that keep Gemini CLI from running the hooks."""
    obstacles = gaps(settings, _SETTINGS[settings.level], HOST, EVENTS)
    for level, place in _SETTINGS.items():
        text = settings.text(level, place)
        where = f"{settings.folders.get(level, '')}/{place}"
        for path in _SWITCHES:
            if value(text, path) is False:
                name = ".".join(path)
                obstacles.append(Obstacle(f"{name} is false: no hook runs", place=where, remedy=f"Set {name} to true."))
        named = value(text, _ONES_OFF)
        off = [item for item in named if isinstance(item, str) and _OURS in item] if isinstance(named, list) else []
        if off:
            says = f"{len(off)} of the agentws hooks are switched off: {off[0]}"
            obstacles.append(Obstacle(says, place=where, remedy="Run in Gemini CLI: /hooks enable-all"))
    return obstacles + _trust(settings)


def _trust(settings: Settings) -> list[Obstacle]:
    """Return the obstacle of a folder that Gemini CLI does not trust: its hooks do not run unless trust is off."""
    asks = value(settings.text(USER, _SETTINGS[USER]), _TRUST) is not False
    if settings.level != PROJECT or USER not in settings.folders or not asks:
        return []
    folder = settings.folders[PROJECT]
    if is_trusted(folder, value(settings.text(USER, _FOLDERS), ())):
        return []
    where = f"{settings.folders.get(USER, '')}/{_FOLDERS}"
    says = f"the folder {folder} is not trusted, so none of its hooks run"
    return [
        Obstacle(
            says, place=where, remedy="Start gemini there, and trust the folder: /permissions trust", untrusted=True
        )
    ]
