"""`Heard`: a hook call as `agentws hook` receives it: the host, its event, and the standard input."""

from __future__ import annotations

from agentws import features
from agentws.core.formats import digest
from agentws.core.formats.json import plainjson
from agentws.errors import UsageError
from agentws.features.hosts import call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from agentws.features.hosts.call import Host

_RECORDED = (
    call.ACTION, call.GATE, call.RESULT, call.ERROR, call.BATCH, call.STOPPED, call.INTERRUPTED,
    call.FAILED, call.REPLY,
)  # fmt: skip
_QUICK_S, _SLOW_S = 4.0, 8.0
"""The seconds that an answer may take: at every turn of the agent, and when a boot is made."""
_PATIENCE_S = 1.0
"""The seconds to wait for what another process holds, while the agent waits for the hook."""
_TRACE_S = 0.5
_STARTING_S = 0.3
"""The seconds of the host's limit that pass before the hook's clock starts, and that printing the answer takes."""
_MOST_NAME = 128
_NAMED_WITHIN = 4
"""The first words of a command line that may name the program: an interpreter and its options can precede it."""
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-@/+=#")
"""The characters of a name in the header of a journal event (docs/format/journal.md)."""
_CALLS = ("tool_call_id", "tool_use_id", "call_id")
_KEYS = ("session_id", "agent_id", "agent_type", "tool_name", "tool", *_CALLS)


class Heard:
    """A hook call as it arrived: the name of the `host`, the `event`, and the decoded input as `call`.

    `odd` describes a fault of the input, empty without one; `traits` is the host's `calls` module.
    """

    __slots__ = ("call", "event", "host", "odd", "traits")

    def __init__(self, host: str, event: str) -> None:
        self.traits: Host = call.with_defaults(features.host_module(host, "calls"))
        self.host = host
        self.event = event
        self.call = self.traits.read(event, {})  # the kind of event is known even if the input is never read
        self.odd = ""

    def take(self, head: bytes, tail: bytes = b"") -> None:
        """Read the hook's standard input: `head` is all of it, or the beginning if it is too long, `tail` the end."""
        fields = _salvaged(head, tail) if tail else self._fields(head)
        self.call = self.traits.read(self.event, fields)
        self.call.session = named(self.call.session)
        self.call.call = named(self.call.call)
        self.call.agent = named(self.call.agent)
        if tail:
            self.odd = "The host's message is too long; only its header was read."

    def _fields(self, data: bytes) -> dict[str, Any]:
        try:
            fields = plainjson.loads(data.decode("utf-8", "replace"))
        except ValueError as error:
            self.odd = f"The host's message is not JSON: {error}." if data else "The host's message is missing."
            return {}
        if not isinstance(fields, dict):
            self.odd = "The host's message is not a JSON object."
            return {}
        return fields

    @property
    def src(self) -> str:
        """The `src` of the events that this host's hooks record: `agent:HOST`."""
        return f"agent:{self.host}"

    @property
    def seconds(self) -> float:
        """The seconds that answering this hook may take."""
        if self.call.what in (call.ENDED, call.INTERRUPTED):
            return self.traits.END_S - _STARTING_S
        return _QUICK_S if self.is_recorded_only else _SLOW_S

    @property
    def trace_s(self) -> float:
        """The seconds that recording this hook's missed deadline, or another failure, may take."""
        return _STARTING_S / 2 if self.call.what == call.ENDED else _TRACE_S

    @property
    def patience_s(self) -> float | None:
        """The longest wait of this hook for other processes, in seconds; None: as long as there is time."""
        return None if self.call.what == call.ENDED else _PATIENCE_S

    @property
    def is_recorded_only(self) -> bool:
        """Return whether this hook call is only recorded."""
        return self.call.what in _RECORDED

    def asks(self, part: int | None) -> bool:
        """Return whether this hook call needs any action: for a later `part` of a boot, only at a session's start."""
        return self.call.what == call.STARTED or (self.call.what != call.NOTHING and part in (None, 1))

    @property
    def takes(self) -> bool:
        """Return whether the host accepts a text for the agent at this event."""
        return self.event in self.traits.TAKES

    @property
    def recalls(self) -> bool:
        """Return whether the host accepts a text for the agent at a prompt, so that memories can be recalled."""
        return any(self.traits.read(event, {}).what == call.PROMPT for event in self.traits.TAKES)

    @property
    def ends_turn(self) -> bool:
        """Return whether the agent is about to stop, and the host can be told to continue with a text."""
        return self.event in self.traits.ASKS and self.call.what != call.FAILED

    def is_headless(self, words: Sequence[str]) -> bool:
        """Return whether `words` are a command line of the host that ends after one answer, which a program may read.

        The host must be among the first words: a hook may also be called by another program.
        """
        options = {option for word in words[1:] for option in _options(word)}
        is_host = any(self.traits.HEADLESS[0] in word for word in words[:_NAMED_WITHIN])
        return is_host and not options.isdisjoint(self.traits.HEADLESS[1:])

    @property
    def wants_boot(self) -> bool:
        """Return whether a session begins or was compacted, and the host gives a boot to the agent now."""
        return self.call.what in (call.STARTED, call.COMPACTED) and self.takes

    @property
    def boots_later(self) -> bool:
        """Return whether the next prompt must bring a boot: the host compacts, and accepts no text for the agent."""
        return self.event in self.traits.BOOTS_LATER

    @property
    def resumes(self) -> bool:
        """Return whether a conversation goes on that still has its earlier boot."""
        return self.call.what == call.STARTED and self.call.source in self.traits.RESUMES

    @property
    def keeps_boot(self) -> bool:
        """Return whether the host's conversations have their earlier boot when they are resumed."""
        return bool(self.traits.RESUMES)

    @property
    def takes_all(self) -> bool:
        """Return whether the host accepts a text of any size at this event."""
        return self.traits.TAKES_ALL and self.call.what == call.STARTED

    @property
    def begins_tool(self) -> bool:
        """Return whether this hook is called before a tool runs."""
        return self.call.what in (call.ACTION, call.GATE)

    @property
    def only_reads(self) -> bool:
        """Return whether the tool changes nothing, by the host's table; an unknown tool may change anything."""
        return self.call.tool in self.traits.READS

    @property
    def confirms(self) -> bool:
        """Return whether the host can be told to ask its user about a tool call."""
        return bool(self.decide(may=None, says=""))

    def decide(self, *, may: bool | None, says: str) -> str:
        """Return the standard output that answers this hook call: the tool may run or not (None: the host asks).

        Empty if the host has no such reply.
        """
        do = call.CONFIRM if may is None else call.ALLOW if may else call.DENY
        return self.traits.decide(self.event, do, says)

    def tell(self, text: str) -> str:
        """Return the standard output that answers this hook call; `text` is for the agent, empty for none."""
        return self.traits.tell(self.event, text)


def hear(host: str, event: str) -> Heard:
    """Return a hook call of this host, with its input still unread; UsageError lists the known hosts."""
    names = features.with_hooks()
    if host not in names:
        raise UsageError(f"No such host with hooks: {host!r}.", hint=f"Choose one of: {', '.join(names)}.")
    return Heard(host, event)


def _options(word: str) -> Iterator[str]:
    """Yield the option without a value behind `=`, and each letter of joined short options: `-cp` is `-c` and `-p`."""
    name = word.partition("=")[0]
    yield name
    if name.startswith("-") and not name.startswith("--"):
        yield from (f"-{letter}" for letter in name[1:])


def named(name: str) -> str:
    """Return a host's id of a session or call if the header of a journal event may hold it, else a digest of it."""
    if len(name) <= _MOST_NAME and PLAIN.issuperset(name):
        return name
    return digest.quick(name.encode("utf-8", "surrogatepass"))


def _salvaged(head: bytes, tail: bytes) -> dict[str, Any]:
    """Return the ids in a hook's input that is too long to be parsed, from its beginning and its end.

    Quotes within a text of JSON are escaped, so a match is a key. Some hosts name the call at the end.
    """
    result = {name: _text_behind(head[head.find(key) :], key) for name in _KEYS if (key := _key(name)) in head}
    result |= {name: _text_behind(tail[tail.rfind(key) :], key) for name in _CALLS if (key := _key(name)) in tail}
    return result


def _key(name: str) -> bytes:
    return b'"%s":' % name.encode()


def _text_behind(data: bytes, key: bytes) -> str:
    value = data[len(key) : len(key) + 2 * _MOST_NAME].lstrip()
    return value[1:].partition(b'"')[0].decode("utf-8", "replace") if value.startswith(b'"') else ""
