"""`Speech`: reads the hook calls of a family host, and writes its replies, by a table of the host's names. Pure.

This runs at each tool call: it imports little.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.features.hosts import call
from agentws.features.hosts.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentws.features.hosts.call import Done, Fields

    Answer = Callable[[Fields], tuple[object, bool]]
    """Returns the result of a call in a batch as the agent gets it, and whether the host marks it as an error."""

_WORDS = {
    call.PROMPT: "prompt",
    call.REPLY: "last_assistant_message",
    call.STOPPED: "last_assistant_message",
    call.ERROR: "error",
    call.COMPACTED: "compact_summary",
}
_REASONS = {call.STARTED: "source", call.ENDED: "reason"}
_OF_TOOLS = (call.ACTION, call.RESULT, call.ERROR)


class Speech:
    """The hook format of a family host: its names of `events`; the events of `takes` accept a text for the agent.

    `asks` are the events at which the agent can be told to continue. `output` is the path to a tool's output; `calls`
    are the keys of a call's id, of which the first that exists counts; without any, the id is made of the call's
    content. `typed` is the key of a prompt that a person typed, if the host tells these apart; `batch` reads a call of
    a batch. `is_flat`: the text for the agent is not in an object of its own. `decides` are the decisions about a tool
    call that the host accepts.
    """

    __slots__ = ("asks", "batch", "calls", "decides", "events", "host", "is_flat", "output", "takes", "typed")

    def __init__(
        self,
        host: str,
        events: Mapping[str, str],
        *,
        takes: frozenset[str],
        asks: frozenset[str] = frozenset(),
        output: Sequence[str] = ("tool_response",),
        calls: Sequence[str] = ("tool_use_id",),
        typed: str = "",
        batch: Answer | None = None,
        is_flat: bool = False,
        decides: Sequence[str] = (call.DENY, call.ALLOW, call.CONFIRM),
    ) -> None:
        self.host = host
        self.events = events
        self.takes = takes
        self.asks = asks
        self.output = output
        self.calls = calls
        self.typed = typed
        self.batch = batch
        self.is_flat = is_flat
        self.decides = decides

    def read(self, event: str, fields: Fields) -> Call:
        """Return the family host's event as a `Call`; `fields` is the object from standard input."""
        what = self.events.get(event, call.NOTHING)
        text = fields.get(_WORDS.get(what, ""))
        if what == call.FAILED:
            text = call.failure(fields)
        is_typed = True
        if what == call.PROMPT and self.typed:
            is_typed = isinstance(fields.get(self.typed), str)
            text = fields.get(self.typed) if is_typed else text
        return Call(
            what,
            session=fields.get("session_id"),
            text=text,
            tool=fields.get("tool_name"),
            input=fields.get("tool_input"),
            output=call.within(fields, *self.output),
            call=self._named(fields) if what in _OF_TOOLS else "",
            source=fields.get(_REASONS.get(what, "trigger")),
            folder=fields.get("cwd"),
            goes_on=fields.get("stop_hook_active"),
            is_typed=is_typed,
            agent=fields.get("agent_id"),
            agent_type=fields.get("agent_type"),
            calls=self._batch(fields.get("tool_calls")) if what == call.BATCH else (),
        )

    def tell(self, event: str, text: str) -> str:
        """Return a hook's standard output for the family host; `text` is for the agent, empty for none."""
        if text and event in self.asks:
            return call.going_on(text)
        if not text or event not in self.takes:
            return call.NEUTRAL
        if self.is_flat:
            return plainjson.dumps({"additionalContext": text}) + "\n"
        return plainjson.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}) + "\n"

    def decide(self, event: str, do: str, says: str) -> str:
        """Return a hook's standard output that decides on a tool call; empty if the family host has no such reply."""
        return call.decided(event, do, says) if do in self.decides else ""

    def _named(self, fields: Fields) -> object:
        if self.calls:
            return next((fields[key] for key in self.calls if isinstance(fields.get(key), str)), "")
        return by_content(self.host, fields)

    def _batch(self, value: object) -> list[Done]:
        batch: list[Done] = []
        for item in value if isinstance(value, list) else ():
            if self.batch is None or not isinstance(item, dict):
                continue
            tool, name = item.get("tool_name"), self._named(item)
            answer, is_error = self.batch(item)
            if isinstance(tool, str) and isinstance(name, str):
                batch.append((tool, name, answer if isinstance(answer, str) else "", is_error))
        return batch


def by_content(host: str, fields: Fields) -> str:
    """Return an id for a tool call of a host that gives it none: made of its content, the same before and after.

    A repeated call has the same id; an action is ended by the next result, so they do not get mixed up.
    """
    from agentws.core.formats import digest
    from agentws.core.formats.json.plainjson import plain

    message = plainjson.dumps([fields.get("session_id"), fields.get("tool_name"), plain(fields.get("tool_input"))])
    return f"{host}-{digest.quick(message.encode())}"
