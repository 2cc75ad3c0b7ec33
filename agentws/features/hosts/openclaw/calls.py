"""Hook calls of the agentws plugin in OpenClaw (2026.9), and the replies that it gives to the agent. Pure.

A reply is `{"context": text}`. The events are OpenClaw's (`agent:bootstrap`, `before_tool_call`, …), the fields those
of the plugin.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.features.hosts import call
from agentws.features.hosts.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.call import Fields

END_S = 3.0
TAKES = frozenset(("agent:bootstrap",))
ASKS = frozenset(("agent_end",))
ASKS_LATER = True  # continuing at once would take the answer out of the session (2026.9.6)
HEADLESS = ("openclaw",)
READS = frozenset(("read", "memory_search", "memory_get", "web_search"))

_EVENTS = {
    "agent:bootstrap": call.STARTED,
    "message:received": call.PROMPT,
    "before_prompt_build": call.PROMPT,
    "before_tool_call": call.ACTION,
    "tool_gate": call.GATE,
    "after_tool_call": call.RESULT,
    "subagent_ended": call.STOPPED,
    "agent_end": call.REPLY,
    "before_compaction": call.COMPACTING,
    "after_compaction": call.COMPACTED,
    "session_end": call.ENDED,
    "gateway:pre-restart": call.ENDED,
    "gateway:shutdown": call.ENDED,
    # Events of the hook that earlier versions installed, if it still runs.
    "session:compact:before": call.COMPACTING,
    "session:compact:after": call.COMPACTED,
    "session:auto-reset": call.ENDED,
    "command:new": call.ENDED,
    "command:reset": call.ENDED,
}
_REASONS = {call.STARTED: "source", call.ENDED: "reason"}
_WORDS = {call.PROMPT: "prompt", call.REPLY: "text", call.STOPPED: "text", call.ERROR: "error"}


def read(event: str, fields: Fields) -> Call:
    """Return an event of the OpenClaw plugin as a `Call`; `fields` is the object from standard input."""
    what = _EVENTS.get(event, call.NOTHING)
    if what == call.RESULT and fields.get("error") is not None:
        what = call.ERROR
    agent = fields.get("agent")
    return Call(
        what,
        session=fields.get("session_id"),
        text=fields.get(_WORDS.get(what, "")),
        tool=fields.get("tool"),
        input=fields.get("args"),
        output=fields.get("output"),
        call=fields.get("call_id"),
        source=fields.get(_REASONS.get(what, "")),
        goes_on=fields.get("stop_hook_active"),
        folder=fields.get("workspace"),
        is_shared=fields.get("audience") == "shared",
        channel=fields.get("channel"),
        sender=fields.get("sender"),
        is_typed=fields.get("typed") is not False,
        agent=agent,
        agent_type="subagent" if agent else "",
    )


def tell(event: str, text: str) -> str:
    """Return a hook's standard output for the OpenClaw plugin; `text` is for the agent, empty for none."""
    return plainjson.dumps({"context": text}) + "\n" if text and event in (*TAKES, *ASKS) else call.NEUTRAL


def decide(event: str, do: str, says: str) -> str:
    """Return a hook's standard output that makes the OpenClaw plugin deny a tool call; empty otherwise."""
    return plainjson.dumps({"deny": says}) + "\n" if do == call.DENY else ""
