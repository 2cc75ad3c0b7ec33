"""Why OpenClaw would not load the hook: nobody enabled it, or hooks are switched off. Pure.

That stands in OpenClaw's own settings. Where they are not here the gateway runs elsewhere, and nothing can be told; nor
where they are written as only JSON5 may be.
"""

from __future__ import annotations

from agentws.errors import DamagedError
from agentws.formats import jsonsplice
from agentws.hosts.obstacles import Obstacle, Settings
from agentws.hosts.openclaw import handler
from agentws.hosts.plan import PROJECT, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SETTINGS = "openclaw.json"
_ENABLE = f"openclaw hooks enable {handler.NAME}"


def places(level: str) -> tuple[str, ...]:
    """Each place that may say something of it."""
    return (_SETTINGS,) if level == USER else ()


def find(settings: Settings) -> list[Obstacle]:
    """What keeps the hook from being loaded."""
    text = settings.text(USER, _SETTINGS)
    if not text.strip():
        return []
    try:
        told = _table(jsonsplice.value_at(text, ("hooks", "internal"), where=_SETTINGS))
    except DamagedError:
        return []
    where = f"{settings.folders[USER]}/{_SETTINGS}"
    entries = _table(told.get("entries"))
    enabled = _table(entries.get(handler.NAME)).get("enabled")
    if told.get("enabled") is False:
        return [Obstacle("hooks.internal.enabled is false: no hook is loaded", place=where, remedy=_ENABLE)]
    if enabled is False:
        return [Obstacle(f"{handler.NAME} is switched off", place=where, remedy=_ENABLE)]
    # Of its own folder it loads a hook that is not named, where it loads any and names none.
    goes_unnamed = told.get("enabled") is True and not entries
    goes_unnamed = settings.level != PROJECT and (goes_unnamed or bool(_table(told.get("load")).get("extraDirs")))
    if enabled is True or goes_unnamed:
        return []
    return [
        Obstacle(f"{handler.NAME} was never enabled, so it is not loaded", place=where, remedy=_ENABLE, untrusted=True)
    ]


def _table(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}
