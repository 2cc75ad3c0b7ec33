"""The sessions of a journal, found by the headers of its lines: only the bodies of starts and ends are parsed."""

from __future__ import annotations

from agentws.core import Record
from agentws.core.formats.journal import event, segment
from agentws.core.journal import line_check, read, select
from agentws.errors import DamagedError, MissingFileError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Event

    Place = tuple[bytes, int]
    """A line, and its offset in the segment."""


_HEADER = (
    rb'\{"agentws":1,"seq":\d{1,18},"id":"[0-9a-f-]{36}","at":"[0-9TZ:.-]{20,32}","kind":"([A-Za-z0-9_.-]{1,128})",'
    rb'"session":(null|"[^"\\]{1,512}"),"src":"[^"\\]{0,512}",.*\}\Z'
)
"""The beginning of a journal line. Lines with another beginning are parsed completely."""
_NONE = b"null"


class SessionEvents(Record):
    """A stretch of events of one session: the `first`, the `newest`, and the counts by kind `between` them. Only the
    first may be a start, and only the newest an end.
    """

    first: Event
    newest: Event
    between: dict[str, int]


def merged(files: Files, writers: Sequence[str], notices: list[str]) -> Iterator[SessionEvents]:
    """Yield the session stretches of all these writers, ordered by their first events."""
    import heapq

    several = [stretches(files, writer, notices) for writer in writers]
    return heapq.merge(*several, key=lambda events: (events.first.at, events.first.writer))


def stretches(files: Files, writer: str, notices: list[str]) -> Iterator[SessionEvents]:
    """Yield the session stretches of a writer, in order within a session; unreadable lines are added to `notices`."""
    for number in read.segments(files, writer):
        seen = _Segment(files, writer, number, notices)
        for offset, block in read.blocks(files, writer, number):
            yield from seen.stretches(offset, block)


class _Held:
    """Lines of one session, to which more may be added."""

    def __init__(self, first: Place) -> None:
        self.first = self.newest = first
        self.kinds: dict[bytes, int] = {}


class _Segment:
    def __init__(self, files: Files, writer: str, number: int, notices: list[str]) -> None:
        import re

        self._files = files
        self._match = re.compile(_HEADER, re.DOTALL).match
        self._writer = writer
        self._number = number
        self._notices = notices
        self._passed = frozenset(kind.encode() for kind in event.STRUCTURE)

    def stretches(self, offset: int, block: bytes) -> list[SessionEvents]:
        """Return the stretches of sessions in these lines, in the order in which they began."""
        began, ended = event.STARTED.encode(), event.ENDED.encode()
        start, done = offset, list[_Held]()
        held: dict[bytes, _Held] = {}
        for line in block[:-1].split(b"\n"):
            match = self._match(line)
            kind, session = match.groups() if match else self._parsed(line, offset)
            if session != _NONE and kind not in self._passed:
                span = held.get(session)
                if span is None or kind == began:
                    span = held[session] = _Held((line, offset))
                    done.append(span)
                span.newest = (line, offset)
                span.kinds[kind] = span.kinds.get(kind, 0) + 1
                if kind == ended:
                    del held[session]
            offset += len(line) + 1
        return [stretch for span in done if (stretch := self._stretch(span, start, block))]

    def _parsed(self, line: bytes, offset: int) -> tuple[bytes, bytes]:
        entry = self._event((line, offset))
        words = (entry.kind, entry.session, entry.at) if entry else (None,)
        if entry is None or not all(isinstance(word, str) and word for word in words):
            return b"", _NONE
        return entry.kind.encode("utf-8", "surrogatepass"), f'"{entry.session}"'.encode("utf-8", "surrogatepass")

    def _stretch(self, held: _Held, start: int, block: bytes) -> SessionEvents | None:
        places = dict.fromkeys((held.first, held.newest))
        events = [entry for place in places if (entry := self._as_written(place, start, block))]
        if not events:
            return None
        between = {kind.decode("utf-8", "surrogatepass"): count for kind, count in held.kinds.items()}
        for entry in events:
            between[entry.kind] = between.get(entry.kind, 0) - 1
        return SessionEvents(events[0], events[-1], {kind: count for kind, count in between.items() if count > 0})

    def _as_written(self, place: Place, start: int, block: bytes) -> Event | None:
        """Return the event of a line in a block; None if it is unreadable or was changed."""
        line, offset = place
        entry, after = self._event(place), line_check.behind(start, block, offset, line)
        if entry and (wrong := line_check.wrong_in(self._files, self._writer, self._number, offset, line, after)):
            self._notices.append(line_check.passed_over(entry, wrong))
            return None
        return entry

    def _event(self, place: Place) -> Event | None:
        line, offset = place
        where = f"{segment.path(self._writer, self._number)} at byte {offset}"
        try:
            return event.decode(line, writer=self._writer, segment=self._number, offset=offset, where=where)
        except DamagedError as error:
            self._notices.append(f"{error.message} Skipped. {error.hint or ''}".rstrip())
            return None


_MOST_NAMED = 5
_MOST_NEAR, _NEAR = 3, 0.3


def named_session(files: Files, part: str, notices: list[str], writers: Sequence[str]) -> str:
    """Return the id of the one session of these writers whose id begins or ends with `part`.

    MissingFileError if it is missing, with similar ids; UsageError for several.
    """
    reader = select.Reader(files, select.Wanted(kinds=(event.STARTED,)))
    began = select.merged([reader.behind(writer, 0) for writer in writers])
    known = {entry.session: None for entry in began if entry.session}
    notices += [notice for notice in reader.notices if notice not in notices]
    parts = (
        [part] if part in known else [name for name in known if part and (name.startswith(part) or name.endswith(part))]
    )
    if len(parts) > 1:
        shown = ", ".join(parts[-_MOST_NAMED:])
        raise UsageError(f"{part!r} matches {len(parts)} sessions.", hint=f"Type more of the id. Newest: {shown}.")
    if not parts:
        raise MissingFileError(f"No session {part!r}.", hint=" ".join([*notices[:1], _hint(part, list(known))]))
    return parts[0]


def _hint(part: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(part, known, n=_MOST_NEAR, cutoff=_NEAR)
    see = "To list all sessions: agentws session list --all"
    return f"Did you mean: {', '.join(near)}? {see}" if near else see
