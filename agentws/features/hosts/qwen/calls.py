"""Qwen Code's hook calls (0.24): its events, in Claude Code's format. Pure.

Only a prompt with `submitted_prompt` was typed by a person; between two answers of a model Qwen Code reports an empty
one. A call has two ids, of which a batch has the second only.
"""

from __future__ import annotations

from agentws.features.hosts import call
from agentws.features.hosts.family.speech import Speech

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.call import Call, Fields

END_S = 10.0  # it waits as long as the hook's timeout in its settings
TAKES = frozenset(("SessionStart", "UserPromptSubmit"))
ASKS = frozenset(("Stop",))
HEADLESS = ("qwen", "-p", "--prompt")
WAITS = ("UserPromptSubmit", "Stop")
READS = frozenset(("read_file", "read_many_files", "list_directory", "glob", "grep_search", "todo_write"))

_EVENTS = {
    "SessionStart": call.STARTED,
    "UserPromptSubmit": call.PROMPT,
    "PreToolUse": call.ACTION,
    "PostToolUse": call.RESULT,
    "PostToolUseFailure": call.ERROR,
    "PostToolBatch": call.BATCH,
    "SubagentStop": call.STOPPED,
    "Stop": call.REPLY,
    "StopFailure": call.FAILED,
    "PreCompact": call.COMPACTING,
    "PostCompact": call.COMPACTED,
    "SessionEnd": call.ENDED,
}
_DONE, _SHELL = "success", "run_shell_command"


def _answer(fields: Fields) -> tuple[object, bool]:
    """Return the result of a batch's call as the agent gets it, also if refused or aborted, and whether it failed."""
    value = call.within(fields, "tool_response", "error")
    return value or call.within(fields, "tool_response", "result_display"), fields.get("status") != _DONE


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
tell, decide = _HOST.tell, _HOST.decide


def read(event: str, fields: Fields) -> Call:
    """Return Qwen Code's event as a `Call`; `fields` is the object from standard input."""
    result = _HOST.read(event, fields)
    if result.what == call.RESULT and result.tool == _SHELL:
        from agentws.features.hosts.family import shell_result

        result.output = shell_result.without_fields(result.output)
    return result
