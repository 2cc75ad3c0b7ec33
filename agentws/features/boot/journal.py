"""Reads the journal for boot: the newest segment of each writer, and the events that its first line refers to.

No lock is taken: a last line without its newline may be in the middle of being written. Damage is a notice.
"""

from __future__ import annotations

import itertools
from datetime import UTC

from agentws.core.formats import layout
from agentws.core.formats.journal import chain, event, segment, segment_index, summary
from agentws.core.formats.journal.segment_index import INTERRUPTED
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import redaction
from agentws.core.installation import installation
from agentws.core.journal import line_check, read as _read, reference
from agentws.core.journal.events import activity
from agentws.core.journal.events.activity import Journal
from agentws.core.notes.request import Omission
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.stores import Stores
    from agentws.core.stores.writer_trust import Trust

    Ref = dict[str, Any]
    Line = tuple[int, bytes]
    """A line without its newline, and its offset."""

_MOST_WRITERS = 8
_MOST_STRANGERS, _MOST_STRANGE_WORDS = 3, 3
_UNSAID = (*event.STRUCTURE, event.STARTED, event.ENDED, "writer.")
_UNCOUNTED = (*event.STRUCTURE, event.RESULT, event.STARTED, event.ENDED)
_OWN = b"agentws"
_RECENT = 128
_MOST_EVENTS, _MOST_NOTES = 96, 32
"""So many of the newest events of a session are read, and of what was asked and said in it."""
_MOST_LINES = 6_000
"""More than events of ours fit into a segment: they have 300 bytes or more."""
_LINE_BYTES = 1 << 16
_MOST_OFFSET = 1 << 40
_ODD = (AgentwsError, AttributeError, KeyError, RecursionError, TypeError, ValueError)
"""What a line that somebody else wrote may lead to."""
_BEGIN = b'{"agentws":1,"seq":'
_AT, _SESSION = b'"at":"', b'"session":'
_SECOND = 19


def read(stores: Stores, notices: list[str], unread: list[Omission], *, until: str = "") -> list[Journal]:
    """Return the journals of the newest writers, oldest writer first, without events after the second `until`.

    Problems are added to `notices`, content that was not opened to `unread`.
    """
    if stores.shared is not None:
        notices = []  # lines that others may not hear are no damage; of what is one those are told who may mend it
    names = _read.writers(stores.files)
    strange: list[Journal] = []
    own = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state) if names[:1] else None
    if own is None or names != [own.writer] or not _read.is_as_left(stores.files, own):
        from agentws.core.stores import writer_trust

        trust = writer_trust.of(stores)
        notices += trust.notices
        names = trust.known
        for stranger in trust.strangers[-_MOST_STRANGERS:] if not trust.hides else ():
            strange += _of_stranger(_newest(stores.files, stranger.writer, notices, until), trust)
    if len(names) > _MOST_WRITERS:
        more = len(names) - _MOST_WRITERS
        what = f"{more} earlier writer{'s' * (more > 1)}"
        unread.append(Omission(f"{layout.JOURNAL}/", None, what, activity.READ_WITH))
    segments = [_newest(stores.files, writer, notices, until) for writer in names[-_MOST_WRITERS:]]
    journals = [*strange, *_together([newest for newest in segments if newest is not None], notices)]
    events = {id(entry): entry for each in journals for entry in each.events() if entry.body}
    for entry in events.values():
        entry.body = redaction.without_named(entry.body)
    stores.withhold_forgotten(events.values())
    return journals


def _newest(files: Files, writer: str, notices: list[str], until: str) -> _Segment | None:
    """The newest segment with a complete line: a crash may leave a new one without any."""
    try:
        for number in reversed(_read.newest(files, writer, 2)):
            data, size = files.part(segment.path(writer, number), _read.MOST_BYTES, from_end=True)
            if b"\n" in data:
                return _Segment(files, writer, number, data, size - len(data), until)
    except AgentwsError as error:
        notices.append(error.message)
    return None


def _of_stranger(newest: _Segment | None, trust: Trust) -> list[Journal]:
    """Return the newest notes of an unknown writer, marked as such: text without any effect."""
    events = newest.events(newest.lines[-_RECENT:]) if newest else []
    entries = [_as_text(each) for each in events if not each.kind.startswith(_UNSAID) and each.body]
    return [Journal(recent=[trust.marked(each) for each in entries[-_MOST_STRANGE_WORDS:]])] if entries else []


def _together(segments: Sequence[_Segment], notices: list[str]) -> list[Journal]:
    """Return the journals of these writers, oldest writer first."""
    journals = [newest.journal(notices) for newest in segments]
    ended = {call for newest in segments for call in newest.outline.ended}
    for journal in journals:  # what began with one writer may have been ended by another
        journal.open = [open_item for open_item in journal.open if open_item.call not in ended]
    names = {name for journal in journals for name in journal.unended}
    for journal, newest in zip(journals, segments, strict=True):
        if names:  # the newest handoffs that took over the work of these sessions
            handed = newest.at(ref for name, ref in newest.outline.handed.items() if name in names)
            # Segments of an earlier version refer to handoffs as significant events only. A handoff without a session
            # has no reference: it matters only in the second in which it is written, when it is recent.
            others = (*journal.significant, *journal.recent)
            journal.handed = [*handed, *(entry for entry in others if entry.kind.startswith(event.HANDOFFS))]
        notices += newest.complaints()
    retracted = reference.retracted(newest.outline for newest in segments)
    for journal in journals if retracted else ():
        journal.leave_out(retracted)
    return journals


def second(moment: datetime) -> str:
    """Return a moment as the journal writes it, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


class _Segment:
    """The newest segment of a writer that has a complete line, of which `base` bytes before its `data` were not read.

    `lines` are those up to the second `until`. Of those that were looked through it has the `outline`, the offsets of
    those `counted` as older events, and how many are `damaged`. `lost` are the numbers of events that the outline
    refers to and that are not there, `unlinked` the offsets of lines that were found not to be what was written.
    """

    def __init__(self, files: Files, writer: str, number: int, data: bytes, base: int, until: str) -> None:
        self.files = files
        self.writer = writer
        self.number = number
        self.path = segment.path(writer, number)
        lines = data.rsplit(b"\n", _MOST_LINES + 1)[:-1]
        self.is_cut = base > 0 or len(lines) > _MOST_LINES  # larger than any of ours: lines[0] is the rest
        offsets = itertools.accumulate((len(line) + 1 for line in lines), initial=base)
        self.all = [*zip(offsets, lines, strict=False)][self.is_cut :]
        self._places = {offset: place for place, (offset, _) in enumerate(self.all)}
        self.until = until
        self.lines = [(offset, line) for offset, line in self.all if not until or _second(line) <= until]
        self.outline = segment_index.Outline()
        self.counted: set[int] = set()
        self.damaged = 0
        self.lost: set[int] = set()
        self.unlinked: set[int] = set()

    def fold(self, lines: Sequence[Line], *, count: bool = False) -> list[Line]:
        """Add these lines to the outline and return those that are events; with `count`, count them as older events."""
        result = []
        for offset, line in lines:
            try:
                if not (line.startswith(_BEGIN) and line.endswith(b"}")):
                    raise ValueError
                self.outline.fold(line, writer=self.writer, segment=self.number, offset=offset)
                if count and _is_counted(line):
                    self.counted.add(offset)
            except _ODD:
                self.damaged += 1
            else:
                result.append((offset, line))
        return result

    def link(self, recent: Sequence[Line]) -> None:
        """Find altered lines among the newest ones: those whose hash the next line does not name."""
        for (offset, line), (_, after) in itertools.pairwise(recent):
            if not _is_named(line, after):
                self.unlinked.add(offset)
        if recent and not self.until and line_check.wrong_newest(self.files, self.writer, self.number, *recent[-1]):
            self.unlinked.add(recent[-1][0])

    def events(self, lines: Sequence[Line], *, count: bool = False) -> list[Event]:
        """Return the events of these lines; invalid or altered lines are added to `damaged` if `count`."""
        events = []
        for offset, line in lines:
            try:
                if offset in self.unlinked or not chain.is_whole(line):
                    raise ValueError
                events.append(_checked(event.decode(line, writer=self.writer, segment=self.number, offset=offset)))
            except (AgentwsError, ValueError):
                self.damaged += count
        return events

    def at(self, refs: Iterable[Ref]) -> list[Event]:
        """The events that are referred to, each once, oldest first; what is not there, and was not retired, is lost."""
        wanted = {ref["seq"]: ref for ref in refs if _is_ref(ref)}
        entries = []
        for seq, ref in sorted(wanted.items()):
            try:
                entry = self._loaded(ref) or reference.at(self.files, self.writer, ref)
                if entry is None or entry.kind != ref.get("kind"):
                    raise ValueError
                entries.append(_checked(entry))
            except ValueError:
                if ref["segment"] >= min(_read.segments(self.files, self.writer), default=1):
                    self.lost.add(seq)
        return entries

    def _loaded(self, ref: Ref) -> Event | None:
        """Return the event of a reference, or None if its line was not read."""
        place = self._places.get(ref["offset"])
        if ref["segment"] != self.number or place is None:
            return None
        pair = self.all[place : place + 2]
        events = self.events(pair[:1]) if _is_named(pair[0][1], pair[1][1] if pair[1:] else b"") else []
        return next((each for each in events if each.seq == ref["seq"]), None)

    def sessions(self, known: Sequence[Event]) -> dict[str, list[Event]]:
        """Return the events of each session that has not ended, oldest first, without resolved errors.

        Those that are `known`, the newest of the segment, and the last request and answer.
        """
        chosen: dict[bytes, list[Line]] = {plainjson.dumps(name).encode(): [] for name in self.outline.sessions}
        notes = dict.fromkeys(chosen, 0)
        seen = {entry.offset for entry in known if entry.segment == self.number}
        for (offset, line), (_, after) in zip(self.lines[-2::-1], self.lines[:0:-1], strict=True):
            start = line.find(_SESSION) + len(_SESSION)
            name = line[start : line.find(b",", start)]
            if name not in chosen:
                continue
            is_note = segment.kind_of(line) == event.NOTE
            notes[name] += is_note
            is_wanted = len(chosen[name]) < _MOST_EVENTS or (is_note and notes[name] <= _MOST_NOTES)
            if is_wanted and offset not in seen and _is_named(line, after):
                chosen[name].append((offset, line))
        unresolved = {ref.get("seq") for ref in self.outline.errors}
        result = {}
        for session, picked in zip(self.outline.sessions, chosen.values(), strict=True):
            events = {entry.seq: entry for entry in (*known, *self.events(picked)) if entry.session == session}
            events = {seq: each for seq, each in events.items() if each.kind != event.ERROR or seq in unresolved}
            if events:
                result[session] = [entry for _, entry in sorted(events.items())]
        return result

    def complaints(self) -> Iterator[str]:
        """Yield a notice for damaged lines, and one for lost events."""
        if self.damaged:
            what = "1 line is not an event" if self.damaged == 1 else f"{self.damaged} lines are not events"
            yield f"{self.path}: {what}; skipped. See agentws journal verify."
        if self.lost:
            seqs = ", ".join(map(str, sorted(self.lost)[:3])) + (", …" if len(self.lost) > 3 else "")
            yield f"{self.path}: refers to missing earlier events ({seqs}). See agentws journal verify."

    def journal(self, notices: list[str]) -> Journal:
        """Return the segment as boot shows it."""
        if self.is_cut:
            notices.append(f"{self.path}: the segment is too large; only its end was read.")
            self.fold([(0, self.files.piece(self.path, 0, _LINE_BYTES).partition(b"\n")[0])])
        self.link(self.lines[-_RECENT:])
        self.fold(self.lines[:-_RECENT], count=True)
        recent = self.events(self.fold(self.lines[-_RECENT:]), count=True)
        outline = self.outline
        refs = [ref for ref in reversed(outline.open.values()) if _is_ref(ref)]
        self.damaged += len(refs) < len(outline.open)
        begun = {entry.seq: entry for entry in recent if entry.kind == event.ACTION}
        begun |= {entry.seq: entry for entry in self.at(filter(outline.is_vague, refs))}
        refs = [ref for ref in refs if (entry := begun.get(ref["seq"])) is None or not outline.is_over(entry, ref)]
        shown = refs[: activity.MOST_IN_FLIGHT]
        begun |= {entry.seq: entry for entry in self.at(ref for ref in shown if ref["seq"] not in begun)}
        actions = [begun.get(ref["seq"]) for ref in shown]
        # What is told although it is not recent: errors without a later result, and significant events.
        at_hand = {entry.seq for entry in recent}
        refs_told = {ref["seq"]: ref for ref in (*outline.errors, *outline.significant) if _is_ref(ref)}
        wanted = sorted(refs_told.keys() - at_hand)[-activity.MOST_SIGNIFICANT :]
        significant = self.at(refs_told[seq] for seq in wanted)
        known = (*significant, *filter(None, actions), *recent)
        forgotten = outline.overflowed.get("open")
        first = _read.first_seq(self.files, self.writer, self.number)
        listed = (*shown, *(refs_told[seq] for seq in wanted))
        counted = {ref["seq"] for ref in listed if ref["seq"] < first or ref["offset"] in self.counted}
        return Journal(
            recent=recent,
            significant=significant,
            unended=self.sessions((*known, *self.at(outline.begun.values()))) if outline.sessions else {},
            open=[
                activity.Open(self.writer, ref["seq"], str(ref["call"]), entry, interrupted=INTERRUPTED in ref)
                for ref, entry in zip(shown, actions, strict=True)
            ],
            more_open=len(refs) - len(shown),
            forgotten=forgotten if type(forgotten) is int and forgotten > 0 else 0,
            older=len(self.counted) + max(0, first - 1),
            counted={(self.writer, seq) for seq in counted},
        )


def _is_counted(line: bytes) -> bool:
    kind = segment.kind_of(line)
    return kind not in _UNCOUNTED and not (kind == event.ACTION and _OWN in line and _is_own_call(line))


def _is_own_call(line: bytes) -> bool:
    from agentws.core.formats.journal import shell_call

    return bool(shell_call.verb(plainjson.loads(line)["body"]))


def _second(line: bytes) -> str:
    """When a line was written, in UTC and to the second."""
    at = line.find(_AT) + len(_AT)
    return line[at : at + _SECOND].decode("ascii", "replace")


def _is_named(line: bytes, after: bytes) -> bool:
    """Return whether a line is named by the one after it; True where it is no event, which is said elsewhere."""
    try:
        return chain.names(after, line)
    except ValueError:
        return True


def _checked(entry: Event) -> Event:
    """Return the event; ValueError if a word in its header is invalid."""
    words = (entry.at, entry.kind, entry.src, entry.session or "")
    is_body = entry.body is None or isinstance(entry.body, dict)
    if not (is_body and isinstance(entry.seq, int) and all(isinstance(word, str) for word in words)):
        raise ValueError
    return entry


def _as_text(entry: Event) -> Event:
    """Return an unknown writer's event as a plain note: no decision, no action in flight, no importance."""
    body = {"text": f"{entry.kind}: {summary.of(entry.body)}"}
    entry.kind, entry.session, entry.body = event.NOTE, None, body
    return entry


def _is_ref(ref: Ref) -> bool:
    numbers = [ref.get(name) for name in ("seq", "segment", "offset")]
    return all(type(number) is int and 0 <= number < _MOST_OFFSET for number in numbers)
