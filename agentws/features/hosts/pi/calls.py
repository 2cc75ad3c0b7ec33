"""Hook calls of the agentws extension in Pi (1.6): its events, with Pi's names. Pure."""

from __future__ import annotations

from agentws.features.hosts import call
from agentws.features.hosts.plugin_calls import PluginCalls

END_S = 8.0
TAKES = frozenset(("session_start", "before_agent_start"))
BOOTS_LATER = frozenset(("session_compact",))  # the next prompt brings it
ASKS = frozenset(("agent_before_settle",))  # the extension makes Pi continue
HEADLESS = ("pi",)  # its process shows no words; without a person before it the extension says that it goes on
RESUMES = frozenset(("startup", "resume"))  # `--continue` is a startup
READS = frozenset(("read", "ls", "grep", "find"))

_PLUGIN = PluginCalls(
    {
        "session_start": call.STARTED,
        "before_agent_start": call.PROMPT,
        "tool_call": call.ACTION,
        "tool_execution_end": call.RESULT,
        "agent_before_settle": call.REPLY,
        "session_before_compact": call.COMPACTING,
        "session_compact": call.COMPACTED,
        "session_shutdown": call.ENDED,
    },
    takes=TAKES | ASKS,
)
read, tell, decide = _PLUGIN.read, _PLUGIN.tell, _PLUGIN.decide
