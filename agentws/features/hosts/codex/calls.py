"""Codex's hook calls (0.171): its events, and the replies that it accepts, checked by closed schemas.

No hook reports a turn that the model's service ended: the transcript has it when the session ends.
A call that the user refused is reported as interrupted: its result is unknown.
"""

from __future__ import annotations

from agentws.features.hosts import call
from agentws.features.hosts.family.speech import Speech

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.call import Call, Fields

END_S = 3.0
TAKES = frozenset(("SessionStart", "UserPromptSubmit"))
ASKS = frozenset(("Stop",))
HEADLESS = ("codex", "exec", "e")
RESUMES = frozenset(("resume",))
TAKES_ALL = True
DAEMON = True  # its app server
IN_FULL = True  # a login shell has another PATH, and rules name the full path
WAITS = ("UserPromptSubmit", "Stop")
READS = frozenset(("view_image", "update_plan", "web_search"))

_HOST = Speech(
    "codex",
    {
        "SessionStart": call.STARTED,
        "UserPromptSubmit": call.PROMPT,
        "PreToolUse": call.ACTION,
        "PostToolUse": call.RESULT,
        "SubagentStop": call.STOPPED,
        "Interrupt": call.INTERRUPTED,
        "Stop": call.REPLY,
        "PreCompact": call.COMPACTING,
        "PostCompact": call.COMPACTED,
        "SessionEnd": call.ENDED,
    },
    # A field that an event's schema lacks, such as additional context elsewhere, fails the whole hook.
    takes=TAKES,
    asks=ASKS,
    decides=(call.DENY,),  # any other decision fails the whole hook
)
tell, decide = _HOST.tell, _HOST.decide


def read(event: str, fields: Fields) -> Call:
    """Return Codex's event as a `Call`; `fields` is the object from standard input."""
    result = _HOST.read(event, fields)
    if result.what == call.ENDED:
        from agentws.features.hosts.codex import transcript
        from agentws.features.hosts.family.transcript import newest

        result.text = transcript.failure(newest(fields.get("transcript_path")))
    return result
