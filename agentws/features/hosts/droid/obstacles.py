"""Obstacles in Droid: hooks switched off, replaced by those in hooks.json, or a folder that it does not trust. Pure."""

from __future__ import annotations

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features.hosts.droid.settings import EVENTS, HOST
from agentws.features.hosts.family import obstacles
from agentws.features.hosts.obstacles import Obstacle, Settings

_SETTINGS = "settings.json"
_INSTEAD = ("hooks.json", "hooks/hooks.json")
"""The files whose hooks replace those of settings.json at the same event; the first that exists counts."""
_OFF = "hooksDisabled"
_TRUSTED = "trustedFolders"


def places(level: str) -> tuple[str, ...]:
    """Return the files that may show an obstacle in Droid."""
    return tuple(_at(level, name) for name in (_SETTINGS, *_INSTEAD))


def find(settings: Settings) -> list[Obstacle]:
    """Return the obstacles that keep Droid from running the hooks."""
    gaps = obstacles.gaps(settings, _at(settings.level, _SETTINGS), HOST, EVENTS)
    return [*gaps, *_switched_off(settings), *_replaced(settings), *_trust(settings)]


def _at(level: str, name: str) -> str:
    return name if level == USER else f".factory/{name}"


def _switched_off(settings: Settings) -> list[Obstacle]:
    for level in (PROJECT, USER):
        for name, path in ((_SETTINGS, ("hooks", _OFF)), *((name, (_OFF,)) for name in _INSTEAD)):
            if obstacles.value(settings.text(level, _at(level, name)), path) is True:
                where = f"{settings.folders[level]}/{_at(level, name)}"
                return [Obstacle(f"{_OFF} is set: no hook runs", place=where, remedy=f"Take {_OFF} out of {where}.")]
    return []


def _replaced(settings: Settings) -> list[Obstacle]:
    name = next((name for name in _INSTEAD if settings.text(settings.level, _at(settings.level, name))), "")
    there = obstacles.value(settings.text(settings.level, _at(settings.level, name)), ()) if name else None
    events = [event for event in EVENTS if isinstance(there, dict) and event in there]
    if not events:
        return []
    where = f"{settings.folders[settings.level]}/{_at(settings.level, name)}"
    says = f"{where} has hooks for {', '.join(events)}, which Droid runs instead of those of {_SETTINGS}"
    return [Obstacle(says, place=where, remedy=f"Move these hooks into the object `hooks` of {_SETTINGS}.")]


def _trust(settings: Settings) -> list[Obstacle]:
    value = obstacles.value(settings.text(USER, _SETTINGS), (_TRUSTED,))
    if settings.level != PROJECT or USER not in settings.folders:
        return []
    folder = settings.folders[PROJECT]
    trusted = [item.rstrip("/") for item in value] if isinstance(value, dict) else []
    if any(folder == parent or folder.startswith(f"{parent}/") for parent in trusted):
        return []
    says = f"the folder {folder} is not trusted; Droid asks when it starts there"
    where = f"{settings.folders[USER]}/{_SETTINGS}"
    return [Obstacle(says, place=where, remedy="Start droid there, and trust the folder", untrusted=True, asks=True)]
