"""The closing section of boot's text: what the agent writes into its memory, when, and with which command. Pure.

If the host records by itself, the section says so; its length depends on the budget.
"""

from __future__ import annotations

from agentws.core.text.sanitize import one_line
from agentws.features.boot.plan import frame_mark
from agentws.features.boot.plan.allocate import MEDIUM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.tokens.counters import Measure
    from agentws.features.boot.plan.allocate import Budget

COMMAND = "agentws"
_SHARE = 200
"""A reader without a host pays at most this part of its room for a line."""
_LEAST_TOKENS = 400
_HEADING = "Record as you go"
_BRIEF = 'Record as you go: `{0} log "…"`, `todo`, `done`, `remember`, `task`, `handoff`. No secrets.\n'
_FULL = (
    '`{0} log "what happened"` (`--kind decision`, `lesson`) · `todo "…"`, `done WORDS` · '
    '`remember "what stays true"` · `task add "work of several steps"` · '
    '`handoff --doing "…" --next "…"` before you stop mid-task · `curate` when asked. {1}No secrets.\n'
)
_RECORDED = "{} are recorded automatically. "
_ELSEWHERE = "Begin every command like the first one. "


def section(recorded: str | None, command: str, budget: Budget, measure: Measure) -> str:
    """Return the closing section; `recorded` is what the host records, None without a host.

    `command` is what the agent types for `agentws`.
    """
    command = one_line(command)
    brief = _BRIEF.format(command)
    if recorded is None:
        return f"\n{brief}" if measure(brief) * _SHARE <= budget.room else ""
    if budget.tokens < _LEAST_TOKENS:
        return ""
    if budget.tokens < MEDIUM:
        return f"\n{brief}"
    more = _RECORDED.format(recorded) + (_ELSEWHERE if command != COMMAND else "")
    return f"\n{frame_mark.heading(_HEADING)}{_FULL.format(command, more)}"


def signed(text: str, word: str) -> str:
    """Return the section with its mark, if it has a heading."""
    return f"\n{frame_mark.signed(text[1:], word)}" if text.startswith("\n#") else text
