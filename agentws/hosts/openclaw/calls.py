"""What our handler in OpenClaw (2026.9) says, and what it hands on to the agent: `{"context": text}`. Pure.

The events are OpenClaw's (`agent:bootstrap`, …), the fields those of the handler.
"""

from __future__ import annotations

from agentws.formats import plainjson
from agentws.hosts import call
from agentws.hosts.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.hosts.call import Fields

END_S = 3.0
"""So long the handler waits at the end of a session."""
TAKES = frozenset(("agent:bootstrap",))
"""The events at which it takes a text for the agent."""
BOOTS_LATER: frozenset[str] = frozenset()
"""The events after which a boot waits for the next prompt: none, for the agent is bootstrapped again."""
ASKS: frozenset[str] = frozenset()
"""The events at which it can be told to go on: none."""
TAKES_ALL = False
"""Whether its settings, as install writes them, make it take a text of any size where a session begins."""

_EVENTS = {
    "agent:bootstrap": call.STARTED,
    "message:received": call.PROMPT,
    "session:compact:before": call.COMPACTING,
    "session:compact:after": call.COMPACTED,
    "session:auto-reset": call.ENDED,
    "command:new": call.ENDED,
    "command:reset": call.ENDED,
    "gateway:pre-restart": call.ENDED,
    "gateway:shutdown": call.ENDED,
}
_REASONS = {call.STARTED: "source", call.ENDED: "reason"}


def read(event: str, fields: Fields) -> Call:
    """What this event says; `fields` is the object that stood on standard input."""
    what = _EVENTS.get(event, call.NOTHING)
    return Call(
        what,
        session=fields.get("session_id"),
        text=fields.get("prompt"),
        source=fields.get(_REASONS.get(what, "")),
        folder=fields.get("workspace"),
        is_shared=fields.get("audience") == "shared",
        channel=fields.get("channel"),
        sender=fields.get("sender"),
    )


def tell(event: str, text: str) -> str:
    """What stands on standard output for this event; `text` is for the agent, empty for nothing."""
    return plainjson.dumps({"context": text}) + "\n" if text and event in TAKES else call.NEUTRAL
