"""What GitHub Copilot CLI (1.0) says to its hooks: Claude Code's format, where events have Claude Code's names. Pure.

A call of a tool has no name. What an agent within the agent does comes with a session of its own, and names the one
that sent it.
"""

from __future__ import annotations

from agentws.hosts import call
from agentws.hosts.family.speech import Speech

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.hosts.call import Call, Fields

END_S = 10.0
"""So long the end of a session may take: it waits for as long as the entry in its settings says."""
TAKES = frozenset(("SessionStart",))
"""The events at which it takes a text for the agent."""
BOOTS_LATER: frozenset[str] = frozenset()
"""The events after which a boot waits for the next prompt: none, for it takes no text there."""
ASKS = frozenset(("Stop",))
"""The events at which it can be told to go on, with a text that says with what."""
TAKES_ALL = False
"""Whether its settings, as install writes them, make it take a text of any size where a session begins."""
DAEMON = False
"""Whether its process serves several sessions and goes on when nobody works in one: no."""

_HOST = Speech(
    "copilot",
    {
        "SessionStart": call.STARTED,
        "UserPromptSubmit": call.PROMPT,
        "PreToolUse": call.ACTION,
        "PostToolUse": call.RESULT,
        "PostToolUseFailure": call.ERROR,
        "SubagentStop": call.STOPPED,
        "Stop": call.REPLY,
        "PreCompact": call.COMPACTING,
        "SessionEnd": call.ENDED,
    },
    takes=TAKES,
    asks=ASKS,
    output=("tool_result", "text_result_for_llm"),
    calls=(),
    is_flat=True,
)
_ABOVE = "parent_agent_id"
_OF_THE_AGENT_ITSELF = ("UserPromptSubmit", "Stop")
"""What an agent within it is asked is the call that sent it; that it is done has an event of its own."""
tell = _HOST.tell


def read(event: str, fields: Fields) -> Call:
    """Return this event as a call; `fields` is the object from standard input."""
    above = fields.get(_ABOVE)
    if not isinstance(above, str) or not above:
        return _HOST.read(event, fields)
    return _HOST.read("" if event in _OF_THE_AGENT_ITSELF else event, {**fields, "session_id": above})
