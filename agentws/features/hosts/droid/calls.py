"""Droid's hook calls (0.215): its events, in Claude Code's format.

A call has no id. No hook reports a call that failed or was refused, nor the agent's answer: Droid's transcript has
both when the turn ends. When the session ends, an error may be that of a call that was cut off.
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
HEADLESS = ("droid", "exec")
WAITS = ("UserPromptSubmit",)  # its answer is in the transcript
READS = frozenset(("Read", "LS", "Grep", "Glob", "ToolSearch", "TodoWrite", "WebSearch"))

_SUCCEEDED = "\n\n[Process exited with code 0]"
"""What Droid puts behind the output of a command; that of a failed one says its code."""
_HOST = Speech(
    "droid",
    {
        "SessionStart": call.STARTED,
        "UserPromptSubmit": call.PROMPT,
        "PreToolUse": call.ACTION,
        "PostToolUse": call.RESULT,
        "Stop": call.REPLY,
        "PreCompact": call.COMPACTING,
        "SessionEnd": call.ENDED,
    },
    takes=TAKES,
    asks=ASKS,
    calls=(),
    decides=(call.DENY, call.ALLOW),  # told to ask, `droid exec` runs the tool
)
tell, decide = _HOST.tell, _HOST.decide


def read(event: str, fields: Fields) -> Call:
    """Return Droid's event as a `Call`; `fields` is the object from standard input."""
    result = _HOST.read(event, fields)
    if result.what in (call.REPLY, call.ENDED):
        from agentws.features.hosts.droid import transcript

        turn = transcript.turn(fields)
        result.calls = [done for done in turn.calls if result.what == call.REPLY or not done[3]]
        if result.what == call.REPLY:
            result.text = turn.text
            result.what = call.FAILED if turn.is_failed else call.REPLY
    elif result.what == call.RESULT and isinstance(result.output, str):
        result.output = result.output.removesuffix(_SUCCEEDED)
    return result
