"""What Heron says to its hooks: Claude Code's format."""

from __future__ import annotations

from agentws.features.hosts import call
from agentws.features.hosts.family.speech import Speech

END_S = 10.0
TAKES = frozenset(("SessionStart", "UserPromptSubmit"))
ASKS = frozenset(("Stop",))
HEADLESS = ("heron", "-p")
READS: frozenset[str] = frozenset()

_HOST = Speech(
    "heron",
    {
        "SessionStart": call.STARTED,
        "UserPromptSubmit": call.PROMPT,
        "PreToolUse": call.ACTION,
        "Stop": call.REPLY,
        "SessionEnd": call.ENDED,
    },
    takes=TAKES,
    asks=ASKS,
    output=("tool_response",),
    calls=("tool_use_id",),
)
read, tell, decide = _HOST.read, _HOST.tell, _HOST.decide
