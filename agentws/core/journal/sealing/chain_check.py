"""The chain check of a writer's journal: a walk along its lines that finds each line that was changed.

Where the chain breaks, the line after shows which side of the break was changed. Lines are parsed only if needed.
"""

from __future__ import annotations

from agentws.core.formats.journal import chain, event, segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import read
from agentws.core.journal.sealing.retired_check import Base
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from agentws.core.disk.files import Files

_UNKNOWN = ""
_BLOB = b'"blob":"'
_LOOKED_AT = (event.SEAL, event.PURGE, event.RETIRED)
_SPECIAL = (*(f'"kind":"{kind}"'.encode() for kind in _LOOKED_AT), _BLOB)
"""Parts of a line that need a closer look, besides purged lines."""
_KIND = b'","kind":"'
_KIND_BYTES = len(_KIND) + len("segments.")
_KINDS = {(_KIND + kind.encode() + b'","session":')[:_KIND_BYTES] for kind in _LOOKED_AT}
_BEFORE_KIND = len('"id":"","at":"') + 36 + 27
"""The number of bytes between the number and the kind of a line: an id and a time with their keys."""
_MOST_TOGETHER, _FEWER = chain.LINE_LIMIT_BYTES - 1, 8
"""The number of bytes of lines that are checked together; around an unexpected line, repeatedly fewer, down to that
one.
"""


class Place:
    """The place of a journal line: the RelPath of its segment, its line number there (1-based), and its offset."""

    __slots__ = ("line", "number", "offset", "path")

    def __init__(self, path: str, line: int, *, number: int = 0, offset: int = 0) -> None:
        self.path = path
        self.line = line
        self.number = number
        self.offset = offset


class Left:
    """The kind of bytes that a crash may have left: none, a line without its end, or bytes that are not a line."""

    NOTHING, TAIL, BAD_BYTES = 0, 1, 2


class Walk:
    """The position of a walk along the chain and its findings; `known` are remembered hashes by event number.

    `seq` and `hash` are those of the newest line, `last` is its place; `special` are the lines that need a closer look;
    `met` are the hashes of the known numbers (with their `places`) and of those that seals cover; `base` is where the
    walk begins if not with the first line; `findings` are (place, what is wrong, one of Left).
    """

    def __init__(self, files: Files, agent: str, writer: str, known: Mapping[int, str]) -> None:
        self.writer = writer
        self.events = self.bytes = self.first = 0
        self.seq = 0
        self.hash = chain.genesis(agent, writer)
        self.special: list[tuple[Place, bytes]] = []
        self.met: dict[int, str] = {}
        self.places: dict[int, Place] = {}
        self.findings: list[tuple[Place, str, int]] = []
        self._files = files
        self._known = known
        self._recent: dict[int, str] | _Hashes = {}
        self._earlier: dict[int, str] | _Hashes = {}
        self._lost = False
        self.last = Place(segment.path(writer, 1), 0)
        self._numbers: list[int] = []
        self.base: Base | None = None

    def through(self, numbers: list[int], progress: Callable[[int], None]) -> None:
        """Check the segments with these numbers."""
        self._numbers = numbers
        due = self._begin(numbers[0]) if numbers and numbers[0] > 1 else 1
        for number in numbers:
            if number != due:
                self._gap(due, number)
            self._segment(number, progress)
            due = number + 1

    def _begin(self, number: int) -> int:
        """Begin with a later segment than the first, from its first line; returns the expected segment number."""
        try:
            told = read.before(self._files, self.writer, number)
        except AgentwsError:
            told = None
        if told is None:
            return 1
        self.base = Base(number - 1, seq=told[0], hash=told[1])
        self._go_on(self.base.seq, self.base.hash)
        return number

    def _gap(self, due: int, number: int) -> None:
        count = number - due
        words = "this segment is missing" if count == 1 else f"{count} segments are missing from here on"
        self._find(Place(segment.path(self.writer, due), 1, number=due), words)
        self._be_lost()

    def _segment(self, number: int, progress: Callable[[int], None]) -> None:
        try:
            self._lines(number, progress)
        except AgentwsError as error:
            self._find(Place(segment.path(self.writer, number), 1, number=number), error.message)
            self._be_lost()

    def _lines(self, number: int, progress: Callable[[int], None]) -> None:
        path = segment.path(self.writer, number)
        line = end = 0
        for offset, block in read.blocks(self._files, self.writer, number, rest=True):
            place = Place(path, line + 1, number=number, offset=offset)
            if block.endswith(b"\n"):
                line += self._block(place, block)
            else:
                self._find(place, "the last line is incomplete", Left.TAIL)
                self._be_lost()
            end = offset + len(block)
            progress(len(block))
        self.bytes += end
        if not end:
            self._find(Place(path, 1, number=number), "the file is empty", Left.TAIL)
        self.last = Place(path, line, number=number, offset=end)

    def _block(self, start: Place, block: bytes) -> int:
        """Check a block of complete lines; returns how many there are."""
        hashes: list[str] = []
        special = [] if start.offset else [(start, block[: block.find(b"\n")])]
        first, wrong, together = self.seq + 1, len(self.findings), _MOST_TOGETHER
        at = 0
        while at < len(block):
            place = Place(start.path, start.line + len(hashes), number=start.number, offset=start.offset + at)
            line_end = block.find(b"\n", at) + 1
            end = line_end if self._lost else max(block.rfind(b"\n", at, at + together) + 1, line_end)
            some = block[at:end]
            good = None if self._lost else chain.follow(some, seq=self.seq + 1, prev=self.hash, sha256=_sha256())
            if good is not None:
                special += _special(place, some, self.seq + 1, good)
                hashes += good[0]
                self._go_on(self.seq + len(good[0]), hashes[-1])
                together = min(together * _FEWER, _MOST_TOGETHER)
            elif end > line_end:
                together = len(some) // _FEWER
                continue
            else:
                if chain.was_purged(some) or _is_special(some):
                    special.append((place, some[:-1]))
                self._closer(place, some[:-1], block[end : block.find(b"\n", end)] if end < len(block) else None)
                hashes.append(self.hash)
            at = end
        self.events += len(hashes)
        self.first = self.first or first
        self._remember(start, block, hashes if len(self.findings) == wrong else None, first)
        for place, stored in special:
            self._note_special(place, stored)
        return len(hashes)

    def _closer(self, place: Place, stored: bytes, following: bytes | None) -> None:
        """Check a single line that was purged or is not the expected one."""
        try:
            self._go_on(self.seq + 1, chain.check(stored, seq=self.seq + 1, prev=self.hash))
        except ValueError as error:
            self._odd(place, stored, str(error), following)

    def _remember(self, start: Place, block: bytes, hashes: list[str] | None, first: int) -> None:
        """Keep the hashes of the newest lines, and those of the known numbers.

        Without `hashes` they are computed from the lines: these are not in order.
        """
        whole = hashes is not None and self.seq - first + 1 == len(hashes)
        lines = [] if whole else block[:-1].split(b"\n")
        self._earlier = self._recent
        self._recent = _Hashes(first, hashes) if whole and hashes else _hashes(lines)
        for seq in self._known:
            hash_ = self._recent.get(seq)
            if hash_ is not None:
                self.met[seq] = hash_
                index = seq - first if whole else [(_told(stored) or {}).get("seq") for stored in lines].index(seq)
                self.places[seq] = Place(start.path, start.line + index, number=start.number)

    def _note_special(self, place: Place, stored: bytes) -> None:
        """Record a line that needs a closer look."""
        self.special.append((place, stored))
        if segment.kind_of(stored) == event.SEAL and not chain.was_purged(stored):
            self._meet(stored)

    def _meet(self, stored: bytes) -> None:
        """Keep the hash of the line that a seal covers; most are close by."""
        covers = body_of(stored).get("seq", 0)
        if type(covers) is not int:
            return
        hash_ = self._recent.get(covers) or self._earlier.get(covers)
        if hash_:
            self.met[covers] = hash_

    # Errors

    def _odd(self, place: Place, stored: bytes, why: str, following: bytes | None) -> None:
        """Report a line that is not the expected one, and find where to continue."""
        told = _told(stored)
        if told is None:
            if not self._lost or not self.findings:
                self._find(place, why, Left.BAD_BYTES)
            self.seq += 1
            self._be_lost()
            return
        if self._lost:
            self._find_again(place, stored, told)
            return
        after = _told(following if following is not None else self._next(place, stored))
        if told["seq"] != self.seq + 1:
            self._misplaced(place, stored, why, told, after)
        elif told["prev"] != self.hash:
            self._broken(place, stored, why, told, after)
        else:
            self._find(place, why)
            self._go_on(told["seq"], chain.hash_of(stored))

    def _find_again(self, place: Place, stored: bytes, told: Mapping[str, Any]) -> None:
        """Continue with the first good line after an unreadable one."""
        self._lost = False
        try:
            self._go_on(told["seq"], chain.check(stored, seq=told["seq"], prev=told["prev"]))
        except ValueError as error:
            self._find(place, str(error))
            self._go_on(told["seq"], chain.hash_of(stored))

    def _misplaced(
        self, place: Place, stored: bytes, why: str, told: Mapping[str, Any], after: Mapping[str, Any] | None
    ) -> None:
        """Report a line with another number than expected."""
        due, seq, hash_ = self.seq + 1, told["seq"], chain.hash_of(stored)
        if after is not None and after["seq"] == due + 1:
            self._find(place, why)  # one line in place of another
            self.seq = due
            self._be_lost()
        elif seq > due and (after is None or after["seq"] == seq + 1):
            missing = f"the event {due} is" if seq == due + 1 else f"the events {due} to {seq - 1} are"
            at_start = place.line == 1 and place.number == self.last.number + 1
            cut = at_start and segment.kind_of(stored) == event.OPENED
            self._find(_behind(self.last) if cut else place, f"{missing} missing before {seq}")
            self._go_on(seq, hash_)
        elif seq == due - 1 and after is not None and after["prev"] == hash_ != self.hash:
            self._find(self._before(place), f"this line was inserted: the next line has the same number, {seq}")
            self._go_on(seq, hash_)
        else:
            self._find(place, why)  # it does not belong here, and what is due is still to come

    def _broken(
        self, place: Place, stored: bytes, why: str, told: Mapping[str, Any], after: Mapping[str, Any] | None
    ) -> None:
        """Report a line that does not follow the one before: the line after shows which of the two was changed."""
        hash_ = chain.hash_of(stored)
        if told["seq"] == 1:
            self._find(place, "this first event belongs to the journal of another agent or writer")
        elif after is None and self._known.get(told["seq"]) != hash_:
            self._find(place, why)
        elif after is None or after["prev"] == hash_:
            self._find(self._before(place), "the header of this event was changed")
        else:
            self._find(place, "the header of this event was changed")
            self.seq = told["seq"]
            self._be_lost()
            return
        self._go_on(told["seq"], hash_)
        try:
            chain.check(stored, seq=told["seq"], prev=told["prev"])
        except ValueError as error:
            self._find(place, str(error))

    def _go_on(self, seq: int, hash_: str) -> None:
        self.seq, self.hash = seq, hash_

    def _be_lost(self) -> None:
        """Forget the expected hash: the next readable line gives it."""
        self.hash, self._lost = _UNKNOWN, True

    def _before(self, place: Place) -> Place:
        """Return the place of the line before."""
        if place.line > 1:
            return Place(place.path, place.line - 1, number=place.number)
        return self.last

    def _next(self, place: Place, stored: bytes) -> bytes | None:
        """Return the line after the last line of a block."""
        start = place.offset + len(stored) + 1
        for number in (place.number, place.number + 1):
            if number in self._numbers:
                for _, line in read.lines(self._files, self.writer, number, start=start):
                    return line
            start = 0
        return None

    def _find(self, place: Place, what: str, left: int = Left.NOTHING) -> None:
        self.findings.append((place, what, left))


def _behind(last: Place) -> Place:
    return Place(last.path, last.line + 1, number=last.number, offset=last.offset)


def _sha256() -> Callable[..., Any]:
    import hashlib  # faster than digest.sha256 for much, but it loads OpenSSL

    return hashlib.sha256


def _special(
    start: Place, stretch: bytes, seq: int, parts: tuple[list[str], list[bytes], list[bytes]]
) -> list[tuple[Place, bytes]]:
    """Return the lines of a stretch that need a closer look; they are in order, the first has the number `seq`."""
    at = len(b'{"agentws":1,"seq":%d,' % seq) + _BEFORE_KIND
    _, heads, tails = parts
    kinds = {head[at : at + _KIND_BYTES] for head in heads}
    is_plain = kinds.isdisjoint(_KINDS) and all(kind.startswith(_KIND) for kind in kinds)
    if is_plain and _BLOB not in b"\n".join(tails):
        return []
    found, offset = [], start.offset
    for index, line in enumerate(stretch.split(b"\n")):
        if _is_special(line) and (start.line > 1 or index):
            found.append((Place(start.path, start.line + index, number=start.number, offset=offset), line))
        offset += len(line) + 1
    return found


def _is_special(stored: bytes) -> bool:
    return any(word in stored for word in _SPECIAL)


class _Hashes:
    """The hashes of consecutive lines, the first of which has the number `first`."""

    __slots__ = ("_first", "_hashes")

    def __init__(self, first: int, hashes: list[str]) -> None:
        self._first = first
        self._hashes = hashes

    def get(self, seq: int) -> str | None:
        """Return the hash of the line with this number, None if it is not among them."""
        index = seq - self._first
        return self._hashes[index] if 0 <= index < len(self._hashes) else None


def _hashes(lines: list[bytes]) -> dict[int, str]:
    """Return the hashes of the readable lines, by their numbers."""
    return {told["seq"]: chain.hash_of(stored) for stored in lines if (told := _told(stored)) is not None}


def _told(stored: bytes | None) -> Mapping[str, Any] | None:
    """Return the header of a line, None if it has no readable one."""
    if stored is None:
        return None
    try:
        fields = plainjson.loads(chain.header(stored) + b"}")
        sound = type(fields["seq"]) is int and isinstance(fields["prev"], str) and fields["agentws"] == 1
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return fields if sound else None


def body_of(stored: bytes) -> Mapping[str, Any]:
    """Return the body of a line, empty if it has no readable one."""
    try:
        found = plainjson.loads(stored)["body"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def header_of(stored: bytes) -> Mapping[str, Any]:
    """Return the header of a line, empty if it has no readable one."""
    try:
        found = plainjson.loads(chain.header(stored) + b"}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
