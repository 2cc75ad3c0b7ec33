"""Qwen Code's settings as `install` writes them: hooks in settings.json, and the skill. Pure.

Facts of Qwen Code 0.24: timeouts are in seconds (1,000 or more: in milliseconds); it takes a text of any size.
Its permission for one command also lets through what that command substitutes (`$(…)`): none is written.
"""

from __future__ import annotations

from agentws.core.hosts.plan import USER, Wiring
from agentws.features.hosts.family.nested import Nested

HOST = "qwen"
EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
    "PreCompact", "PostCompact", "SubagentStop", "Stop", "StopFailure", "SessionEnd",
)  # fmt: skip

_ROW = Nested(
    HOST,
    EVENTS,
    folder=".qwen",
    file="settings.json",
    homes=(("QWEN_HOME", ""), ("HOME", ".qwen")),
    signs=("QWEN.md", ".qwen"),
    timeouts={"SessionStart": 30, "PreCompact": 30, "SessionEnd": 15},
    project="QWEN_PROJECT_DIR",
)
home, signs, places = _ROW.home, _ROW.signs, _ROW.places
install, uninstall, wired, allowed, rules = _ROW.install, _ROW.uninstall, _ROW.wired, _ROW.allowed, _ROW.rules


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in Qwen Code after install."""
    shown = "`/hooks` in Qwen Code shows the hooks. `qwen -p` reports no end of a session; the next boot recovers it."
    if wiring.level == USER:
        return (shown,)
    return (
        "If folder trust is switched on in Qwen Code, trust the folder when asked; otherwise no hook runs.",
        shown,
        "The agent of `qwen -p` has no shell. To give it tools: agentws install mcp-json --allow",
    )
