"""Gemini CLI's settings as `install` writes them: hooks and allowed commands in settings.json, the skill. Pure.

Facts of Gemini CLI 0.6x: timeouts are in milliseconds, hooks may have a name; it takes a text of any size. It asks
about redirects and chains of allowed commands. `tools.allowed` is deprecated, but its policy files count at home only.
"""

from __future__ import annotations

from agentws.core.hosts.plan import USER, Wiring
from agentws.features.hosts.family.nested import Nested

HOST = "gemini"
EVENTS = ("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd")

_ROW = Nested(
    HOST,
    EVENTS,
    folder=".gemini",
    file="settings.json",
    homes=(("GEMINI_CLI_HOME", ".gemini"), ("HOME", ".gemini")),
    signs=("GEMINI.md", ".gemini"),
    timeouts={"SessionStart": 30_000, "PreCompress": 30_000},
    usual_timeout=10_000,
    project="GEMINI_PROJECT_DIR",
    permissions=("tools", "allowed"),
    named=True,
)
home, signs, places = _ROW.home, _ROW.signs, _ROW.places
install, uninstall, wired, allowed, rules = _ROW.install, _ROW.uninstall, _ROW.wired, _ROW.allowed, _ROW.rules


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in Gemini CLI after install."""
    shown = "`/hooks panel` in Gemini CLI shows the hooks and whether they ran."
    if wiring.level == USER:
        return (shown,)
    trust = "Gemini CLI runs hooks only in trusted folders: start `gemini`, then /permissions trust."
    return (trust, "With --skip-trust the session runs without the folder's hooks.", shown)
