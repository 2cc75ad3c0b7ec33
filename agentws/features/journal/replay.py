"""journal replay: computes the state at any event of the journal: plan, actions, decisions, tasks. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from agentws.core import Result
from agentws.core.disk import clock
from agentws.core.formats.journal import event
from agentws.core.formats.journal.event import Event
from agentws.core.journal import read, retractions, select, session_scan
from agentws.core.journal.events import replay as projection
from agentws.core.journal.events.replay import Projection
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores
from agentws.errors import MissingFileError, UsageError

_ID_LENGTH = 36
_HEX = "0123456789abcdef"
_NOT_NEEDED = (event.RESULT, event.THOUGHT, event.NOTE, event.RETRACTED, *event.STRUCTURE)
"""Kinds whose large bodies do not matter for the state."""


class Replayed(Result):
    """The result of a replay: the `state`, and `after`, the cursor behind the last event, None without events."""

    __slots__ = ("after", "notices", "state", "writers")

    def __init__(self, state: Projection, after: str | None, writers: list[str], notices: list[str]) -> None:
        self.state = state
        self.after = after
        self.writers = writers
        self.notices = notices


class _Bounds:
    """The limit of a replay: the event `last` (writer and number, or its id), a number of `each` writer, or `moment`.

    `met` is True once `last` was seen.
    """

    __slots__ = ("each", "id", "last", "met", "moment")

    def __init__(self) -> None:
        self.each: dict[str, int] | None = None
        self.last: tuple[str, int] | None = None
        self.id = ""
        self.moment = ""
        self.met = False


def replay(stores: Stores, *, until: str | date | None = None, session: str | None = None) -> Replayed:
    """Return the state after all events, or after the event `until`, of all sessions or of one.

    A session is named by its id, or by a unique beginning or end of it.

    `until` is a cursor `WRITER:SEQ` (for several writers with commas, like `after` in `journal list --json`: then only
    their events count), the id of an event, or a time: then each writer's events count until its first later one.
    Writers are merged as in `journal list`. Retracted events do not count, but `until` may name one. UsageError;
    MissingFileError if there is no such event or session.
    """
    until = until if until is None else str(until)
    replayed = _replay(stores, until, session)
    if session is not None and not replayed.state.events:
        notices: list[str] = []
        name = _meant(stores, session, notices)
        replayed = _replay(stores, until, name) if name != session else replayed
        replayed.notices += [notice for notice in notices if notice not in replayed.notices]
    return replayed


def _replay(stores: Stores, until: str | None, session: str | None) -> Replayed:
    bounds = _bounds(stores, until) if until is not None else _Bounds()
    reader = select.Reader(stores.files, select.Wanted(session=None if bounds.id or bounds.last else session))
    trust = writer_trust.of(stores)
    writers = trust.known
    notices = _begun(stores, writers)
    position: dict[str, int] = {}
    merged = select.merged([_within(reader.behind(writer, 0), bounds) for writer in writers])
    events = _wanted(_upto(merged, bounds), session, position)
    gone = retractions.of(stores.whole.files, stores.cache, writers)
    whole = (
        entry if entry.kind in _NOT_NEEDED else read.complete(stores.files, entry, notices)
        for entry in gone.without(events)
    )
    state = projection.replay(whole)
    if (bounds.id or bounds.last) and not bounds.met:
        raise MissingFileError(f"No event {until}.", hint="To list the events: agentws journal list")
    stores.withhold_forgotten(state.shown())
    if keeps_out := stores.keeps_out():
        state.drop_files(keeps_out)
    after = ",".join(f"{writer}:{seq}" for writer, seq in sorted(position.items())) or None
    return Replayed(state, after, writers, [*stores.notices, *trust.notices, *reader.notices, *notices])


def _begun(stores: Stores, writers: list[str]) -> list[str]:
    """Return a notice for each journal whose beginning was retired, since the state lacks its events."""
    ends = {writer: read.retired(stores.files, writer) for writer in writers}
    return [
        f"Replayed from {writer}:{seq + 1} on: earlier events were retired (journal.keep)."
        for writer, seq in ends.items()
        if seq
    ]


def _meant(stores: Stores, session: str, notices: list[str]) -> str:
    """Return the session that a name without counted events means: itself, if it has events at all."""
    reader = select.Reader(stores.files, select.Wanted(session=session))
    if any(reader.newest(writer, 1) for writer in writer_trust.known(stores)):
        return session
    return session_scan.named_session(stores.files, session, notices, writer_trust.known(stores))


def _bounds(stores: Stores, until: str) -> _Bounds:
    bounds, text = _Bounds(), until.strip()
    if len(text) == _ID_LENGTH and not text.lower().replace("-", "").strip(_HEX):
        bounds.id = text.lower()
    elif "," in text:
        bounds.each = read.position(stores.files, text)
    elif _is_cursor(text):
        bounds.last = read.cursor(stores.files, text)
    else:
        bounds.moment = _moment(stores, text)
    return bounds


def _within(events: Iterable[Event], bounds: _Bounds) -> Iterator[Event]:
    """Yield the events of one writer that are within the bounds.

    Structural events count with the event behind them, whatever their time.
    """
    held: list[Event] = []
    for entry in events:
        if bounds.each is not None and entry.seq > bounds.each.get(entry.writer, 0):
            return
        is_late = bool(bounds.moment) and entry.at > bounds.moment
        if is_late and entry.kind not in event.STRUCTURE:
            return
        held.append(entry)
        if not is_late:
            yield from held
            held.clear()


def _upto(events: Iterable[Event], bounds: _Bounds) -> Iterator[Event]:
    """Yield the merged events up to and including the event that the bounds name."""
    for entry in events:
        bounds.met = entry.id == bounds.id or (entry.writer, entry.seq) == bounds.last
        yield entry
        if bounds.met:
            return


def _wanted(events: Iterable[Event], session: str | None, position: dict[str, int]) -> Iterator[Event]:
    """Yield the events of one session, or all; `position` is updated with how far each writer was read."""
    for entry in events:
        position[entry.writer] = entry.seq
        if session is None or entry.session == session:
            yield entry


def _is_cursor(text: str) -> bool:
    writer, _, number = text.rpartition(":")
    return number.isascii() and number.isdigit() and not writer.strip(_HEX)


def _moment(stores: Stores, text: str) -> str:
    try:
        return clock.stamp(text, now=stores.clock.now()) or ""
    except (UsageError, OverflowError) as error:
        raise UsageError(
            f"{text!r} is neither an event nor a time.",
            hint="Write WRITER:SEQ or an event id (agentws journal list --json shows both), 2026-11-20T07:15 or 2h.",
        ) from error
