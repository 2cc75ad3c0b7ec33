"""Execution of purge orders: lines that `purged` events name lose their bodies, unreferenced blobs are removed.

Every step may be repeated: the next seal or purge finishes what a killed process left half done. An order may come from
any writer; lines of a writer's open segment are purged by that writer alone, unless it appends no more (`is_over`).
Specified in docs/format/journal.md.
"""

from __future__ import annotations

import os

from agentws.core.disk import files as _files, local_dir, lock
from agentws.core.formats import digest
from agentws.core.formats.journal import chain, event, purge, segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import end, head, read, rotation
from agentws.core.journal.sealing import pack
from agentws.errors import AgentwsError, ChangedUnderneathError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from agentws.core.formats.journal.event import Event
    from agentws.core.formats.journal.purge import Order
    from agentws.core.installation.installation import Installation

_MEMORY = f"{local_dir.FOLDER}/purges"
_MOST_SEEN_AGAIN = 512
"""Up to so many events are read again, instead of saving the position durably at each seal."""
_ORDERS = tuple(f'"kind":"{kind}"'.encode() for kind in event.ORDERS)
_OLD = ".agentws-old"


class Carried:
    """The result of purge orders: the cursors `done` in this run, those `waiting` for their writer, and notices.

    `begins` is called once, before the first body is removed.
    """

    def __init__(self, begins: Callable[[], object] | None = None) -> None:
        self._begins = begins
        self.done: list[str] = []
        self.waiting: list[str] = []
        self.notices: list[str] = []

    def begin(self) -> None:
        """Call `begins`, once, before the first body of an event is removed."""
        begins, self._begins = self._begins, None
        if begins is not None:
            begins()


def orders(
    files: _files.Files, seen: dict[str, int] | None = None, *, but: Collection[str] = ()
) -> Iterator[tuple[Order, Event]]:
    """Yield the purge orders of all writers `but` these, each with its event, above the event numbers in `seen`, which
    are updated.
    """
    seen = {} if seen is None else seen
    for name in read.writers(files):
        if name in but:
            continue
        after = seen.get(name, 0)
        # Before the events are read: those that others record meanwhile are read by the next run.
        seen[name] = max(after, read.last_seq(files, name))
        for entry in given(files, name, after):
            if entry.kind == event.PURGE:
                try:
                    yield purge.order(entry), entry
                except ValueError:
                    continue  # `journal verify` says so


def given(files: _files.Files, writer: str, after: int) -> Iterator[Event]:
    """Yield the unchanged events of a writer above `after` that order a purge or a retirement."""
    begins = read.holding(files, writer, after + 1) or 1
    for number in [number for number in read.segments(files, writer) if number >= begins]:
        for offset, line in read.lines(files, writer, number):
            if any(word in line for word in _ORDERS) and segment.kind_of(line) in event.ORDERS and chain.is_whole(line):
                try:
                    entry = event.decode(line, writer=writer, segment=number, offset=offset)
                except (AgentwsError, ValueError):
                    continue  # `journal verify` says so
                if entry.seq > after:
                    yield entry


def carry_out(
    files: _files.Files,
    own: Installation,
    is_good: Callable[[Event], bool],
    *,
    is_over: Callable[[str], bool],
    again: bool = False,
    strangers: Collection[str] = (),
    begins: Callable[[], object] | None = None,
) -> Carried:
    """Execute the purge orders that are not done yet; with `again`, every order ever given is checked.

    Else only new orders and those that had to wait. Orders of `strangers` do not count; an event that is not `is_good`
    waits, since its proof may come later. `begins` is called before the first body is removed.
    """
    carried = Carried(begins)
    seen, waited = ({}, []) if again else _recall(files)
    before = dict(seen)
    every = [*_waiting(files, waited, strangers), *orders(files, seen, but=strangers)]
    places = {order.id: (entry.writer, entry.seq) for order, entry in every}
    good: list[Order] = []
    waiting: list[Order] = []
    for order, entry in every:
        (good if is_good(entry) else waiting).append(order)
    if good:
        local_dir.prepare(files)
        still = _carry_out(files, own, good, carried, is_over)
        carried.waiting = [order.cursor for order in still]
        waiting += still
    if every or sum(seen.values()) - sum(before.values()) > _MOST_SEEN_AGAIN:
        local_dir.prepare(files)
        fields = {"seen": seen, "waiting": [places[order.id] for order in waiting]}
        with lock.Lock(files, lock.APPEND):
            files.replace(_MEMORY, plainjson.dumps(fields).encode() + b"\n", expects=files.digest(_MEMORY))
    return carried


def _waiting(
    files: _files.Files, places: Iterable[tuple[str, int]], strangers: Collection[str]
) -> Iterator[tuple[Order, Event]]:
    """Yield the orders of these events, read from the journal: the list of waiting orders is not trusted."""
    for writer, seq in places:
        if writer not in strangers:
            try:
                entry = read.find(files, writer, seq)
                if entry.kind == event.PURGE and chain.is_whole(read.line_of(files, entry)):
                    yield purge.order(entry), entry
            except (AgentwsError, ValueError):
                continue


def _carry_out(
    files: _files.Files, own: Installation, todo: list[Order], carried: Carried, is_over: Callable[[str], bool]
) -> list[Order]:
    """Execute these orders; returns those that have to wait."""

    def is_open(name: str, number: int) -> bool:
        return number in read.newest(files, name, 1) and not is_over(name)

    waiting: list[Order] = []
    places: dict[tuple[str, int], list[Order]] = {}
    for order in todo:
        places.setdefault((order.writer, read.holding(files, order.writer, order.seq)), []).append(order)
    for (name, number), some in places.items():
        if not number:
            waiting += some
            continue
        if name == own.writer and is_open(name, number) and _left(files, name, number, some)[0]:
            carried.notices += _rotate(files, own)
        if is_open(name, number):
            here_still, not_there = _left(files, name, number, some)
            waiting += here_still + not_there
        else:
            _purge(files, name, number, some, carried)
    for name in sorted({name for name, number in places if number}):
        sweep(files, name)
    return waiting


def _left(files: _files.Files, name: str, number: int, some: list[Order]) -> tuple[list[Order], list[Order]]:
    """Return the orders whose line still has its body in this segment, and those whose line is not in it (yet)."""
    still: list[Order] = []
    there = set()
    for _, line in read.lines(files, name, number):
        there.add(segment.seq_in(line))
        order = _order_of(line, some)
        still += [order] if order else []
    return still, [order for order in some if order.seq not in there]


def _order_of(line: bytes, some: Sequence[Order]) -> Order | None:
    try:
        if chain.was_purged(line) or segment.kind_of(line) in event.STRUCTURE:
            return None
        return next((order for order in some if purge.is_meant(order, line)), None)
    except ValueError:
        return None


def _rotate(files: _files.Files, own: Installation) -> list[str]:
    """Close this writer's open segment, so that nobody writes to it; returns notices about repairs."""
    with lock.Lock(files, lock.APPEND):
        journal_end = end.find(files, own.agent, own.writer, None, secret=own.secret)
        path = segment.path(own.writer, journal_end.head.segment)
        with _files.Failing(path):
            fd = files.open(path, os.O_RDWR)
        try:
            rotation.rotate(files, own.agent, journal_end.head, fd=fd)
        finally:
            os.close(fd)
    head.write(files, journal_end.head, own.secret)
    return journal_end.notices


def _purge(files: _files.Files, name: str, number: int, some: list[Order], carried: Carried) -> None:
    """Replace a closed segment by a copy without the bodies that the orders name."""
    with lock.Lock(files, lock.APPEND):
        pack.clear(files, name)  # beside the compressed form, the words would live on in the plain one
        path = pack.place(files, name, number)
        folder = path.rpartition("/")[0]
        stored = files.read(path)
        old = pack.lines(path, stored)
        new, done = without(old, some)
        if done:
            carried.begin()
            if number in read.newest(files, name, 1):
                head.forget(files, name)  # its writer may come back to this folder, and would miss the bytes
            kept = files.replace(path, pack.stored(path, new), expects=digest.of(stored))
            carried.done += done
            if kept is not None:
                carried.notices.append(
                    f"The segment was edited at the same time. The edit is kept as {kept}, which is not purged."
                )
        _clear(files, path, new, some, carried)
        files.sync_folder(folder)  # the old name must not come back with the words after a power cut


def without(data: bytes, some: Sequence[Order]) -> tuple[bytes, list[str]]:
    """Return the lines of a segment without the bodies that the orders name, and the cursors of the purged lines."""
    lines = data.split(b"\n")
    done = []
    for index, line in enumerate(lines[:-1]):
        order = _order_of(line, some)
        if order is not None:
            lines[index] = purge.line(line, order)
            done.append(order.cursor)
    return b"\n".join(lines), done


def _clear(files: _files.Files, path: str, new: bytes, some: list[Order], carried: Carried) -> None:
    """Remove what a killed replacement has left beside a segment: it would still hold the purged text."""
    above, _, name = path.rpartition("/")
    left = f"{above}/.{name}{_OLD}"
    try:
        data = files.read(left)
    except MissingFileError:
        data = b""
    if data and without(pack.lines(path, data), some)[0] != new:
        carried.notices.append(f"{left}: another version of the segment. Check this file, then delete it.")
    else:
        files.settle(path, expects=digest.of(data))


# Blobs


def sweep(files: _files.Files, name: str) -> None:
    """Remove the blobs of a writer that no line names.

    Closed segments are read without the lock: their lines can only lose references.
    """
    folder = segment.blob_path(name, "")[:-1]
    left = [each for each in files.unsorted(folder) if not each.endswith(".agentws-new")]
    if not left:
        return
    numbers = read.segments(files, name)
    named = _named(files, name, numbers[:-1])
    with lock.Lock(files, lock.APPEND):
        newer = [number for number in read.segments(files, name) if number >= numbers[-1]]
        named |= _named(files, name, newer)
        for each in left:
            path = segment.blob_path(name, each)
            stem = each.lstrip(".").removesuffix(_OLD)
            if stem not in named:
                try:
                    files.remove(path, expects=files.digest(path))
                except (MissingFileError, ChangedUnderneathError):
                    continue  # another process sweeps, too


def _named(files: _files.Files, name: str, numbers: Iterable[int]) -> set[str]:
    result = set()
    for number in numbers:
        for _, line in read.lines(files, name, number):
            try:
                blob = purge.blob(line)
            except (AgentwsError, ValueError):
                continue
            if blob:
                result.add(blob)
    return result


# The position of the last run


def _recall(files: _files.Files) -> tuple[dict[str, int], list[tuple[str, int]]]:
    """Return the newest event number checked of each writer, and the events whose orders wait; empty if that is
    lost.
    """
    try:
        decoded = plainjson.loads(files.read(_MEMORY, limit_bytes=1 << 20))
        seen = {str(name): int(seq) for name, seq in decoded["seen"].items()}
        waiting = [(str(writer), int(at)) for writer, at in decoded["waiting"]]
    except (AgentwsError, ValueError, KeyError, TypeError, AttributeError):
        return {}, []
    return seen, waiting
