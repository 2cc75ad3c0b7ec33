"""GitHub Copilot CLI's hook calls (1.0): its events, in Claude Code's format and with Claude Code's names. Pure.

A tool call has no id. No hook reports a refused one: if the session ends next, its result is unknown. A subagent's
events come with a session of their own, and name the session that started it.
"""

from __future__ import annotations

from agentws.features.hosts import call
from agentws.features.hosts.family.speech import Speech

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.call import Call, Fields

END_S = 10.0  # it waits as long as the hook's timeout in its settings
TAKES = frozenset(("SessionStart",))
ASKS = frozenset(("Stop",))
HEADLESS = ("copilot", "-p", "--prompt")
WAITS = ("UserPromptSubmit", "Stop")
READS = frozenset(("Read", "Glob", "Grep", "view"))

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
"""Events that are ignored for a subagent: its prompt is the call that started it, its end has another event."""
_FAILED = "error"
tell, decide = _HOST.tell, _HOST.decide


def read(event: str, fields: Fields) -> Call:
    """Return GitHub Copilot CLI's event as a `Call`; `fields` is the object from standard input."""
    above = fields.get(_ABOVE)
    if isinstance(above, str) and above:
        event, fields = "" if event in _OF_THE_AGENT_ITSELF else event, {**fields, "session_id": above}
    result = _HOST.read(event, fields)
    if result.what == call.ENDED and result.source == _FAILED:
        result.text = "Copilot CLI ended the session with an error."
    if result.what == call.RESULT:
        from agentws.features.hosts.family import shell_result

        result.output = shell_result.without_shell_id(result.output)
    return result
