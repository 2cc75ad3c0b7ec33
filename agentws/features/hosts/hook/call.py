"""A call of a hook: the host, its event, and its standard input."""

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

_RECORDED = (call.ACTION, call.GATE, call.RESULT, call.ERROR, call.BATCH, call.STOPPED, call.REPLY)
_QUICK_S, _SLOW_S = 4.0, 8.0
"""So long an answer may take, at every turn of the agent, and where a boot is made."""
_PATIENCE_S = 1.0
"""So long anything waits for what another process holds, while the agent waits for us."""
_TRACE_S = 0.5
_STARTING_S = 0.3
"""What has gone of the host's seconds when our clock begins, and what saying the answer takes."""
_MOST_NAME = 128
_NAMED_WITHIN = 4
"""Of a command line so many words may name the program: an interpreter and its options can precede it."""
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-@/+=#")
"""What a name in a header of the journal may be made of (docs/format/journal.md)."""
_CALLS = ("tool_call_id", "tool_use_id", "call_id")
_KEYS = ("session_id", "agent_id", "agent_type", "tool_name", "tool", *_CALLS)


class Heard:
    """A call of a hook: the `host`, its `event`, and its input as a `call`; `odd` is what was odd about that."""

    __slots__ = ("_host", "call", "event", "host", "odd")

    def __init__(self, host: str, event: str) -> None:
        self._host: Host = features.host_module(host, "calls")
        self.host = host
        self.event = event
        self.call = self._host.read(event, {})  # what it is about, also where its input is never read
        self.odd = ""

    def take(self, head: bytes, tail: bytes = b"") -> None:
        """Read what stood on standard input: all of it is `head`, or where it is too long, it ends with `tail`."""
        fields = _salvaged(head, tail) if tail else self._fields(head)
        self.call = self._host.read(self.event, fields)
        self.call.session = named(self.call.session)
        self.call.call = named(self.call.call)
        self.call.agent = named(self.call.agent)
        if tail:
            self.odd = "The host's message is too long; only its header was read."

    def _fields(self, data: bytes) -> dict[str, Any]:
        try:
            found = plainjson.loads(data.decode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            self.odd = f"The host's message is not JSON: {error}."
            return {}
        if not isinstance(found, dict):
            self.odd = "The host's message is not a JSON object."
            return {}
        return found

    @property
    def src(self) -> str:
        """The origin of the host's words, in an event."""
        return f"agent:{self.host}"

    @property
    def seconds(self) -> float:
        """The seconds that the answer may take."""
        if self.call.what == call.ENDED:
            return self._host.END_S - _STARTING_S
        return _QUICK_S if self.is_recorded_only else _SLOW_S

    @property
    def trace_s(self) -> float:
        """The seconds that recording a missed deadline, or another failure, may take."""
        return _STARTING_S / 2 if self.call.what == call.ENDED else _TRACE_S

    @property
    def patience_s(self) -> float | None:
        """The longest wait for other processes, in seconds; None: as long as there is time at all."""
        return None if self.call.what == call.ENDED else _PATIENCE_S

    @property
    def is_recorded_only(self) -> bool:
        """Return whether there is nothing to be done but to record it."""
        return self.call.what in _RECORDED

    def asks(self, part: int | None) -> bool:
        """Return whether it asks for anything; of the parts of a boot after the first, for no more than that."""
        return self.call.what == call.STARTED or (self.call.what != call.NOTHING and part in (None, 1))

    @property
    def takes(self) -> bool:
        """Return whether the host takes a text for the agent at this event."""
        return self.event in self._host.TAKES

    @property
    def recalls(self) -> bool:
        """Return whether the host takes a text for the agent at a prompt: it has one event for that."""
        return any(self._host.read(event, {}).what == call.PROMPT for event in self._host.TAKES)

    @property
    def ends_turn(self) -> bool:
        """Return whether the agent is about to stop, and the host can be told to go on with something."""
        return self.event in self._host.ASKS

    @property
    def asks_later(self) -> bool:
        """Return whether what the agent is asked at a stop comes with the next prompt."""
        return self._host.ASKS_LATER

    def is_headless(self, words: Sequence[str]) -> bool:
        """Return whether `words` are a command line of the host that ends with this answer, which a program may read.

        Its first words name the host: a hook may also be called by something else.
        """
        options = {option for word in words[1:] for option in _options(word)}
        is_host = any(self._host.HEADLESS[0] in word for word in words[:_NAMED_WITHIN])
        return is_host and not options.isdisjoint(self._host.HEADLESS[1:])

    @property
    def wants_boot(self) -> bool:
        """Return whether a session begins or goes on, and the host hands a boot to the agent now."""
        return self.call.what in (call.STARTED, call.COMPACTED) and self.takes

    @property
    def boots_later(self) -> bool:
        """Return whether the next prompt is to bring a boot: the agent has forgotten, and cannot be told now."""
        return self.event in self._host.BOOTS_LATER

    @property
    def takes_all(self) -> bool:
        """Return whether the host takes a text of any size now."""
        return self._host.TAKES_ALL and self.call.what == call.STARTED

    @property
    def is_daemon(self) -> bool:
        """Return whether the host's process serves several sessions, so that its life says nothing of one session."""
        return self._host.DAEMON

    @property
    def in_full(self) -> bool:
        """Return whether the agent is always told the absolute path of our command."""
        return self._host.IN_FULL

    @property
    def scripted(self) -> tuple[str, str]:
        """The variable, and the beginning of its value, by which the host tells that a program reads the answers."""
        return self._host.SCRIPTED

    @property
    def begins_tool(self) -> bool:
        """Return whether a tool is about to run."""
        return self.call.what in (call.ACTION, call.GATE)

    @property
    def confirms(self) -> bool:
        """Return whether the host can be told to ask its user about a tool."""
        return bool(self.decide(may=None, says=""))

    def decide(self, *, may: bool | None, says: str) -> str:
        """Return the standard output that lets the tool run or not (None: the host is to ask).

        Empty where the host has no way to be told that.
        """
        do = call.CONFIRM if may is None else call.ALLOW if may else call.DENY
        return self._host.decide(self.event, do, says)

    def tell(self, text: str) -> str:
        """Return the standard output for the host; `text` is for the agent, empty for nothing."""
        return self._host.tell(self.event, text)


def hear(host: str, event: str) -> Heard:
    """A call of a hook of this host, of which nothing was read yet; UsageError lists the hosts there are."""
    names = features.with_hooks()
    if host not in names:
        raise UsageError(f"No such host with hooks: {host!r}.", hint=f"Choose one of: {', '.join(names)}.")
    return Heard(host, event)


def _options(word: str) -> Iterator[str]:
    """The word without a value behind `=`, and each letter of joined short options: `-cp` is `-c` and `-p`."""
    name = word.partition("=")[0]
    yield name
    if name.startswith("-") and not name.startswith("--"):
        yield from (f"-{letter}" for letter in name[1:])


def named(name: str) -> str:
    """The name as one that may stand in a header of the journal: itself, where it can, else always the same other."""
    if len(name) <= _MOST_NAME and PLAIN.issuperset(name):
        return name
    return digest.quick(name.encode("utf-8", "surrogatepass"))


def _salvaged(head: bytes, tail: bytes) -> dict[str, Any]:
    """What an event belongs to, from the beginning and the end of an object that is too long to be read.

    Within a text of JSON the quotes are escaped, so what is found is a key. Some hosts name the call at the end.
    """
    found = {name: _text_behind(head[head.find(key) :], key) for name in _KEYS if (key := _key(name)) in head}
    found |= {name: _text_behind(tail[tail.rfind(key) :], key) for name in _CALLS if (key := _key(name)) in tail}
    return found


def _key(name: str) -> bytes:
    return b'"%s":' % name.encode()


def _text_behind(data: bytes, key: bytes) -> str:
    value = data[len(key) : len(key) + 2 * _MOST_NAME].lstrip()
    return value[1:].partition(b'"')[0].decode("utf-8", "replace") if value.startswith(b'"') else ""
