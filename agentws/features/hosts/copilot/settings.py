"""GitHub Copilot CLI's settings as `install` writes them: a file with hooks, and the skill. Pure.

Facts of Copilot CLI 1.0: timeouts are in seconds; it reads each file in `.github/hooks`, and those of Claude Code too.
"""

from __future__ import annotations

from agentws.core.hosts.plan import USER, Wiring, no_rules
from agentws.features.hosts.family.nested import Nested

HOST = "copilot"
EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact",
    "SubagentStop", "Stop", "SessionEnd",
)  # fmt: skip

_ROW = Nested(
    HOST,
    EVENTS,
    folder=".github",
    file="hooks/agentws.json",
    homes=(("COPILOT_HOME", ""), ("HOME", ".copilot")),
    signs=(".github/copilot-instructions.md",),
    timeouts={"SessionStart": 30, "PreCompact": 30, "SessionEnd": 15},
)
home, signs, places = _ROW.home, _ROW.signs, _ROW.places
install, uninstall, wired, allowed = _ROW.install, _ROW.uninstall, _ROW.wired, _ROW.allowed
rules = no_rules


def next_steps(wiring: Wiring) -> tuple[str, ...]:
    """Return what a person still has to do in GitHub Copilot CLI after install."""
    if wiring.level == USER:
        return ("Running sessions do not use agentws yet: start a new session.",)
    return (
        "Start `copilot` in that folder, and trust the folder when asked. Otherwise no hook runs, also with `-p`.",
        "The agent of `copilot -p` may run no command by default. To give it tools: agentws install mcp-json",
    )
