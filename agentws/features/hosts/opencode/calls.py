"""Hook calls of the agentws plugin in OpenCode (1.18): its events, whose names are the plugin's own. Pure."""

from __future__ import annotations

from agentws.features.hosts import call
from agentws.features.hosts.call import Call
from agentws.features.hosts.plugin_calls import PluginCalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.call import Fields

END_S = 3.0
TAKES = frozenset(("session.started", "compacting", "compacted"))
ASKS = frozenset(("session.idle",))  # the plugin sends it as a prompt
HEADLESS = ("opencode", "run")
DAEMON = True  # its server
READS = frozenset(("read", "glob", "grep", "list", "todoread", "todowrite", "websearch", "codesearch"))

_EVENTS = {
    "session.started": call.STARTED,
    "chat.message": call.PROMPT,
    "tool.before": call.ACTION,
    "tool.after": call.RESULT,
    "session.idle": call.STOPPING,
    "session.error": call.FAILED,
    "compacting": call.COMPACTING,
    "compacted": call.COMPACTED,
    "session.ended": call.ENDED,
}
_PLUGIN = PluginCalls(_EVENTS, takes=TAKES | ASKS)
tell, decide = _PLUGIN.tell, _PLUGIN.decide


def read(event: str, fields: Fields) -> Call:
    """Return an event of the plugin as a `Call`."""
    result = _PLUGIN.read(event, fields)
    if isinstance(result.output, str) and "<shell_metadata>" in result.output:
        from agentws.features.hosts.family import shell_result

        result.output = shell_result.without_metadata(result.output)
    return result
