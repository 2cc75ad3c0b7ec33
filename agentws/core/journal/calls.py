"""Calls of the journal: the action that a result or an error ends, and the calls that the granularity leaves out.

A process caches the calls of a segment, and searches no line twice.
"""

from __future__ import annotations

import os
from itertools import repeat, zip_longest

from agentws.core.disk import local_dir
from agentws.core.formats.journal import event, segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import read
from agentws.errors import AgentwsError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Protocol, TypeVar

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Event
    from agentws.core.formats.journal.retraction import Retractions

    MayEnd = Callable[[str | None], bool]

    class Happening(Protocol):
        """An event to record."""

        kind: str
        body: dict[str, Any]

    _Kind = TypeVar("_Kind", bound=Happening)

    Stamp = tuple[int, ...]


_MOST_NEAR = 3
_MOST_BYTES = 32 << 20
_CURSORS = frozenset("0123456789abcdef:")


def resolve(
    files: Files,
    given: str,
    writers: Callable[[], Sequence[str]],
    *,
    may_end: MayEnd | None = None,
    seen: Seen | None = None,
) -> str:
    """Return the call id of an action, from that id or from its cursor (`WRITER:SEQ` or shorter).

    UsageError if there is no such action; it names similar ones in flight of the `writers` that count. Actions of
    sessions for which `may_end` is false are ignored; without it none are. `seen` caches what this process found
    before.
    """
    is_known = _is_begun(files, given, may_end, seen)
    if is_known:
        return given
    result, why = _by_cursor(files, given, may_end)
    if result:
        return result
    known = writers()
    if seen is None:
        in_flight = _in_flight(files, known, may_end)
    else:
        in_flight = seen.in_flight(known, may_end is None, look=lambda: _in_flight(files, known, may_end))
    if given in in_flight:  # it began long ago, its line was purged, or cannot be read
        return given
    if is_known is None:
        why = f" in the newest {_MOST_BYTES >> 20} MiB of the journal{why}. Name an older action as WRITER:SEQ"
    raise UsageError(f"No action has the call {given!r}{why}.", hint=_hint(given, in_flight))


def _is_begun(files: Files, call: str, may_end: MayEnd | None, seen: Seen | None) -> bool | None:
    """Return whether an action has this call id; None if none of the newest does and older ones were not read.

    Few lines are parsed. An older action without a result is in flight, and listed in the newest segments.
    """
    data = plainjson.dumps(call).encode()
    word = b'"call":' + data
    left = _MOST_BYTES
    for writer, number in _newest_first(files, read.writers(files)):
        size = seen.size_without(writer, number, data) if seen is not None else 0
        left -= size
        for _, block in () if size else read.blocks(files, writer, number):
            if word in block and _begins(block, word, call, writer, may_end):
                return True
            left -= len(block)
        if left <= 0:
            return None
    return False


def end_of(files: Files, call: str, writers: Sequence[str], gone: Retractions) -> Event | None:
    """Return the result or error that ended a call; None if it has none, but for those that are `gone`.

    Only the `writers` count. An id may begin again, also in another writer's journal; old segments are not read.
    """
    from agentws.core.journal import reference

    if any(ref.get("call") == call for _, ref in reference.open_calls(files, writers)):
        return None  # the action of one writer is not over with another action of this id
    word = b'"call":' + plainjson.dumps(call).encode()
    events: dict[str, Event] = {}
    left = _MOST_BYTES
    for writer, number in _newest_first(files, writers):
        for _, block in read.blocks(files, writer, number) if left > 0 else ():
            left -= len(block)
            for line in block.split(b"\n") if word in block else ():
                if word not in line or segment.kind_of(line) not in event.CALLS:
                    continue
                try:
                    entry = event.decode(line, writer=writer, segment=number)
                except AgentwsError:
                    continue  # `journal verify` names what is damaged
                if (
                    entry.call == call
                    and not gone.by(entry)
                    and (writer not in events or events[writer].seq < entry.seq)
                ):
                    events[writer] = entry
    # Clocks of one machine may go back, and an action is not newer than its end.
    newest = max(events.values(), key=lambda entry: (entry.at, entry.kind in event.ENDS), default=None)
    return newest if newest is not None and newest.kind in event.ENDS else None


def _newest_first(files: Files, writers: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield (writer, number) of the writers' segments: the newest of each, then the one before, and so on."""
    rows = [zip(repeat(writer), read.newest_first(files, writer)) for writer in reversed(writers)]
    for row in zip_longest(*rows):
        yield from filter(None, row)


def _begins(block: bytes, word: bytes, call: str, writer: str, may_end: MayEnd | None) -> bool:
    """Return whether one of these lines is the action itself: an input may hold the same word."""
    for line in block.split(b"\n"):
        if word in line and segment.kind_of(line) == event.ACTION:
            try:
                entry = event.decode(line, writer=writer)
                if entry.call == call and (may_end is None or may_end(entry.session)):
                    return True
            except AgentwsError:
                continue  # `journal verify` names what is damaged
    return False


def _by_cursor(files: Files, given: str, may_end: MayEnd | None) -> tuple[str, str]:
    """Return (call id of the action at a cursor, reason why there is none); one of them is empty."""
    if not given or not _CURSORS.issuperset(given):
        return "", ""
    try:
        writer, seq = read.cursor(files, given)
        entry = read.find(files, writer, seq)
    except AgentwsError:
        return "", ""
    if may_end is not None and not may_end(entry.session):
        return "", ""
    if entry.kind != event.ACTION:
        return "", f": {entry.cursor} is a {entry.kind} event"
    return entry.call or entry.cursor, ""


def _in_flight(files: Files, writers: Sequence[str], may_end: MayEnd | None) -> list[str]:
    """Return the call ids without a result, newest first."""
    from agentws.core.journal import reference

    open_calls = [(name, ref) for name, ref in reversed(reference.open_calls(files, writers))]
    if may_end is not None:
        open_calls = [
            (name, ref)
            for name, ref in open_calls
            if (entry := reference.at(files, name, ref)) and may_end(entry.session)
        ]
    return [call for _, ref in open_calls if isinstance(call := ref.get("call"), str)]


def _hint(given: str, in_flight: Sequence[str]) -> str:
    if not in_flight:
        return "No action is in flight. To list the recorded ones: agentws journal list --kind action"
    from difflib import get_close_matches

    near = get_close_matches(given, in_flight, n=_MOST_NEAR) or in_flight[:_MOST_NEAR]
    more = ", …" if len(in_flight) > len(near) else ""
    return f"Calls in flight: {', '.join(near)}{more}."


_STEPS = f"{local_dir.FOLDER}/journal-steps"
_MOST_CALLS = 64


def kept(files: Files, happenings: Sequence[_Kind], granularity: str) -> list[_Kind]:
    """Return the events to record at this granularity. UsageError for an invalid granularity.

    Whatever ends an action that was recorded is recorded too: else it would be in flight for ever.
    """
    every = _every(granularity)
    steps, calls = _read(files)
    kinds = []
    for happening in happenings:
        call = happening.body.get("call")
        milestone = event.is_milestone(happening.kind, happening.body.get("importance"))
        if happening.kind in (event.RESULT, event.ERROR) and call is not None:
            wanted = call in calls
        else:
            wanted = bool(every) and steps % every == 0
            steps += not milestone
        if wanted or milestone:
            kinds.append(happening)
            if happening.kind == event.ACTION and isinstance(call, str):
                calls.append(call)
    _write(files, steps, calls)
    return kinds


def remember(files: Files, cursors: Sequence[str]) -> None:
    """Remember recorded actions that are known by their cursor alone."""
    if cursors:
        steps, calls = _read(files)
        _write(files, steps, [*calls, *cursors])


def _every(granularity: str) -> int:
    """Return n if one of n steps is recorded, 0 for milestones alone."""
    if granularity == "milestones":
        return 0
    every = int(granularity) if granularity.isascii() and granularity.isdigit() else 0
    if not every:
        raise UsageError(
            f"journal.granularity = {granularity!r} in agentws.toml is invalid.",
            hint='Write "every", "milestones", or a number such as "5".',
        )
    return every


def _read(files: Files) -> tuple[int, list[str]]:
    try:
        steps, calls = plainjson.loads(files.read(_STEPS, limit_bytes=1 << 16))
    except (AgentwsError, ValueError, TypeError):
        return 0, []
    return (steps, calls) if isinstance(steps, int) and isinstance(calls, list) else (0, [])


def _write(files: Files, steps: int, calls: list[str]) -> None:
    local_dir.prepare(files)
    data = plainjson.dumps([steps, calls[-_MOST_CALLS:]]).encode()
    try:
        fd = files.open(_STEPS, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)
    except (OSError, AgentwsError):
        return  # the count begins again: an event too many is recorded, none is lost


_CALL = rb'"call":("(?:[^"\\\n]|\\.)*+")'
_NEWEST = 2


class Seen:
    """The calls found in each segment, valid until the segment changes: other processes write, and lines are purged."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._calls: dict[tuple[str, int], tuple[Stamp, frozenset[bytes]]] = {}
        self._in_flight: list[str] = []
        self._state: tuple[object, ...] = ()

    def size_without(self, writer: str, number: int, call: bytes) -> int:
        """Return the size in bytes of a segment without this call (a JSON text); 0 if it has to be read."""
        stamp = self._stamp(writer, number)
        before, calls = self._calls.get((writer, number), ((), frozenset()))
        if before != stamp:
            import re  # most processes ask once

            blocks = read.blocks(self._files, writer, number)
            calls = frozenset(call for _, block in blocks for call in re.findall(_CALL, block))
            self._calls[writer, number] = stamp, calls
        return 0 if call in calls else stamp[0]

    def in_flight(self, writers: Sequence[str], *others: object, look: Callable[[], list[str]]) -> list[str]:
        """Return the calls in flight that `look` finds, cached while the writers' newest segments are unchanged."""
        newest = [(writer, number) for writer in writers for number in read.newest(self._files, writer, _NEWEST)]
        state = (*others, *writers, *((*each, *self._stamp(*each)) for each in newest))
        if state != self._state:
            self._in_flight = look()
            self._state = state
        return self._in_flight

    def _stamp(self, writer: str, number: int) -> Stamp:
        status = read.status(self._files, segment.path(writer, number))
        return status.st_size, status.st_ino, status.st_mtime_ns
