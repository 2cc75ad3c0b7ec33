"""The journal as boot reads it: of each writer the newest segment, and what its first line refers to. Never more.

No lock is taken: a last line without its newline may be one that is being written. What is damaged is a notice.
"""

from __future__ import annotations

from datetime import UTC

from agentws.errors import AgentwsError
from agentws.formats import digest, layout
from agentws.formats.journal import chain, event, segment, segment_index, thread
from agentws.operations.boot.scan import DAMAGED, LINE_BYTES, ODD, Scan, Segment, __file__, as_text, decoded, sound
from agentws.operations.boot.scan import second as second_of
from agentws.operations.boot.scan import unlinked as unlinked_of
from agentws.planning.boot.omissions import Omission
from agentws.planning.events import activity
from agentws.storage.installation import installation
from agentws.storage.journal import linkage
from agentws.storage.journal import read as _read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime
    from typing import Any

    from agentws.formats.journal.event import Event
    from agentws.operations.boot.scan import Line
    from agentws.planning.events.activity import Journal
    from agentws.storage.disk.cache import Cache
    from agentws.storage.disk.files import Files
    from agentws.storage.workspace.stores import Stores
    from agentws.storage.workspace.writer_trust import Trust

    Ref = dict[str, Any]

_MOST_WRITERS = 8
_MOST_STRANGERS, _MOST_STRANGE_WORDS = 3, 3
_UNSAID = (*event.STRUCTURE, event.STARTED, event.ENDED, "writer.")
_MOST_WHOLE = 2
"""Closed segments that are read whole, where references into them no longer hold."""
_RECENT = 48
_PIECE_BYTES = 1 << 12
_WORTH_REMEMBERING_BYTES = 1 << 16
_MOST_OFFSET = 1 << 40
_ENTRY = "journal"
_MADE_BY = (segment_index.__file__, thread.__file__, segment.__file__, event.__file__, __file__, __file__)


def read(stores: Stores, notices: list[str], unread: list[Omission], *, until: str = "") -> list[Journal]:
    """Return the journals of the newest writers, the oldest of these first; nothing later than the second `until`.

    `notices` takes what was odd, `unread` what was not opened.
    """
    if stores.shared is not None:
        notices = []  # lines that others may not hear are no damage; of what is one those are told who may mend it
    reader, names = _Reader(stores.files, stores.cache, notices, unread, until), _read.writers(stores.files)
    if _is_alone(stores, names):
        return reader.all(names)
    from agentws.storage.workspace import writer_trust

    trust = writer_trust.of(stores)
    notices += trust.notices
    return [*reader.strange(trust), *reader.all(trust.known)]


def _is_alone(stores: Stores, names: Sequence[str]) -> bool:
    """Return whether nobody has written but this installation: then there is nobody to be known."""
    here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state) if names[:1] else None
    return here is not None and names == [here.writer]


def second(moment: datetime) -> str:
    """A moment as the journal tells it, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


class _Reader:
    """Reads journals beneath a workspace; `notices` and `unread` take what was odd, and what was not opened."""

    def __init__(self, files: Files, cache: Cache, notices: list[str], unread: list[Omission], until: str) -> None:
        self._files = files
        self._cache = cache
        self._notices = notices
        self._unread = unread
        self._until = until
        self._known: dict[str, Any] = {}
        self._learned = False
        self._kept: list[object] = []
        self._whole: dict[str, bytes] = {}
        self._ended: set[str] = set()
        self._retracted: set[tuple[str, int]] = set()
        self._scanned: list[tuple[Journal, Scan, Segment]] = []

    def strange(self, trust: Trust) -> list[Journal]:
        """The newest words of writers that nobody vouched for, as what they are: text, of which nothing follows."""
        found = []
        for one in trust.strangers[-_MOST_STRANGERS:] if not trust.hides else ():
            told = self._last_words(one.writer)
            found += [activity.Journal(recent=[trust.marked(each) for each in told])] if told else []
        return found

    def _last_words(self, writer: str) -> list[Event]:
        try:
            newest = self._newest(writer)
        except AgentwsError as error:
            self._notices.append(error.message)
            return []
        lines = newest.lines(newest.base) if newest else []
        scan = Scan(writer, newest.number if newest else 1)
        told = [one for one in sound(scan, lines[-_RECENT:]) if not one.kind.startswith(_UNSAID) and one.body]
        return [as_text(one) for one in told if not self._until or one.at[: len(self._until)] <= self._until][
            -_MOST_STRANGE_WORDS:
        ]

    def all(self, writers: Sequence[str]) -> list[Journal]:
        """What the journals of the newest of these writers say, oldest writer first."""
        if len(writers) > _MOST_WRITERS:
            more = len(writers) - _MOST_WRITERS
            what = f"{layout.JOURNAL}/, {more} earlier writer{'s' * (more > 1)}"
            self._unread.append(
                Omission(
                    what, None, f"only the journals of the newest {_MOST_WRITERS} writers are read", activity.READ_WITH
                )
            )
        remembered = self._cache.get(_ENTRY) or []
        self._known = {} if self._until else {one[0]: one[1:] for one in remembered}
        found = [self._one(writer) for writer in writers[-_MOST_WRITERS:]]
        self._keep()
        journals = [journal for journal in found if journal]
        for journal in journals:  # what began with one writer may have been ended by another
            journal.open = [one for one in journal.open if one.call not in self._ended]
        names = {name for journal in journals for name in journal.unended}
        for journal, scan, newest in self._scanned:
            journal.handed = self._handed(journal, scan, newest, names) if names else ()
            self._complain(newest, scan)
        if self._retracted:
            for journal in journals:
                journal.leave_out(self._retracted)
        return journals

    def _one(self, writer: str) -> Journal | None:
        try:
            newest = self._newest(writer)
        except AgentwsError as error:
            self._notices.append(error.message)
            return None
        return self._read(writer, newest) if newest else None

    def _newest(self, writer: str) -> Segment | None:
        """The newest segment with a complete line: a crash may leave a new one without any."""
        for number in reversed(_read.newest(self._files, writer, 2)):
            path = segment.path(writer, number)
            data, size = self._files.part(path, _read.MOST_BYTES, from_end=True)
            first = data[:LINE_BYTES] if size == len(data) else self._files.piece(path, 0, LINE_BYTES)
            if b"\n" in data:
                return Segment(number, data, size, first.partition(b"\n")[0])
        return None

    def _read(self, writer: str, newest: Segment) -> Journal:
        scan, start = self._begun(writer, newest)
        lines = newest.lines(start)
        if self._until:
            lines = [(at, line) for at, line in lines if second_of(line) <= self._until]
        earlier, recent = lines[:-_RECENT], lines[-_RECENT:]
        newest.unlinked = unlinked_of(recent)
        if recent and linkage.wrong_newest(self._files, writer, newest.number, *recent[-1]) and not self._until:
            newest.unlinked.add(recent[-1][0])
        scan.fold(earlier, count=True)
        self._remember(writer, newest, scan, offset=recent[0][0] if recent else start, start=start)
        told = self._told(newest, scan, self._decoded(scan, scan.fold(recent), but=newest.unlinked))
        self._scanned.append((told, scan, newest))
        return told

    def _begun(self, writer: str, newest: Segment) -> tuple[Scan, int]:
        """As far as this segment was looked through at an earlier boot, or nowhere."""
        scan = Scan(writer, newest.number)
        known = self._known.get(writer)
        if known and not newest.base and known[0] == newest.number:
            _, offset, seal, outline, hours, scan.damaged = known
            if digest.quick(newest.data[:offset]) == seal:
                scan.outline = segment_index.restored(outline)
                scan.hours = hours
                return scan, int(offset)
            scan.damaged = 0
        if newest.base:
            self._notices.append(
                f"{segment.path(writer, newest.number)}: the segment is too large; only its end was read."
            )
            scan.fold([(0, newest.first)])
        return scan, newest.base

    def _remember(self, writer: str, newest: Segment, scan: Scan, *, offset: int, start: int) -> None:
        """What is known up to `offset`, for the next boot: segments only grow."""
        if newest.base or self._until:
            return
        if offset - start < _WORTH_REMEMBERING_BYTES:
            if start:
                self._kept.append([writer, *self._known[writer]])
            return
        self._learned = True
        outline = {name: list(told) if isinstance(told, list) else told for name, told in scan.outline.plain().items()}
        seal = digest.quick(newest.data[:offset])
        self._kept.append([writer, newest.number, offset, seal, outline, scan.hours, scan.damaged])

    def _keep(self) -> None:
        if not self._learned:
            return
        try:
            self._cache.put(_ENTRY, self._kept, made_by=_MADE_BY)
        except ODD:
            return  # numbers that no reference of ours has: it is looked through again

    def _decoded(self, scan: Scan, lines: Sequence[Line], *, but: Collection[int]) -> list[Event]:
        found = []
        for offset, line in lines:
            try:
                if offset in but:
                    raise ValueError
                found.append(decoded(line, writer=scan.writer, number=scan.number, offset=offset))
            except DAMAGED:
                scan.damaged += 1
        return found

    def _complain(self, newest: Segment, scan: Scan) -> None:
        path = segment.path(scan.writer, newest.number)
        if scan.damaged:
            what = "1 line is not an event" if scan.damaged == 1 else f"{scan.damaged} lines are not events"
            self._notices.append(f"{path}: {what}; skipped. See agentws journal verify.")
        if scan.lost:
            seqs = ", ".join(map(str, sorted(scan.lost)[:3])) + (", …" if len(scan.lost) > 3 else "")
            self._notices.append(f"{path}: refers to missing earlier events ({seqs}). See agentws journal verify.")

    def _told(self, newest: Segment, scan: Scan, recent: Sequence[Event]) -> Journal:
        outline = scan.outline
        self._ended.update(outline.ended)
        self._retracted.update((by, seq) for by, seq in outline.retracted)
        refs = [ref for ref in reversed(outline.open.values()) if _is_ref(ref)]
        scan.damaged += len(refs) < len(outline.open)
        begun = {one.seq: one for one in recent if one.kind == event.ACTION}
        begun |= {one.seq: one for one in self._referred(scan, newest, filter(outline.is_vague, refs))}
        refs = [ref for ref in refs if (one := begun.get(ref["seq"])) is None or not outline.is_over(one, ref)]
        shown = refs[: activity.MOST_IN_FLIGHT]
        actions = [begun.get(ref["seq"]) or self._at(scan, newest, ref) for ref in shown]
        significant = self._significant(scan, newest, {one.seq for one in recent})
        unended = self._broken(scan, newest, (*significant, *filter(None, actions), *recent))
        return activity.Journal(
            recent=recent,
            significant=significant,
            unended=unended,
            open=[
                activity.Open(scan.writer, ref["seq"], str(ref["call"]), one)
                for ref, one in zip(shown, actions, strict=True)
            ],
            more_open=len(refs) - len(shown),
            forgotten=_count(outline.overflowed.get("open")),
            hours=scan.hours,
            segment=newest.number,
            before=_first_seq(newest.first) - 1,
        )

    def _significant(self, scan: Scan, newest: Segment, at_hand: set[int]) -> list[Event]:
        """What is told although it is not recent: errors without a later result, and significant events."""
        refs = {ref["seq"]: ref for ref in (*scan.outline.errors, *scan.outline.significant) if _is_ref(ref)}
        wanted = sorted(refs.keys() - at_hand)[-activity.MOST_SIGNIFICANT :]
        return self._referred(scan, newest, [refs[seq] for seq in wanted])

    def _broken(self, scan: Scan, newest: Segment, known: Sequence[Event]) -> dict[str, list[Event]]:
        """What is at hand of the sessions that have not ended; nothing where all have ended."""
        if not scan.outline.sessions:
            return {}
        from agentws.operations.boot.scan import Lines, open_sessions

        begun = self._referred(scan, newest, scan.outline.begun.values())
        lines = Lines(newest.number, newest.data, newest.base, until=self._until)
        events = (*known, *begun)
        return open_sessions(lines, events, scan.outline, decode=lambda found: sound(scan, newest.named(found)))

    def _handed(self, told: Journal, scan: Scan, newest: Segment, names: Collection[str]) -> list[Event]:
        """The newest handoffs that took over the work of these sessions."""
        found = self._referred(scan, newest, [ref for name, ref in scan.outline.handed.items() if name in names])
        # Segments that an earlier version began refer to handoffs among what is significant alone.
        return [*found, *(one for one in told.significant if one.kind.startswith(event.HANDOFFS))]

    def _referred(self, scan: Scan, newest: Segment, refs: Iterable[Ref]) -> list[Event]:
        """The events that are referred to, each once, oldest first."""
        wanted = {ref["seq"]: ref for ref in refs if _is_ref(ref)}
        found = (self._at(scan, newest, wanted[seq]) for seq in sorted(wanted))
        return [one for one in found if one]

    def _at(self, scan: Scan, newest: Segment, ref: Ref) -> Event | None:
        """The event that a reference points to, None where it is not there."""
        seq, number, writer = ref["seq"], ref["segment"], scan.writer
        for find in (self._line, self._moved):
            try:
                line, _, rest = find(writer, newest, ref).partition(b"\n")
                one = decoded(line, writer=writer, number=number, offset=ref["offset"])
                if one.seq == seq and one.kind == ref.get("kind") and chain.names(rest.partition(b"\n")[0], line):
                    return one
            except DAMAGED:
                continue
        if number >= min(_read.segments(self._files, writer), default=1):
            scan.lost.add(seq)  # what was retired is not lost
        return None

    def _line(self, writer: str, newest: Segment, ref: Ref) -> bytes:
        number, offset = ref["segment"], ref["offset"]
        if number == newest.number and offset >= newest.base:
            start = offset - newest.base
            return newest.data[start : start + LINE_BYTES]
        path = segment.path(writer, number)
        piece = _read.piece(self._files, path, offset, _PIECE_BYTES)
        if b"\n" not in piece and len(piece) == _PIECE_BYTES:
            piece = _read.piece(self._files, path, offset, LINE_BYTES)
        return piece

    def _moved(self, writer: str, newest: Segment, ref: Ref) -> bytes:
        """Where a purge has made an earlier line of a closed segment shorter, those behind it stand elsewhere."""
        path = segment.path(writer, ref["segment"])
        if ref["segment"] == newest.number or (path not in self._whole and len(self._whole) == _MOST_WHOLE):
            return b""
        if path not in self._whole:
            self._whole[path] = b"\n" + _read.part(self._files, path, _read.MOST_BYTES)[0]
        start = self._whole[path].find(b'\n{"agentws":1,"seq":%d,' % ref["seq"]) + 1
        return self._whole[path][start : start + LINE_BYTES] if start else b""


def _is_ref(ref: Ref) -> bool:
    numbers = [ref.get(name) for name in ("seq", "segment", "offset")]
    return all(type(number) is int and 0 <= number < _MOST_OFFSET for number in numbers)


def _count(number: object) -> int:
    return number if type(number) is int and number > 0 else 0


def _first_seq(line: bytes) -> int:
    try:
        return max(1, segment.seq_of(line))
    except ValueError:
        return 1
