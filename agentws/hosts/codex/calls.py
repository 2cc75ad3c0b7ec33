"""What Codex (0.16x) says to its hooks, and what it takes from them: checked there against closed schemas. Pure."""

from __future__ import annotations

from agentws.hosts import call
from agentws.hosts.family.speech import Speech

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
DAEMON = True
"""Whether its process serves several sessions and goes on when nobody works in one: its app server does."""

_HOST = Speech(
    "codex",
    {
        "SessionStart": call.STARTED,
        "UserPromptSubmit": call.PROMPT,
        "PreToolUse": call.ACTION,
        "PostToolUse": call.RESULT,
        "SubagentStop": call.STOPPED,
        "Stop": call.REPLY,
        "PreCompact": call.COMPACTING,
        "PostCompact": call.COMPACTED,
        "SessionEnd": call.ENDED,
    },
    # Whatever its schema of another event does not name, additional context among it, fails the whole hook.
    takes=TAKES,
    asks=ASKS,
)
read, tell = _HOST.read, _HOST.tell
