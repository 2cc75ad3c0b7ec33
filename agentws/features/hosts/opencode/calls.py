"""What our plugin in OpenCode (1.18) says, and what it hands on to the model: `{"context": text}`. Pure.

The names of the events and of the fields are the plugin's own.
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
    """Return this event as a call; `fields` is the object from standard input."""
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
    """Return the standard output for this event; `text` is for the agent, empty for nothing."""
    return plainjson.dumps({"context": text}) + "\n" if text and event in (*TAKES, *ASKS) else call.NEUTRAL


def decide(event: str, do: str, says: str) -> str:
    """Return the standard output by which the plugin keeps a tool from running."""
    return plainjson.dumps({"deny": says}) + "\n" if do == call.DENY else ""
