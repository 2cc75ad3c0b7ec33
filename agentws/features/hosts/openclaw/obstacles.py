"""Obstacles in OpenClaw: the agentws plugin was never enabled, or is switched off. Pure.

OpenClaw's own settings show that. No obstacle is found without them, since the gateway runs elsewhere then, nor if they
are JSON5 that is not JSON.
"""

from __future__ import annotations

from agentws.core.formats.json import splice
from agentws.core.hosts.plan import USER
from agentws.errors import DamagedError
from agentws.features.hosts.obstacles import Obstacle, Settings
from agentws.features.hosts.openclaw import plugin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SETTINGS = "openclaw.json"
_ENABLE = f"openclaw plugins enable {plugin.NAME}"


def places(level: str) -> tuple[str, ...]:
    """Return the file that may show an obstacle in OpenClaw."""
    return (_SETTINGS,) if level == USER else ()


def find(settings: Settings) -> list[Obstacle]:
    """Return the obstacles that keep OpenClaw from loading the plugin."""
    text = settings.text(USER, _SETTINGS)
    if not text.strip():
        return []
    try:
        table = _table(splice.value_at(text, ("plugins",), where=_SETTINGS))
    except DamagedError:
        return []
    where = f"{settings.folders[USER]}/{_SETTINGS}"
    allowed = table.get("allow")
    enabled = _table(_table(table.get("entries")).get(plugin.NAME)).get("enabled")
    if table.get("enabled") is False:
        return [Obstacle("plugins.enabled is false: no plugin is loaded", place=where, remedy=_ENABLE)]
    if enabled is False or plugin.NAME in _list(table.get("deny")):
        return [Obstacle(f"{plugin.NAME} is switched off", place=where, remedy=_ENABLE)]
    if _list(allowed) and plugin.NAME not in _list(allowed):
        return [Obstacle(f"plugins.allow does not name {plugin.NAME}", place=where, remedy=_ENABLE)]
    # It loads the plugins in its own folder unless forbidden, those in a workspace only if enabled.
    if enabled is True or settings.level == USER or _list(allowed):
        return []
    return [
        Obstacle(f"{plugin.NAME} was never enabled, so it is not loaded", place=where, remedy=_ENABLE, untrusted=True)
    ]


def _list(result: Any) -> list[Any]:
    return result if isinstance(result, list) else []


def _table(result: Any) -> dict[str, Any]:
    return result if isinstance(result, dict) else {}
