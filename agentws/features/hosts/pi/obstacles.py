"""Obstacles in Pi: events that its extension does not listen to, or a folder that it does not trust. Pure."""

from __future__ import annotations

from agentws.core.hosts.plan import PROJECT, USER
from agentws.features.hosts.family import obstacles
from agentws.features.hosts.obstacles import Obstacle, Settings
from agentws.features.hosts.pi.settings import EVENTS

_EXTENSION = {PROJECT: ".pi/extensions/agentws.js", USER: "extensions/agentws.js"}
_DECISIONS, _SETTINGS = "trust.json", "settings.json"
_USUAL, _ALWAYS = "defaultProjectTrust", "always"


def places(level: str) -> tuple[str, ...]:
    """Return the files that may show an obstacle in Pi."""
    return (_EXTENSION[level], *((_DECISIONS, _SETTINGS) if level == USER else ()))


def find(settings: Settings) -> list[Obstacle]:
    """Return the obstacles that keep Pi from running the extension, or the extension from hearing events."""
    return [*obstacles.plugin_gaps(settings, _EXTENSION[settings.level], EVENTS), *_trust(settings)]


def _trust(settings: Settings) -> list[Obstacle]:
    """Return the obstacle of a folder that Pi does not trust: the nearest decision counts, that of a parent too."""
    if settings.level != PROJECT or USER not in settings.folders:
        return []
    folder = settings.folders[PROJECT]
    value = obstacles.value(settings.text(USER, _DECISIONS), ())
    usual = obstacles.value(settings.text(USER, _SETTINGS), (_USUAL,)) == _ALWAYS
    if _decision(folder, value if isinstance(value, dict) else {}, usual=usual):
        return []
    where = f"{settings.folders[USER]}/{_DECISIONS}"
    says = f"the folder {folder} is not trusted, so its extension does not run"
    return [Obstacle(says, place=where, remedy="Start pi there, and trust the folder: /trust", untrusted=True)]


def _decision(folder: str, fields: dict[str, object], *, usual: bool) -> bool:
    """Return whether Pi trusts the folder by `fields` (path → decision), or by its `usual` answer."""
    while True:
        decision = fields.get(folder or "/")
        if isinstance(decision, bool):
            return decision
        if not folder:
            return usual
        folder = folder.rpartition("/")[0]
