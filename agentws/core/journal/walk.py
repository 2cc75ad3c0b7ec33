"""The walk along a writer's journal: every line with a verdict, from the first segment to the end.

If the chain breaks, the next line shows which side of the break was changed. Lines are parsed only if needed.
`chain.unbroken` is the same check for lines that have to follow each other and end at the first that does not.
"""

from __future__ import annotations

from enum import StrEnum

from agentws.core import Record
from agentws.core.formats.journal import chain, event, segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import read
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from agentws.core.disk.files import Files

_FEW_BYTES = 1 << 9
"""How much is checked together behind a line that did not follow: the next one may not either."""


class Verdict(StrEnum):
    """Verdict on a line, or on a place where lines should be."""

    INTACT = "intact"
    PURGED = "purged"
    """It follows the line before, and its content was taken: only its order tells whether that was valid."""
    RESUMED = "resumed"
    """A line behind one that is damaged or missing: it is not known whether it follows."""
    ALTERED = "altered"
    """The header or the body is not what was written."""
    MISPLACED = "misplaced"
    """An event with another number than the one that is due: repeated, swapped, or from elsewhere."""
    INSERTED = "inserted"
    """A line with the number of the next one, which is the one that the chain goes on with."""
    FOREIGN = "foreign"
    """The first event of another agent or writer."""
    MISSING = "missing"
    """Events or segments that should be there."""
    NO_EVENT = "no event"
    """A complete line that is not an event: an edit, or bytes that a power cut left."""
    TORN = "torn"
    """An incomplete line at the end of a segment, or an empty segment: an edit, or what a crash left."""
    UNREADABLE = "unreadable"
    """A segment that cannot be read."""


FOLLOWS = (Verdict.INTACT, Verdict.PURGED)
"""The verdicts on lines that follow the line before."""


class Place:
    """The place of a journal line: the RelPath of its segment, its line number there (1-based), and its offset."""

    __slots__ = ("line", "number", "offset", "path")

    def __init__(self, path: str, line: int, *, number: int = 0, offset: int = 0) -> None:
        self.path = path
        self.line = line
        self.number = number
        self.offset = offset


class Base(Record):
    """The line before the first present segment of a journal: the last missing segment's number, and the line's number
    and hash as that segment's first line gives them.
    """

    number: int
    seq: int
    hash: str


class Lines(Record):
    """Lines of a journal with the same verdict: those that follow each other together, every other line alone.

    `what` says what is wrong at `place`, empty for nothing. `data` are the lines with their newlines, `first` is the
    number of the first event and `hashes` are those of all, as they say it. Without `data`, the verdict is about a
    place: of something that is missing, or of a line whose change only the line after it shows.
    """

    place: Place
    verdict: Verdict
    what: str = ""
    data: bytes = b""
    first: int = 0
    hashes: Sequence[str] = ()
    stretch: chain.Stretch | None = None
    error: AgentwsError | None = None

    @property
    def count(self) -> int:
        """The number of complete lines."""
        return 0 if self.verdict is Verdict.TORN else len(self.hashes) or self.data.count(b"\n")

    def hash_of(self, seq: object) -> str:
        """Return the hash of the event with this number, empty if it is not among these lines."""
        index = seq - self.first if type(seq) is int else -1
        return self.hashes[index] if 0 <= index < len(self.hashes) else ""


class Walk:
    """Iterate over the lines of a writer's segments with these numbers.

    `newest` is (number, hash) of the newest readable line so far, `seq` the number up to which the lines go, `last` the
    place of the last line of the last segment; `base` is where the walk begins if not with the first line. `known` are
    remembered hashes by event number: they tell whether the newest line was changed, or the one before.
    """

    def __init__(
        self, files: Files, agent: str, writer: str, numbers: Sequence[int], known: Mapping[int, str] | None = None
    ) -> None:
        self.writer = writer
        self.seq = 0
        self.newest = 0, chain.genesis(agent, writer)
        self.last = Place(segment.path(writer, 1), 0)
        self.base: Base | None = None
        self._files = files
        self._numbers = numbers
        self._known = known or {}
        self._lost = False

    def __iter__(self) -> Iterator[Lines]:
        due = self._begin(self._numbers[0]) if self._numbers and self._numbers[0] > 1 else 1
        for number in self._numbers:
            if number != due:
                count = number - due
                words = "this segment is missing" if count == 1 else f"{count} segments are missing from here on"
                yield Lines(Place(segment.path(self.writer, due), 1, number=due), Verdict.MISSING, words)
                self._be_lost()
            try:
                yield from self._segment(number)
            except AgentwsError as error:
                place = Place(segment.path(self.writer, number), 1, number=number)
                yield Lines(place, Verdict.UNREADABLE, error.message, error=error)
                self._be_lost()
            due = number + 1

    def _begin(self, number: int) -> int:
        """Begin with a later segment than the first, from its first line; returns the expected segment number."""
        try:
            before = read.before(self._files, self.writer, number)
        except AgentwsError:
            before = None
        if before is None:
            return 1
        self._go_on(*before)
        self.base = Base(number - 1, seq=before[0], hash=before[1])
        return number

    def _segment(self, number: int) -> Iterator[Lines]:
        path = segment.path(self.writer, number)
        line = end = 0
        for offset, block in read.blocks(self._files, self.writer, number, rest=True):
            whole = block.rfind(b"\n") + 1
            yield from self._block(Place(path, line + 1, number=number, offset=offset), block[:whole])
            line += block.count(b"\n")
            if whole < len(block):
                place = Place(path, line + 1, number=number, offset=offset + whole)
                yield Lines(place, Verdict.TORN, chain.INCOMPLETE, data=block[whole:])
                self._be_lost()
            end = offset + len(block)
        if not end:
            yield Lines(Place(path, 1, number=number), Verdict.TORN, "the file is empty")
        self.last = Place(path, line, number=number, offset=end)

    def _block(self, start: Place, block: bytes) -> Iterator[Lines]:
        """Check a block of complete lines."""
        at, line, why, together = 0, start.line, "", chain.LINE_LIMIT_BYTES - 1
        while at < len(block):
            place = Place(start.path, line, number=start.number, offset=start.offset + at)
            if not self._lost:
                for part in chain.stretches(block, self.newest, start=at, sha256=_sha256(), together=together):
                    if part.wrong:
                        why = part.wrong
                        break
                    yield self._follows(start, line, block, part)
                    at, line = part.end, line + len(part.hashes)
                if at == len(block):
                    return
                place = Place(start.path, line, number=start.number, offset=start.offset + at)
            end = block.find(b"\n", at) + 1
            yield from self._odd(place, block[at:end], why, block[end : block.find(b"\n", end)])
            at, line, together = end, line + 1, _FEW_BYTES

    def _follows(self, start: Place, line: int, block: bytes, part: chain.Stretch) -> Lines:
        place = Place(start.path, line, number=start.number, offset=start.offset + part.start)
        data, first = block[part.start : part.end], self.seq + 1
        verdict = Verdict.PURGED if not part.heads and chain.was_purged(data) else Verdict.INTACT
        self._go_on(*part.last)
        return Lines(place, verdict, data=data, first=first, hashes=part.hashes, stretch=part)

    # Lines that do not follow

    def _odd(self, place: Place, data: bytes, why: str, following: bytes) -> Iterator[Lines]:
        """Judge a line that is not the expected one, and find where to continue."""
        stored, fields = data[:-1], _sound_header(data[:-1])
        if fields is None:
            yield Lines(place, Verdict.NO_EVENT, "" if self._lost else why, data=data)
            self.seq += 1
            self._be_lost()
            return
        seq, hash_ = fields["seq"], chain.hash_of(stored)
        if self._lost:
            wrong = _wrong_in_itself(stored)
            verdict = Verdict.ALTERED if wrong else Verdict.RESUMED
            if not wrong and (seq - 1, fields["prev"]) == self.newest:
                verdict = Verdict.INTACT  # what stands between is not a line
            yield Lines(place, verdict, wrong, data=data, first=seq, hashes=[hash_])
            self._go_on(seq, hash_)
            return
        after = _sound_header(following or self._next(place, stored))
        judge = (
            self._misplaced
            if seq != self.seq + 1
            else self._broken
            if fields["prev"] != self.newest[1]
            else self._changed
        )
        yield from judge(place, data, why, fields, after)

    def _changed(
        self, place: Place, data: bytes, why: str, fields: Mapping[str, Any], _: Mapping[str, Any] | None
    ) -> Iterator[Lines]:
        """Judge a line that is where it belongs, and is not what was written."""
        hash_ = chain.hash_of(data[:-1])
        yield Lines(place, Verdict.ALTERED, why, data=data, first=fields["seq"], hashes=[hash_])
        self._go_on(fields["seq"], hash_)

    def _misplaced(
        self, place: Place, data: bytes, why: str, fields: Mapping[str, Any], after: Mapping[str, Any] | None
    ) -> Iterator[Lines]:
        """Judge a line with another number than expected."""
        due, seq, hash_ = self.seq + 1, fields["seq"], chain.hash_of(data[:-1])
        line = Lines(place, Verdict.MISPLACED, why, data=data, first=seq, hashes=[hash_])
        if after is not None and after["seq"] == due + 1:
            yield line  # one line in place of another
            self.seq = due
            self._be_lost()
            return
        if seq > due and (after is None or after["seq"] == seq + 1):
            missing = f"the event {due} is" if seq == due + 1 else f"the events {due} to {seq - 1} are"
            at_start = place.line == 1 and place.number == self.last.number + 1
            cut = at_start and segment.kind_of(data) == event.OPENED
            yield Lines(self.end if cut else place, Verdict.MISSING, f"{missing} missing before {seq}")
        elif seq == due - 1 and after is not None and after["prev"] == hash_ != self.newest[1]:
            words = f"this line was inserted: the next line has the same number, {seq}"
            yield Lines(self._before(place), Verdict.INSERTED, words)
        else:
            yield line  # it does not belong here, and what is due is still to come
            return
        line.verdict, line.what = Verdict.RESUMED, ""
        yield line
        self._go_on(seq, hash_)

    def _broken(
        self, place: Place, data: bytes, why: str, fields: Mapping[str, Any], after: Mapping[str, Any] | None
    ) -> Iterator[Lines]:
        """Judge a line that does not follow the one before: the line after shows which of the two was changed."""
        hash_ = chain.hash_of(data[:-1])
        line = Lines(place, Verdict.ALTERED, data=data, first=fields["seq"], hashes=[hash_])
        header = "the header of this event was changed"
        if fields["seq"] == 1:
            line.verdict, line.what = (
                Verdict.FOREIGN,
                "this first event belongs to the journal of another agent or writer",
            )
        elif after is None and self._known.get(fields["seq"]) != hash_:
            line.what = why
        elif after is None or after["prev"] == hash_:
            yield Lines(self._before(place), Verdict.ALTERED, header)
            line.verdict = Verdict.RESUMED
        else:
            line.what = header
            yield line
            self.seq = fields["seq"]
            self._be_lost()
            return
        wrong = _wrong_in_itself(data[:-1])
        if wrong and not line.what:
            line.verdict, line.what = Verdict.ALTERED, wrong
        yield line
        self._go_on(fields["seq"], hash_)

    @property
    def end(self) -> Place:
        """The place behind the last line of the last segment."""
        return Place(self.last.path, self.last.line + 1, number=self.last.number, offset=self.last.offset)

    def _go_on(self, seq: int, hash_: str) -> None:
        self.seq, self.newest, self._lost = seq, (seq, hash_), False

    def _be_lost(self) -> None:
        """Forget the expected hash: the next readable line gives it."""
        self._lost = True

    def _before(self, place: Place) -> Place:
        """Return the place of the line before."""
        return Place(place.path, place.line - 1, number=place.number) if place.line > 1 else self.last

    def _next(self, place: Place, stored: bytes) -> bytes | None:
        """Return the line after the last line of a block."""
        start = place.offset + len(stored) + 1
        for number in (place.number, place.number + 1):
            if number in self._numbers:
                for _, line in read.lines(self._files, self.writer, number, start=start):
                    return line
            start = 0
        return None


def last_good(files: Files, agent: str, writer: str) -> dict[str, object]:
    """Return number and hash of the last event up to which a journal's chain is unbroken."""
    walk = Walk(files, agent, writer, read.segments(files, writer))
    for lines in walk:
        if lines.error is not None:
            raise lines.error
        if lines.verdict not in (*FOLLOWS, Verdict.TORN):
            break
    return {"seq": walk.newest[0], "hash": walk.newest[1]}


def _wrong_in_itself(stored: bytes) -> str:
    """Return what is wrong with a line whatever stands before it; empty for nothing."""
    return chain.unbroken(stored + b"\n").wrong


def _sha256() -> Callable[..., Any]:
    import hashlib  # faster than digest.sha256 for much, but it loads OpenSSL

    return hashlib.sha256


def _sound_header(stored: bytes | None) -> Mapping[str, Any] | None:
    """Return the header of a line, None if it has no readable one."""
    fields = header_of(stored) if stored is not None else {}
    sound = type(fields.get("seq")) is int and isinstance(fields.get("prev"), str) and fields.get("agentws") == 1
    return fields if sound else None


def body_of(stored: bytes) -> Mapping[str, Any]:
    """Return the body of a line, empty if it has no readable one."""
    body = plainjson.fields_of(stored).get("body")
    return body if isinstance(body, dict) else {}


def header_of(stored: bytes) -> Mapping[str, Any]:
    """Return the header of a line, empty if it has no readable one."""
    try:
        return plainjson.fields_of(chain.header(stored) + b"}")
    except ValueError:
        return {}
