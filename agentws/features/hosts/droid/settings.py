"""Droid's settings as `install` writes them: hooks in settings.json, and the skill. Pure.

Facts of Droid 0.215: timeouts are in seconds; it takes a text of any size. Its variable for the project names the
folder in which it was started, which may be below the project. Its permission for a command also lets through a
redirection into any file, and replaces Droid's own list: none is written.
"""

from __future__ import annotations

from agentws.core.hosts.plan import USER, Wiring, no_rules
from agentws.features.hosts.family.nested import Nested

HOST = "droid"
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop", "SessionEnd")

_ROW = Nested(
    HOST,
    EVENTS,
    folder=".factory",
    file="settings.json",
    homes=(("FACTORY_HOME_OVERRIDE", ".factory"), ("HOME", ".factory")),
    signs=(".factory",),
    timeouts={"SessionStart": 30, "PreCompact": 30, "SessionEnd": 15},
)
home, signs, places = _ROW.home, _ROW.signs, _ROW.places
install, uninstall, wired, allowed = _ROW.install, _ROW.uninstall, _ROW.wired, _ROW.allowed
rules = no_rules


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in Droid after install."""
    if wiring.level == USER:
        return ("Running sessions do not use agentws yet: start a new session.",)
    return ("Start `droid` in that folder, and trust the folder when asked. `droid exec` runs the hooks without that.",)
