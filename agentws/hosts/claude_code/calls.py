"""What Claude Code (2.1) says to its hooks, and what it takes from them. Pure.

A text in JSON reaches the model as additional context; before a compaction only plain text reaches the summarizer.
"""

from __future__ import annotations

from agentws.formats import plainjson
from agentws.hosts import call
from agentws.hosts.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.hosts.call import Fields

END_S = 10.0
"""So long the end of a session may take: the entry in its settings has it wait for longer."""
TAKES = frozenset(("SessionStart", "UserPromptSubmit", "PreCompact"))
"""The events at which it takes a text for the agent."""
BOOTS_LATER: frozenset[str] = frozenset()
"""The events after which a boot waits for the next prompt: none, for it starts the session again after a compaction."""
ASKS = frozenset(("Stop",))
"""The events at which it can be told to go on, with a text that says with what."""
TAKES_ALL = False
"""Whether its settings, as install writes them, make it take a text of any size where a session begins."""

_PLAIN = "PreCompact"
_EVENTS = {
    "SessionStart": call.STARTED,
    "UserPromptSubmit": call.PROMPT,
    "PreToolUse": call.ACTION,
    "PostToolUse": call.RESULT,
    "PostToolUseFailure": call.ERROR,
    "Stop": call.REPLY,
    "PreCompact": call.COMPACTING,
    "PostCompact": call.COMPACTED,
    "SessionEnd": call.ENDED,
}
_WORDS = {
    call.PROMPT: "prompt",
    call.REPLY: "last_assistant_message",
    call.ERROR: "error",
    call.COMPACTED: "compact_summary",
}
_REASONS = {call.STARTED: "source", call.ENDED: "reason"}
_PROGRAMS = ("<task-notification>", "<local-command-stdout>", "<local-command-stderr>", "<system-reminder>")
"""How a prompt begins that the host made itself: a task in the background ended, a command of its own printed."""


def read(event: str, fields: Fields) -> Call:
    """What this event says; `fields` is the object that stood on standard input."""
    what = _EVENTS.get(event, call.NOTHING)
    return Call(
        what,
        session=fields.get("session_id"),
        text=fields.get(_WORDS.get(what, "")),
        tool=fields.get("tool_name"),
        input=fields.get("tool_input"),
        output=fields.get("tool_response"),
        call=fields.get("tool_use_id"),
        source=fields.get(_REASONS.get(what, "trigger")),
        folder=fields.get("cwd"),
        goes_on=fields.get("stop_hook_active"),
        made_by_programs=_PROGRAMS,
    )


def tell(event: str, text: str) -> str:
    """What stands on standard output for this event; `text` is for the agent, empty for nothing."""
    if event == _PLAIN:
        return text
    if not text:
        return call.NEUTRAL
    if event in ASKS:
        return call.going_on(text)
    return plainjson.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}) + "\n"
