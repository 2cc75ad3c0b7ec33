"""Obstacles in Codex: hooks switched off, the project not trusted, or the hooks never reviewed. Pure.

The user's config.toml lists what Codex trusts: the reviewed hash of each hook, under the file's path and the hook's
position in it. Only Codex can tell whether that hash still matches the hook.
"""

from __future__ import annotations

from agentws.core.formats.json import splice
from agentws.core.hosts import plan
from agentws.core.hosts.plan import PROJECT, USER
from agentws.errors import DamagedError
from agentws.features.hosts.codex.settings import EVENTS, HOST
from agentws.features.hosts.family import obstacles
from agentws.features.hosts.obstacles import Obstacle, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CONFIG = {PROJECT: ".codex/config.toml", USER: "config.toml"}
_HOOKS = {PROJECT: ".codex/hooks.json", USER: "hooks.json"}
_SWITCHES = ("hooks", "codex_hooks")
_MOST_CHARS = 1 << 18
_REVIEW = 'Start codex, wait for "Hooks need review", press 2, then Enter.'


def places(level: str) -> tuple[str, ...]:
    """Return the files that may show an obstacle in Codex: config.toml and hooks.json."""
    return (_CONFIG[level], _HOOKS[level]) if level in _CONFIG else ()


def find(settings: Settings) -> list[Obstacle]:
    """Return the obstacles that keep Codex from running the hooks."""
    gaps = obstacles.gaps(settings, _HOOKS[settings.level], HOST, EVENTS, plain_for="Codex")
    user = _table(settings.text(USER, _CONFIG[USER]))
    if user is None or USER not in settings.folders:
        return gaps  # settings that cannot be read show no obstacle
    where = f"{settings.folders[USER]}/{_CONFIG[USER]}"
    off = [name for name in _SWITCHES if _within(user, "features").get(name) is False]
    if off:
        remedy = f"Set {off[0]} = true under [features] in {where}."
        return [*gaps, Obstacle(f"features.{off[0]} is false: no hook runs", place=where, remedy=remedy)]
    if settings.level == PROJECT and not _is_trusted(user, settings.folders[PROJECT]):
        says = f"{settings.folders[PROJECT]} is not trusted by Codex, so none of its hooks run"
        asked = Obstacle(says, place=where, remedy="Start codex there, and trust the folder.", untrusted=True)
        return [*gaps, asked]
    return [*gaps, *_reviewed(settings, user, where)]


def _reviewed(settings: Settings, user: dict[str, Any], where: str) -> list[Obstacle]:
    place = _HOOKS[settings.level]
    hooks = f"{settings.folders[settings.level]}/{place}"
    states = _within(_within(user, "hooks"), "state")
    ours = [_within(states, f"{hooks}:{key}") for key in _keys(settings.text(settings.level, place), place)]
    missing = sum(not state.get("trusted_hash") for state in ours)
    if missing:
        says = f"{missing} of the {len(ours)} hooks in {hooks} were never trusted"
        return [Obstacle(says, place=where, remedy=_REVIEW, untrusted=True)]
    off = sum(state.get("enabled") is False for state in ours)
    if off:
        says = f"{off} of the {len(ours)} hooks in {hooks} are switched off"
        return [Obstacle(says, place=where, remedy="Switch the hooks on in Codex: /hooks")]
    return []


def _keys(text: str, place: str) -> list[str]:
    """Return Codex's key of each agentws hook in a file: event, group, index in it, like `session_start:0:0`."""
    try:
        events = splice.value_at(text, ("hooks",), where=place)
    except DamagedError:
        return []
    return [
        f"{_snake(event)}:{number}:{at}"
        for event, groups in _items(events)
        for number, group in enumerate(groups if isinstance(groups, list) else ())
        for at, hook in enumerate(group.get("hooks", ()) if isinstance(group, dict) else ())
        if isinstance(hook, dict) and plan.read(str(hook.get("command")), "codex")
    ]


def _items(result: Any) -> list[tuple[str, Any]]:
    return list(result.items()) if isinstance(result, dict) else []


def _snake(event: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in event).lstrip("_")


def _is_trusted(user: dict[str, Any], folder: str) -> bool:
    """Return whether Codex trusts the folder, or one that holds it."""
    projects = _within(user, "projects")
    trusted = [
        path for path, value in projects.items() if isinstance(value, dict) and value.get("trust_level") == "trusted"
    ]
    return any(folder == path or folder.startswith(path.rstrip("/") + "/") for path in trusted)


def _within(table: dict[str, Any], key: str) -> dict[str, Any]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def _table(text: str) -> dict[str, Any] | None:
    """Return the content of config.toml, None if it cannot be read."""
    import tomllib

    if len(text) > _MOST_CHARS:
        return None
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
