"""What Qwen Code (0.24) says to its hooks: Claude Code's format. Pure.

Only a prompt with `submitted_prompt` is one that somebody typed; between two answers of a model it tells an empty one.
A call has two names, of which a batch knows the second alone.
"""

from __future__ import annotations

from agentws.features.hosts import call
from agentws.features.hosts.family.speech import Speech

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.call import Fields

END_S = 10.0  # it waits for as long as the entry in its settings says
TAKES = frozenset(("SessionStart", "UserPromptSubmit"))
BOOTS_LATER: frozenset[str] = frozenset()  # it starts the session again after a compaction
ASKS = frozenset(("Stop",))
ASKS_LATER = False
HEADLESS = ("qwen", "-p", "--prompt")
TAKES_ALL = False
DAEMON = False
IN_FULL = False
SCRIPTED = ("", "")

_EVENTS = {
    "SessionStart": call.STARTED,
    "UserPromptSubmit": call.PROMPT,
    "PreToolUse": call.ACTION,
    "PostToolUse": call.RESULT,
    "PostToolUseFailure": call.ERROR,
    "PostToolBatch": call.BATCH,
    "SubagentStop": call.STOPPED,
    "Stop": call.REPLY,
    "PreCompact": call.COMPACTING,
    "PostCompact": call.COMPACTED,
    "SessionEnd": call.ENDED,
}
_DONE = "success"


def _answer(one: Fields) -> tuple[object, bool]:
    """What the agent is told of a call in a batch: also of one that was refused or given up."""
    said = call.within(one, "tool_response", "error")
    return said or call.within(one, "tool_response", "result_display"), one.get("status") != _DONE


_HOST = Speech(
    "qwen",
    _EVENTS,
    takes=TAKES,
    asks=ASKS,
    output=("tool_response", "llmContent"),
    calls=("tool_call_id", "tool_use_id"),
    typed="submitted_prompt",
    batch=_answer,
)
read, tell, decide = _HOST.read, _HOST.tell, _HOST.decide
