"""`PluginCalls`: reads the calls of agentws's own plugin in a host, and writes the replies that the plugin takes. Pure.

The names of the fields are the same in each plugin; a reply is `{"context": text}` or `{"deny": why}`. This runs at
each tool call: it imports little.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.features.hosts import call
from agentws.features.hosts.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.features.hosts.call import Fields

_WORDS = {call.PROMPT: "prompt", call.REPLY: "reply", call.ERROR: "error", call.FAILED: "failure"}
_REASONS = {call.STARTED: "source", call.ENDED: "reason", call.COMPACTING: "reason", call.COMPACTED: "reason"}


class PluginCalls:
    """The calls of a plugin: its names of `events`; those in `takes` accept a text for the agent."""

    __slots__ = ("events", "takes")

    def __init__(self, events: Mapping[str, str], *, takes: frozenset[str]) -> None:
        self.events = events
        self.takes = takes

    def read(self, event: str, fields: Fields) -> Call:
        """Return an event of the plugin as a `Call`; `fields` is the object from standard input."""
        what = self.events.get(event, call.NOTHING)
        if what == call.RESULT and fields.get("error") is not None:
            what = call.ERROR
        if what == call.REPLY and fields.get("failure") is not None:
            what = call.FAILED
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
            folder=fields.get("directory"),
        )

    def tell(self, event: str, text: str) -> str:
        """Return a hook's standard output for the plugin; `text` is for the agent, empty for none."""
        return plainjson.dumps({"context": text}) + "\n" if text and event in self.takes else call.NEUTRAL

    def decide(self, event: str, do: str, says: str) -> str:
        """Return a hook's standard output that makes the plugin deny a tool call; empty otherwise."""
        return plainjson.dumps({"deny": says}) + "\n" if do == call.DENY else ""
