"""What GitHub Copilot CLI (1.0) says to its hooks: Claude Code's format, where events have Claude Code's names. Pure.

A call of a tool has no name. What an agent within the agent does comes with a session of its own, and names the one
that sent it.
"""

from __future__ import annotations

from agentws.features.hosts import call
from agentws.features.hosts.family.speech import Speech

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.call import Call, Fields

END_S = 10.0  # it waits for as long as the entry in its settings says
TAKES = frozenset(("SessionStart",))
BOOTS_LATER: frozenset[str] = frozenset()  # it takes no text there
ASKS = frozenset(("Stop",))
ASKS_LATER = False
HEADLESS = ("copilot", "-p", "--prompt")
TAKES_ALL = False
DAEMON = False
IN_FULL = False
SCRIPTED = ("", "")

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
tell, decide = _HOST.tell, _HOST.decide


def read(event: str, fields: Fields) -> Call:
    """Return this event as a call; `fields` is the object from standard input."""
    above = fields.get(_ABOVE)
    if not isinstance(above, str) or not above:
        return _HOST.read(event, fields)
    return _HOST.read("" if event in _OF_THE_AGENT_ITSELF else event, {**fields, "session_id": above})
