"""What `install` writes for Heron: hooks in settings.json, and the skill."""

from __future__ import annotations

from agentws.core.hosts.plan import Wiring, no_rules
from agentws.features.hosts.family.nested import Nested

EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd")

_ROW = Nested(
    "heron",
    EVENTS,
    folder=".heron",
    file="settings.json",
    homes=(("HERON_HOME", ""), ("HOME", ".heron")),
    signs=("HERON.md",),
    timeouts={"SessionStart": 30},
)
home, signs, places = _ROW.home, _ROW.signs, _ROW.places
install, uninstall, wired, allowed = _ROW.install, _ROW.uninstall, _ROW.wired, _ROW.allowed
rules = no_rules


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person has still to do."""
    return ("Start `heron`.",)
