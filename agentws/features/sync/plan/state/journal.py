"""Merge the journals of two states, by writer. Pure.

A journal only grows, so no base is needed: events and blobs that one side lacks are taken from the other, unless they
were purged or are in a beginning that an event has retired. Specified in docs/format/journal.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise

from agentws.core.formats import digest, layout
from agentws.core.formats.journal import chain, segment
from agentws.core.formats.journal.purge import Retirement
from agentws.features.sync.plan.plan import Blobs, Plan, Tree, Value
from agentws.features.sync.plan.state import segments
from agentws.features.sync.plan.state.segments import Copy, OtherHistoryError

_NEWEST = 8
"""The number of each writer's newest segments that are searched for events that retire a beginning."""
_BLOBS = "blobs"
_FOLDER = f"{layout.JOURNAL}/"


def is_ours(path: str) -> bool:
    """Return whether a path belongs to a journal: a segment or a blob of a writer."""
    if not path.startswith(_FOLDER):
        return False
    writer, _, name = path.removeprefix(_FOLDER).partition("/")
    return bool(writer and name) and (_number(name) is not None or _is_blob(name))


def merge(
    ours: Tree, theirs: Tree, blobs: Blobs, made: Plan, *, own: str, orders: Collection[str] | None = None
) -> dict[str, Value]:
    """Return the merged segments and blobs of all writers.

    Forks and other differences are noted in `made`. Only writers in `orders` (None: all) retire what others wrote.
    """
    mine, others = _by_writer(ours), _by_writer(theirs)
    result: dict[str, Value] = {}
    for writer in sorted({*mine, *others}):
        own_copy, other_copy = mine.get(writer, {}), others.get(writer, {})
        files: Mapping[str, Value] = own_copy or other_copy
        if own_copy and other_copy and own_copy != other_copy:
            try:
                trees = _ordering(ours, writer, orders), _ordering(theirs, writer, orders)
                files = _Union(writer, own_copy, other_copy, blobs, trees=trees, is_own=writer == own).files(made)
            except OtherHistoryError as error:
                shared = _shared(_copies(own_copy), _copies(other_copy), blobs)
                made.notices.append(
                    f"{layout.JOURNAL}/{writer} has a different history on the other side, so neither was changed "
                    f"({error}). Both share the events up to {writer}:{shared}"
                )
                made.forks[writer] = shared
                made.apart |= {
                    f"{layout.JOURNAL}/{writer}/{name}": other_copy.get(name)
                    for name in {*own_copy, *other_copy}
                    if own_copy.get(name) != other_copy.get(name)
                }
                files = own_copy
        result |= {f"{layout.JOURNAL}/{writer}/{name}": value for name, value in files.items()}
    return result


class _Union:
    """Merges the journal of one writer from two states."""

    def __init__(
        self,
        writer: str,
        own_copy: Mapping[str, str],
        other_copy: Mapping[str, str],
        blobs: Blobs,
        trees: tuple[Tree, Tree],
        *,
        is_own: bool,
    ) -> None:
        self._writer = writer
        self._sides = own_copy, other_copy
        self._copies = _copies(own_copy), _copies(other_copy)
        self._blobs = blobs
        self._trees = trees
        self._told: dict[int, list[Retirement]] = {}
        self._is_own = is_own

    def files(self, made: Plan) -> dict[str, Value]:
        """Return the merged files of the writer; OtherHistoryError if neither history continues the other."""
        mine, others = self._copies
        kept: dict[int, Copy] = {}
        for number in sorted({*mine, *others}):
            own, other = mine.get(number), others.get(number)
            if own is not None and other is not None:
                kept[number] = own if own == other else self._both(number, own, other, made)
            elif own is not None and not self._is_retired(number, 0):
                kept[number] = own
            elif other is not None and not self._is_retired(number, 1):
                kept[number] = other
        self._check_links(kept)
        if self._is_own and self._grew(kept):
            made.notices.append(
                f"{layout.JOURNAL}/{self._writer}: events of this machine that were missing here came back."
            )
        files: dict[str, Value] = {}
        for number, copy in kept.items():
            name = segment.path("", number).rpartition("/")[2]
            files |= {name: copy.plain} if copy.plain is not None else {}
            files |= {f"packed/{name}{segment.GZ}": copy.packed} if copy.packed is not None else {}
        return files | self._bodies(kept)

    def _both(self, number: int, mine: Copy, other: Copy, made: Plan) -> Copy:
        lines = [copy.lines(self._blobs) for copy in (mine, other)]
        name = segment.path(self._writer, number)
        if segments.whole(lines[0]) == segments.whole(lines[1]) and lines[0] != lines[1]:
            # A line without its end is being written, or torn: only its writer may remove it.
            made.apart |= {name: _id(other.plain), segment.packed_path(name): _id(other.packed)}
            return mine
        both, united = segments.merged(mine, other, self._blobs)
        own = segments.whole(lines[0])
        if not self._is_own or number != max(map(max, self._copies)) or united.startswith(own):
            return both
        # This installation appends here: it purges these lines itself, once it has the orders for them.
        made.apart |= {name: both.plain, segment.packed_path(name): both.packed}
        more = united.splitlines(keepends=True)[own.count(b"\n") :]
        return Copy(own + b"".join(more)) if more else mine

    def _is_retired(self, number: int, side: int) -> bool:
        """Return whether a segment that `side` alone has was retired on the other side."""
        numbers = self._copies[1 - side]
        first = min(numbers)
        if number > first:
            return False
        lines = numbers[first].lines(self._blobs)
        return any(
            order.through >= first or (order.through == first - 1 and order.hash == segments.prev(lines))
            for order in self._orders(1 - side)
            if order.through >= number
        )

    def _orders(self, side: int) -> list[Retirement]:
        """Return the retirements of this writer's events in the newest segments of a side."""
        if side not in self._told:
            self._told[side] = [*self._retirements(side)]
        return self._told[side]

    def _retirements(self, side: int) -> Iterator[Retirement]:
        every = _by_writer(self._trees[side])
        for by in sorted(every, key=lambda name: (name != self._writer, name)):
            copies = _copies(every[by])
            for number in sorted(copies, reverse=True)[:_NEWEST]:
                try:
                    retirements = [*segments.retirements(copies[number].lines(self._blobs))]
                except OtherHistoryError:
                    continue
                yield from (retirement for retirement in retirements if retirement.writer == self._writer)

    def _check_links(self, kept: Mapping[int, Copy]) -> None:
        """Raise OtherHistoryError if a segment of one side does not follow that of the other."""
        numbers = sorted(kept)
        for before, after in pairwise(numbers):
            if any(side.get(before) == kept[before] and side.get(after) == kept[after] for side in self._copies):
                continue
            lines = kept[before].lines(self._blobs), kept[after].lines(self._blobs)
            if after != before + 1 or not segments.follows(*lines):
                raise OtherHistoryError(f"segment {after} does not follow segment {before}")

    def _grew(self, kept: Mapping[int, Copy]) -> bool:
        mine = self._copies[0]
        newest = max(mine)
        if max(kept, default=0) > newest:
            return True
        if newest not in kept or kept[newest] == mine[newest]:
            return False
        count = segments.whole(mine[newest].lines(self._blobs)).count(b"\n")
        return kept[newest].lines(self._blobs).count(b"\n") > count

    def _bodies(self, kept: Mapping[int, Copy]) -> dict[str, Value]:
        """Return the merged blobs, without those of one side whose event was purged or retired on the other side."""
        own_blobs, other_blobs = ({name: oid for name, oid in side.items() if _is_blob(name)} for side in self._sides)
        files: dict[str, Value] = {**other_blobs, **own_blobs}
        files |= {
            name: self._right(name, own_blobs[name], other_blobs[name])
            for name in own_blobs.keys() & other_blobs.keys()
        }
        single = own_blobs.keys() ^ other_blobs.keys()
        if not single:
            return files
        differ = {number for number in {*self._copies[0], *self._copies[1]} if self._differs(number)}
        unclear = single - self._named(kept, differ)
        dropped = {name for side in self._copies for name in self._named(side, differ)} & unclear
        unclear -= dropped
        if unclear:  # lost on one side, or left by an interrupted purge
            unclear -= self._named(kept, {*kept} - differ)
        gone = dropped | {name for name in unclear if not (self._is_own and name in own_blobs)}
        return {name: value for name, value in files.items() if name not in gone}

    def _right(self, name: str, text: str, other: str) -> str:
        """Return the one of two blobs whose content has the digest in the name."""
        if text == other:
            return text
        wanted = name.rpartition("/")[2]
        return min(sorted((text, other)), key=lambda each: digest.of(self._blobs.bytes_of(each)) != wanted)

    def _differs(self, number: int) -> bool:
        mine, others = self._copies
        return mine.get(number) != others.get(number)

    def _named(self, copies: Mapping[int, Copy], numbers: Collection[int]) -> set[str]:
        """Return the names of the blobs that the segments with these `numbers` refer to."""
        result: set[str] = set()
        for number in sorted({*copies} & {*numbers}):
            result |= {f"{_BLOBS}/{name}" for name in segments.blob_names(copies[number].lines(self._blobs))}
        return result


def _ordering(tree: Tree, writer: str, orders: Collection[str] | None) -> Tree:
    """Return the journal files of the writers that may retire events of `writer`."""
    if orders is None:
        return tree
    return {path: oid for path, oid in tree.items() if is_ours(path) and path.split("/")[1] in {writer, *orders}}


def _by_writer(tree: Tree) -> dict[str, dict[str, str]]:
    """Return the files of each writer, by their names in its folder."""
    result: dict[str, dict[str, str]] = {}
    for path, oid in tree.items():
        if is_ours(path):
            writer, _, name = path.partition("/")[2].partition("/")
            result.setdefault(writer, {})[name] = oid
    return result


def _copies(files: Mapping[str, str]) -> dict[int, Copy]:
    copies: dict[int, Copy] = {}
    for name, oid in files.items():
        number = _number(name)
        if number is not None:
            copy = copies.setdefault(number, Copy())
            if "/" in name:
                copy.packed = oid
            else:
                copy.plain = oid
    return copies


def _shared(mine: Mapping[int, Copy], others: Mapping[int, Copy], blobs: Blobs) -> int:
    """Return the number of the newest event up to which two copies of a journal are the same."""
    last = 0
    try:
        for number in sorted({*mine} & {*others}):
            lines = [segments.whole(copies[number].lines(blobs)).splitlines() for copies in (mine, others)]
            for item, other in zip(*lines, strict=False):
                if chain.hash_of(item) != chain.hash_of(other):
                    return last
                last = segment.seq_of(item)
    except ValueError:
        return last
    return last


def _number(name: str) -> int | None:
    """Return the number of a segment, by its name in the folder of its writer."""
    folder, slash, rest = name.rpartition("/")
    if slash:
        return segment.packed_number_of(rest) if folder == "packed" else None
    return segment.number_of(rest)


def _is_blob(name: str) -> bool:
    folder, _, rest = name.rpartition("/")
    return folder == _BLOBS and bool(rest)


def _id(value: Value) -> str | None:
    return value if isinstance(value, str) else None
