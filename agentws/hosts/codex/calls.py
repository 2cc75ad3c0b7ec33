"""What Codex (0.16x) says to its hooks, and what it takes from them: checked there against closed schemas. Pure."""

from __future__ import annotations

from agentws.formats import plainjson
from agentws.hosts import call
from agentws.hosts.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.hosts.call import Fields

END_S = 3.0
"""So long it waits at the end of a session."""
TAKES = frozenset(("SessionStart", "UserPromptSubmit"))
"""The events at which it takes a text for the agent."""
BOOTS_LATER: frozenset[str] = frozenset()
"""The events after which a boot waits for the next prompt: none, for it starts the session again after a compaction."""
ASKS = frozenset(("Stop",))
"""The events at which it can be told to go on, with a text that says with what."""
TAKES_ALL = True
"""Whether its settings, as install writes them, make it take a text of any size where a session begins."""

_EVENTS = {
    "SessionStart": call.STARTED,
    "UserPromptSubmit": call.PROMPT,
    "PreToolUse": call.ACTION,
    "PostToolUse": call.RESULT,
    "SubagentStop": call.STOPPED,
    "Stop": call.REPLY,
    "PreCompact": call.COMPACTING,
    "PostCompact": call.COMPACTED,
    "SessionEnd": call.ENDED,
}
_WORDS = {
    call.PROMPT: "prompt",
    call.REPLY: "last_assistant_message",
    call.STOPPED: "last_assistant_message",
}
_REASONS = {call.STARTED: "source", call.ENDED: "reason"}


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
        agent=fields.get("agent_id"),
        agent_type=fields.get("agent_type"),
    )


def tell(event: str, text: str) -> str:
    """What stands on standard output for this event; `text` is for the agent, empty for nothing."""
    if text and event in ASKS:
        return call.going_on(text)
    # Whatever its schema of the event does not name, additional context among it, fails the whole hook.
    if not text or event not in TAKES:
        return call.NEUTRAL
    return plainjson.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}) + "\n"
