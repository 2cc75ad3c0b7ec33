"""Hook calls of the agentws plugin in OpenCode (1.18), and the replies that it gives to the model. Pure.

A reply is `{"context": text}`. The names of the events and of the fields are the plugin's own.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.features.hosts import call
from agentws.features.hosts.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.call import Fields

END_S = 3.0
TAKES = frozenset(("session.started", "compacting", "compacted"))
BOOTS_LATER: frozenset[str] = frozenset()  # the plugin takes it at once
ASKS = frozenset(("session.idle",))  # the plugin sends it as a prompt
ASKS_LATER = False
HEADLESS = ("opencode", "run")
TAKES_ALL = False
DAEMON = True  # its server
IN_FULL = False
SCRIPTED = ("", "")
READS = frozenset(("read", "glob", "grep", "list", "todoread", "todowrite", "websearch", "codesearch"))

_EVENTS = {
    "session.started": call.STARTED,
    "chat.message": call.PROMPT,
    "tool.before": call.ACTION,
    "tool.after": call.RESULT,
    "session.idle": call.STOPPING,
    "compacting": call.COMPACTING,
    "compacted": call.COMPACTED,
    "session.ended": call.ENDED,
}
_REASONS = {call.STARTED: "source", call.ENDED: "reason"}


def read(event: str, fields: Fields) -> Call:
    """Return an event of the OpenCode plugin as a `Call`; `fields` is the object from standard input."""
    what = _EVENTS.get(event, call.NOTHING)
    if what == call.RESULT and fields.get("error") is not None:
        what = call.ERROR
    return Call(
        what,
        session=fields.get("session_id"),
        text=fields.get("error" if what == call.ERROR else "prompt"),
        tool=fields.get("tool"),
        input=fields.get("args"),
        output=fields.get("output"),
        call=fields.get("call_id"),
        source=fields.get(_REASONS.get(what, "")),
        goes_on=fields.get("stop_hook_active"),
        folder=fields.get("directory"),
    )


def tell(event: str, text: str) -> str:
    """Return a hook's standard output for the OpenCode plugin; `text` is for the agent, empty for none."""
    return plainjson.dumps({"context": text}) + "\n" if text and event in (*TAKES, *ASKS) else call.NEUTRAL


def decide(event: str, do: str, says: str) -> str:
    """Return a hook's standard output that makes the OpenCode plugin deny a tool call; empty otherwise."""
    return plainjson.dumps({"deny": says}) + "\n" if do == call.DENY else ""
