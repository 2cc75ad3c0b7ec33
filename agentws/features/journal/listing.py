"""journal list and follow: iterate over events by filters, from any cursor on; follow waits for new ones."""

from __future__ import annotations

import time

from agentws.core import Result, several
from agentws.core.disk import clock
from agentws.core.formats import layout
from agentws.core.formats.journal.event import SEAL, Event
from agentws.core.journal import read as _read, retractions, select
from agentws.core.stores import writer_trust
from agentws.core.text import origin
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from agentws.core.disk.watcher import Notified
    from agentws.core.formats.journal.retraction import Retractions
    from agentws.core.stores.stores import Stores

    Position = dict[str, int]


class Events(Result):
    """An iterator over events of the journal that knows its position.

    `after` is the cursor with which the next call continues, `before` the one for older events (empty: none are known);
    `left_out` counts events that no seal proves, `altered` those that were changed after writing; `notices` names what
    could not be read; `writers` are all writers in this workspace. Events of a writer without a vouch are marked, and
    so are events that were retracted before.
    """

    def __init__(
        self, stores: Stores, reader: select.Reader, start: Position, end: Position | None, *, whole: bool
    ) -> None:
        self.notices = reader.notices
        self._trust = writer_trust.of(stores)
        self.writers = _read.writers(stores.files)
        self.notices += self._trust.notices
        self.left_out = self.altered = 0
        self.before = ""
        self._files = stores.files
        self._stores = stores
        self._gone: Retractions | None = None
        self._position = dict(start)
        self._end = end
        self._whole = whole
        self._stream: Iterator[Event] = iter(())

    @property
    def after(self) -> str:
        """The cursor behind all events that were returned; empty at the beginning of the journal."""
        return ",".join(f"{writer}:{seq}" for writer, seq in sorted(self._position.items()) if seq)

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        event = next(self._stream, None)
        if event is None:
            for writer, seq in (self._end or {}).items():
                self._position[writer] = max(seq, self._position.get(writer, 0))
            raise StopIteration
        self._position[event.writer] = event.seq
        event.retracted = self._retractions().by(event)
        if self._whole:
            _read.complete(self._files, event, self.notices)
        if event.wrong:
            event.src = f"{origin.OTHER}:{event.writer}"
        return self._trust.marked(event)

    def _retractions(self) -> Retractions:
        """Return the retractions as of the first event."""
        if self._gone is None:
            self._gone = retractions.of(self._stores.whole.files, self._stores.cache, self._trust.known)
        return self._gone

    def through(self, stream: Iterable[Event], limit: int | None) -> Events:
        """Return this iterator over at most `limit` events of the stream."""
        self._stream = iter(stream) if limit is None else self._first(iter(stream), limit)
        return self

    def _first(self, stream: Iterator[Event], limit: int) -> Iterator[Event]:
        for count, event in enumerate(stream, 1):
            if count == limit:
                self._end = None  # there may be more
            yield event
            if count == limit:
                return


def events(
    stores: Stores,
    *,
    after: str | Sequence[str] | None = None,
    before: str | None = None,
    session: str | None = None,
    kinds: str | Sequence[str] = (),
    since: str | date | None = None,
    task: str | None = None,
    limit: int | None = None,
    signed: bool = False,
    writer: str | None = None,
    whole: bool = False,
) -> Events:
    """Return an iterator over the events that match all filters, each writer's in the order of their numbers.

    With `after` the first `limit` events behind that cursor, without it the newest `limit`, or the newest before the
    cursor `before`. A cursor is `WRITER:SEQ`, or one for each writer, as a list or with commas; a writer without one is
    read from its beginning. `signed` leaves out events that no seal proves. `whole` fetches bodies from their blobs.
    UsageError for an invalid cursor or writer.

    An event that was changed after writing has a reason in `wrong`, and no trusted source: `altered` counts these.
    """
    reader = _reader(stores, kinds, session, since, task)
    names = _writers(stores, writer, signed=signed)
    ends = {name: _read.last_seq(stores.files, name) for name in names}
    start = _position(stores, after, ends)
    if after is None and limit is not None:
        older = {name: seq - 1 for name, seq in _position(stores, before, {}).items() if name in ends}
        return _newest(stores, reader, {**ends, **older}, older, limit, signed=signed, whole=whole)
    listing = Events(stores, reader, start, None if signed else ends, whole=whole)
    streams = [_proved(stores, listing, name, start, reader.behind, signed=signed) for name in names]
    return listing.through(select.merged(streams), limit)


def _newest(
    stores: Stores,
    reader: select.Reader,
    ends: Position,
    older: Position,
    limit: int,
    *,
    signed: bool,
    whole: bool,
) -> Events:
    """Return the newest events, of the writers in `older` only up to these numbers."""
    listing = Events(stores, reader, {}, None if signed else ends, whole=whole)

    def newest(name: str, _: int) -> list[Event]:
        return reader.newest(name, limit, before=older[name] + 1 if name in older else None)

    def sealed(name: str) -> list[Event]:
        stream = _proved(stores, listing, name, {}, reader.behind, signed=True)
        return _last((event for event in stream if event.seq <= older.get(name, event.seq)), limit)

    streams = [sealed(name) if signed else _proved(stores, listing, name, {}, newest, signed=False) for name in ends]
    chosen = _last(select.merged(streams), limit)
    # Events older than the returned ones count as returned, since only the newest were asked for.
    listing._position = {} if signed else dict(ends)
    for event in reversed(chosen):
        listing._position[event.writer] = event.seq - 1
    if len(chosen) == limit:
        oldest = {**ends, **listing._position} if signed else listing._position
        listing.before = ",".join(f"{writer}:{seq + 1}" for writer, seq in sorted(oldest.items()))
    return listing.through(chosen, None)


def _last(stream: Iterable[Event], limit: int) -> list[Event]:
    from collections import deque

    return list(deque(stream, limit))


def _proved(
    stores: Stores,
    listing: Events,
    writer: str,
    start: Mapping[str, int],
    read: Callable[[str, int], Iterable[Event]],
    *,
    signed: bool,
) -> Iterator[Event]:
    after = start.get(writer, 0)
    if not signed:
        for event in read(writer, after):
            listing.altered += bool(event.wrong)
            yield event
        return
    from agentws.core.journal.sealing import proof as _proof

    agent, signers = stores.manifest.agent_id, writer_trust.signers(stores)
    proof = _proof.prove(stores.files, agent, writer, after=after, notices=listing.notices, signers=signers)
    for event in read(writer, after):
        if proof.covers(event.seq):
            yield event
        else:
            listing.left_out += 1
            listing.altered += bool(event.wrong)


def follow(
    stores: Stores,
    *,
    after: str | Sequence[str] | None = None,
    session: str | None = None,
    kinds: str | Sequence[str] = (),
    since: str | date | None = None,
    task: str | None = None,
    limit: int | None = None,
    signed: bool = False,
    writer: str | None = None,
    whole: bool = False,
    poll_s: float | None = None,
) -> Events:
    """Return an iterator that waits for new events, without end or until there were `limit`; filters as for `events`.

    Without `after` it begins with events recorded from now on. It waits for changes of files, or looks every `poll_s`
    seconds. `signed` holds each event back until a seal proves it.
    """

    wanted = _reader(stores, kinds, session, since, task)
    reader = select.Reader(stores.files, select.Wanted(), quotes=True) if signed else wanted
    ends = {name: _read.last_seq(stores.files, name) for name in _writers(stores, writer, signed=signed)}
    start = ends if after is None else _position(stores, after, ends)
    name = _read.writer_of(stores.files, writer) if writer else None
    pause = Pause(stores.root, poll_s, stores.take_in)
    stream = _of_shown_writers(
        stores, select.follow(stores.files, reader, start, writer=name, pause=pause), name, signed=signed
    )
    listing = Events(stores, reader, start, None, whole=whole)
    return listing.through(_as_proved(stores, listing, stream, wanted.wanted) if signed else stream, limit)


def _of_shown_writers(stores: Stores, stream: Iterable[Event], named: str | None, *, signed: bool) -> Iterator[Event]:
    """Yield the events of a stream whose writer may be shown; a new writer is checked when it appears."""
    verdicts: dict[str, bool] = {}
    for event in stream:
        if event.writer not in verdicts:
            trust = writer_trust.of(stores)
            verdicts[event.writer] = event.writer in (trust.known if signed else [*trust.shown, named])
        if verdicts[event.writer]:
            yield event


def _as_proved(stores: Stores, listing: Events, stream: Iterable[Event], wanted: select.Wanted) -> Iterator[Event]:
    """Yield the wanted events of a stream, each as soon as a seal in the stream proves it."""
    from agentws.core.journal.sealing import proof as _proof

    waiting: dict[str, list[Event]] = {}
    for event in stream:
        held = waiting.setdefault(event.writer, [])
        held.append(event)
        if event.kind != SEAL:
            continue
        agent, after = stores.manifest.agent_id, held[0].seq - 1
        signers = writer_trust.signers(stores)
        proof = _proof.prove(stores.files, agent, event.writer, after=after, notices=listing.notices, signers=signers)
        waiting[event.writer] = [entry for entry in held if not proof.covers(entry.seq)]
        yield from (entry for entry in held if proof.covers(entry.seq) and wanted.fits(entry))


def _reader(
    stores: Stores, kinds: str | Sequence[str], session: str | None, since: str | date | None, task: str | None
) -> select.Reader:
    moment = clock.stamp(since, now=stores.clock.now())
    wanted = select.Wanted(kinds=several(kinds), session=session, since=moment, task=task)
    return select.Reader(stores.files, wanted, quotes=True)


def _writers(stores: Stores, writer: str | None, *, signed: bool) -> list[str]:
    """Return the writers to list; a named one even if unknown, but with `signed` only known ones."""
    trust = writer_trust.of(stores)
    named = [_read.writer_of(stores.files, writer)] if writer else trust.shown
    return [name for name in named if not signed or name in trust.known]


def position(stores: Stores, after: str | Sequence[str] | None) -> Position:
    """Return the number to continue behind, by writer; UsageError for an invalid cursor."""
    return {
        writer: seq for text in several(after) if text for writer, seq in _read.position(stores.files, text).items()
    }


def _position(stores: Stores, after: str | Sequence[str] | None, ends: Position) -> Position:
    """Return the number to continue behind, by writer; UsageError for a number that was never reached."""
    counts = position(stores, after)
    for writer, seq in counts.items():
        if seq > ends.get(writer, seq):
            raise UsageError(
                f"{writer}:{seq} does not exist yet: the journal of {writer} ends at {ends[writer]}.",
                hint="The journal may be truncated or an older copy. Check: agentws journal verify",
            )
    return counts


POLL_S = 0.2
"""How often to read without change notifications."""
ANYWAY_S = 5.0
"""How often to read with change notifications, which may be missed."""
_SYNCED_S = 0.02
"""A writer syncs a line within this time; an earlier reader would have to sync it, too."""


class Pause:
    """Waits at each call for a change of the journal; with `poll_s` always that long, without notifications.

    Then `take_in` records the calls that hooks left as files.
    """

    def __init__(self, root: str, poll_s: float | None = None, take_in: Callable[[], object] = bool) -> None:
        self._root = root
        self._take_in = take_in
        self._poll_s = poll_s
        self._source: Notified | None = None
        self._has_begun = False

    def __call__(self) -> None:
        """Wait for a change or a timeout; the first call returns at once if notifications could be set up."""
        from agentws.core.disk import watcher  # `journal list` does not wait

        if not self._has_begun:
            self._has_begun = True
            self._source = self._listen()
            if self._source is not None:
                return  # read what was written before the notifications began
        if self._source is None:
            time.sleep(self._poll_s or POLL_S)
        elif self._source.wait(ANYWAY_S) == watcher.CHANGED:
            time.sleep(_SYNCED_S)
        self._take_in()

    def close(self) -> None:
        """Stop the change notifications that end a pause."""
        if self._source is not None:
            self._source.close()

    def _listen(self) -> Notified | None:
        if self._poll_s is not None:
            return None
        from agentws.core.disk import watcher

        return watcher.listen(
            self._root,
            folders=(layout.JOURNAL, layout.CALLS),
            matters=lambda path, _: path.startswith((layout.JOURNAL, layout.CALLS)),
            flood=watcher.FLOOD,
            needs_polling=watcher.needs_polling,
        )
