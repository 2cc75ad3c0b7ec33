"""Input and result of verifying a journal: remembered heads, the lines of a writer, the findings."""

from __future__ import annotations

from agentws.core import Record, Result
from agentws.core.formats.journal import chain, event, segment
from agentws.core.journal.walk import Lines, Place, Walk, body_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


_LOOKED_AT = (event.SEAL, event.PURGE, event.RETIRED)
_BLOB = b'"blob":"'
_SPECIAL = (*(f'"kind":"{kind}"'.encode() for kind in _LOOKED_AT), _BLOB)
_KIND = b'","kind":"'
_KIND_BYTES = len(_KIND) + len("segments.")
_KINDS = {(_KIND + kind.encode() + b'","session":')[:_KIND_BYTES] for kind in _LOOKED_AT}
_BEFORE_KIND = len('"id":"","at":"') + 36 + 27
"""The number of bytes between the number and the kind of a line: an id and a time with their keys."""


class Memory:
    """The facts about a journal remembered outside of the folder: the hash of `events` by writer and number, and the
    `keys` that each writer may seal with (none listed: none known). `strangers` are writers that nobody vouched for.
    `before` is like `events`, for the folder that was at this path before.
    """

    def __init__(self) -> None:
        self.before: dict[str, dict[int, str]] = {}
        self.events: dict[str, dict[int, str]] = {}
        self.keys: dict[str, set[str]] = {}
        self.strangers: set[str] = set()

    def add(self, writer: str, seq: int, hash: str) -> None:
        """Add the hash of an event."""
        self.events.setdefault(writer, {}).setdefault(seq, hash)


class JournalFinding(Record, Result):
    """An error or a note about a `line` (1-based) of the file at `path` (RelPath)."""

    path: str
    line: int
    what: str


class Checked(Result):
    """The check of one writer's journal: its events from `first` to `last`, proved by seals up to `sealed`."""

    def __init__(self, walked: Walked, segments: int) -> None:
        self.writer = walked.writer
        self.events = walked.events
        self.bytes = walked.bytes
        self.first = walked.first
        self.last = walked.seq
        self.segments = segments
        self.sealed = 0
        self.purged = 0


class VerifiedJournal(Result):
    """The result of a verification: errors (`findings`) and `notes` that are not damage."""

    def __init__(self) -> None:
        self.writers: list[Checked] = []
        self.findings: list[JournalFinding] = []
        self.notes: list[JournalFinding] = []

    @property
    def sound(self) -> bool:
        """Return whether there are no errors."""
        return not self.findings


class Walked:
    """The verdicts of a walk that are `findings`, and what verifying needs of its lines.

    `special` are the lines that need a closer look; `met` are the hashes of the `known` event numbers (with their
    `places`) and of those that seals cover.
    """

    def __init__(self, walk: Walk, known: Mapping[int, str], progress: Callable[[int], None]) -> None:
        self.writer = walk.writer
        self.events = self.bytes = 0
        self.special: list[tuple[Place, bytes]] = []
        self.met: dict[int, str] = {}
        self.places: dict[int, Place] = {}
        self.findings: list[Lines] = []
        self._known = known
        self._seals: list[bytes] = []
        self._earlier: list[Lines] = []
        self._recent: list[Lines] = []
        for lines in walk:
            if lines.what:
                self.findings.append(lines)
            if lines.data:
                self._take(lines)
                progress(len(lines.data))
        self._meet()
        self.seq, self.end, self.base = walk.seq, walk.end, walk.base
        self.first = (walk.base.seq if walk.base else 0) + 1 if self.events else 0

    def _take(self, lines: Lines) -> None:
        self.events += lines.count
        self.bytes += len(lines.data)
        if self._recent and self._recent[0].place.number != lines.place.number:
            self._meet()
        if lines.hashes:  # without the bytes
            self._recent.append(Lines(lines.place, lines.verdict, first=lines.first, hashes=lines.hashes))
        for place, stored in _special(lines):
            self.special.append((place, stored))
            if segment.kind_of(stored) == event.SEAL and not chain.was_purged(stored):
                self._seals.append(stored)

    def _meet(self) -> None:
        """Keep the hashes of the known numbers in a segment, and of what its seals cover: an event that is close by."""
        for seq in self._known:
            lines = [each for each in self._recent if each.hash_of(seq)]
            if lines:
                self.met[seq] = lines[-1].hash_of(seq)
                place = lines[0].place
                self.places[seq] = Place(place.path, place.line + seq - lines[0].first, number=place.number)
        for covers in (body_of(stored).get("seq", 0) for stored in self._seals):
            near = (*reversed(self._recent), *reversed(self._earlier))
            hash_ = next((hash_ for each in near if (hash_ := each.hash_of(covers))), "")
            if hash_:
                self.met[covers] = hash_
        self._earlier, self._recent, self._seals = self._recent, [], []


def _special(lines: Lines) -> Iterator[tuple[Place, bytes]]:
    """Yield the lines that need a closer look than the chain: first lines, seals, orders, blobs, purged lines."""
    if not lines.count:
        return
    together = lines.stretch is not None and bool(lines.stretch.heads)
    if lines.stretch is not None and together and _is_plain(lines.stretch):
        stored_lines = [lines.data[: lines.data.find(b"\n")]] if lines.place.line == 1 else []
    else:
        stored_lines = lines.data[:-1].split(b"\n")
    place, offset = lines.place, lines.place.offset
    for line, stored in enumerate(stored_lines, place.line):
        if line == 1 or any(word in stored for word in _SPECIAL) or (not together and chain.was_purged(stored)):
            yield Place(place.path, line, number=place.number, offset=offset), stored
        offset += len(stored) + 1


def _is_plain(lines: chain.Stretch) -> bool:
    """Return whether none of these lines needs a closer look, by what stands at fixed places of their headers."""
    at = len(b'{"agentws":1,"seq":%d,' % (lines.before[0] + 1)) + _BEFORE_KIND
    kinds = {head[at : at + _KIND_BYTES] for head in lines.heads}
    plain = kinds.isdisjoint(_KINDS) and all(kind.startswith(_KIND) for kind in kinds)
    return plain and _BLOB not in b"\n".join(lines.tails)
