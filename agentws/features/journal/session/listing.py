"""session list and show: the sessions of all writers with their likely state, and one session in full."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.disk import clock
from agentws.core.formats import layout
from agentws.core.formats.documents import handoff
from agentws.core.formats.journal import event
from agentws.core.journal import recall_marks, reference, retractions, select, session_scan, shared
from agentws.core.journal.events import imported, liveness, replay
from agentws.core.stores import writer_trust
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.journal.session import bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from agentws.core.formats.journal.event import Event
    from agentws.core.journal.events.imported import ImportedSession
    from agentws.core.journal.events.liveness import Likely
    from agentws.core.journal.events.replay import Projection, Run
    from agentws.core.journal.recall_marks import BootReceipt
    from agentws.core.stores.stores import Stores
    from agentws.features.journal.receipts import Receipt


_WHOLE = (event.STARTED, event.ENDED)


class SessionRow(Result):
    """A row of `session list`: the `run`, its `likely` state, and its `depth` below parent sessions.

    `in_flight` counts its actions without a known result; `lasted_s` is None if unknown.
    """

    __slots__ = ("depth", "in_flight", "lasted_s", "likely", "run")

    def __init__(self, run: Run, likely: Likely, *, depth: int, in_flight: int) -> None:
        self.run = run
        self.likely = likely
        self.depth = depth
        self.in_flight = in_flight
        self.lasted_s = liveness.lasted_s(run)


class SessionList(Result):
    """The sessions, child sessions below their parents, else the newest last; `older` counts those not listed.

    `imported` are sessions of other programs that `import` brought, the newest last.
    """

    __slots__ = ("imported", "notices", "older", "rows", "writers")

    def __init__(
        self,
        rows: list[SessionRow],
        *,
        older: int,
        writers: list[str],
        imported: list[ImportedSession],
        notices: list[str],
    ) -> None:
        self.imported = imported
        self.rows = rows
        self.older = older
        self.writers = writers
        self.notices = notices


def list_sessions(stores: Stores, *, limit: int | None = None) -> SessionList:
    """Return all sessions, or the `limit` with the newest events."""
    notices: list[str] = []
    trust = writer_trust.of(stores)
    writers = trust.known
    state = replay.Projection()
    for session_events in session_scan.merged(stores.files, writers, notices):
        _ = list(bounds.whole_hints(stores, (session_events.first, session_events.newest), _WHOLE, notices))
        state.skim(session_events.first, session_events.newest, session_events.between)
    runs = _newest(list(state.runs.values()), limit)
    rows = _rows(stores, runs, _in_flight(stores, writers))
    older = len(state.runs) - len(rows) + state.older["sessions"]
    reader = select.Reader(stores.files, select.Wanted(kinds=imported.KINDS))
    brought = imported.sessions(select.merged([reader.behind(writer, 0) for writer in writers]))
    return SessionList(
        rows,
        older=older + (max(0, len(brought) - limit) if limit is not None else 0),
        writers=writers,
        imported=brought if limit is None else brought[-limit:],
        notices=[*stores.notices, *trust.notices, *dict.fromkeys(notices)],
    )


def _in_flight(stores: Stores, writers: list[str]) -> dict[str | None, int]:
    """Return how many actions of each session have no result, from the references in the newest segments."""
    counts: dict[str | None, int] = {}
    for writer, ref in reference.open_calls(stores.files, writers):
        entry = reference.at(stores.files, writer, ref)
        if entry is not None:
            counts[entry.session] = counts.get(entry.session, 0) + 1
    return counts


def _newest(runs: list[Run], limit: int | None) -> list[Run]:
    """Return the `limit` runs with the newest events, in the order in which they began."""
    if limit is None or len(runs) <= limit:
        return runs
    chosen = {id(run) for run in sorted(runs, key=lambda run: run.newest.at)[-limit:]}
    return [run for run in runs if id(run) in chosen]


def _rows(stores: Stores, runs: list[Run], in_flight: dict[str | None, int]) -> list[SessionRow]:
    facts, now = bounds.this_machine(runs), stores.clock.now()
    return [
        SessionRow(run, liveness.judge(run, facts, now), depth=depth, in_flight=in_flight.get(run.id, 0))
        for depth, run in liveness.tree(runs)
    ]


_MOST_NEWEST = 400
"""So many starts and ends are read from the end of a journal before all of it is searched."""


def started_sessions(
    stores: Stores,
    *,
    since: str | date | None = None,
    until: str | date | None = None,
    session: str | None = None,
) -> SessionList:
    """Return the sessions that started in a period, read from starts and ends alone: their runs have no other events.

    With `session` only that one. A session that was started again is a row for each start.
    """
    notices: list[str] = []
    trust, now = writer_trust.of(stores), stores.clock.now()
    begin, end = clock.stamp(since, now=now) or "", clock.stamp(until, now=now)
    reader = select.Reader(stores.files, select.Wanted(kinds=_WHOLE, session=session))
    streams = []
    for writer in trust.known:
        newest = reader.newest(writer, _MOST_NEWEST) if begin else []
        is_enough = begin and (len(newest) < _MOST_NEWEST or newest[0].at < begin)
        streams.append(newest if is_enough else reader.behind(writer, 0))
    runs: list[Run] = []
    latest: dict[str | None, Run] = {}
    for entry in bounds.whole_hints(stores, select.merged(streams), _WHOLE, notices):
        if entry.kind == event.ENDED:
            if (run := latest.get(entry.session)) is not None:
                run.take(entry)
        elif entry.session and begin <= entry.at and (end is None or entry.at < end):
            run = latest[entry.session] = replay.Run(entry.session, entry)
            run.take(entry)
            runs.append(run)
        else:
            latest.pop(entry.session, None)
    rows = _rows(stores, runs, _in_flight(stores, trust.known))
    notices = [*stores.notices, *trust.notices, *dict.fromkeys(notices)]
    return SessionList(rows, older=0, writers=trust.known, imported=[], notices=notices)


_WHOLE_SESSION = (event.STARTED, event.ENDED, event.ACTION, event.PLAN, event.DECISION, event.ERROR)
_MOST_REQUESTS = 20
_MOST_HANDOFFS = 500
_MOST_BYTES = 1 << 18


class Session(Result):
    """The result of `session show`: a session's newest `run`, its `likely` state, and its replayed `state`.

    `decisions` are those of that run, `requests` its newest prompts by people; `children` are the ids of sessions that
    it started; `handoff` is the path of the handoff that it wrote, None without one. `boot` is what its hooks gave it
    at its start, None if that is unknown; `recalled` are the memories that were added to its prompts.
    """

    __slots__ = (
        "boot", "children", "decisions", "handoff", "lasted_s", "likely", "notices", "recalled", "requests", "run",
        "state", "writers",
    )  # fmt: skip

    def __init__(self, run: Run, likely: Likely, state: Projection) -> None:
        self.run = run
        self.likely = likely
        self.state = state
        self.lasted_s = liveness.lasted_s(run)
        self.decisions = [decision for decision in state.decisions if _belongs(decision, run)]
        self.requests: list[Event] = []
        self.boot: BootReceipt | None = None
        self.recalled: list[Receipt] = []
        self.children: list[str] = []
        self.handoff: str | None = None
        self.notices: list[str] = []
        self.writers: list[str] = []


def show_session(stores: Stores, session: str | None = None) -> Session:
    """Return a session by its id or a unique beginning or end of it, by default that of the environment or the newest.

    MissingFileError if it is missing, UsageError if several match.
    """
    notices: list[str] = []
    name = session or stores.own_session or _newest_of(stores, notices)
    state = _state(stores, name, notices)
    if name not in state.sessions:
        name = session_scan.named_session(stores.files, name, notices, writer_trust.known(stores))
        state = _state(stores, name, notices)
    run = state.sessions[name]
    result = Session(run, liveness.judge(run, bounds.this_machine([run]), stores.clock.now()), state)
    result.children = [entry.session for entry in _begun(stores, notices) if _parent(entry) == name and entry.session]
    result.requests = _requests(stores, run, notices)
    result.handoff = _left(stores, name)
    if stores.shared is None:  # the names of sections may be private
        result.boot = recall_marks.boot_receipt(stores.files, name)
    if run.counts.get(event.RECALLED):
        from agentws.features.journal import receipts

        result.recalled = receipts.recalled(stores, session=name).rows
    trust = writer_trust.of(stores)
    result.writers = trust.known
    stores.withhold_forgotten([*state.shown(), *result.requests])
    if keeps_out := stores.keeps_out():
        state.drop_files(keeps_out)
    result.notices = list(dict.fromkeys([*stores.notices, *trust.notices, *notices]))
    return result


def _state(stores: Stores, name: str, notices: list[str]) -> Projection:
    events = _read(stores, select.Wanted(session=name), notices)
    state = replay.replay(bounds.whole_hints(stores, events, _WHOLE_SESSION, notices))
    for call in _ended_elsewhere(stores, state):
        del state.actions[call]
    return state


def _requests(stores: Stores, run: Run, notices: list[str]) -> list[Event]:
    notes = _read(stores, select.Wanted(session=run.id, kinds=(event.NOTE,)), notices)
    asked = [note for note in notes if shared.is_prompt(note.src, note.body or {}) and _belongs(note, run)]
    return list(bounds.whole_hints(stores, asked[-_MOST_REQUESTS:], (event.NOTE,), notices))


def _ended_elsewhere(stores: Stores, state: Projection) -> list[tuple[str, str]]:
    """Return the actions in flight whose result another session has recorded, such as one that took over."""
    if not state.actions:
        return []
    wanted = {name for _, name in state.actions}
    calls = (entry for entry in _read(stores, select.Wanted(kinds=event.CALLS), []) if entry.call in wanted)
    still = replay.replay(calls).actions  # in order, since a call id may have been used and ended before
    return [call for call in state.actions if call not in still]


def _read(stores: Stores, wanted: select.Wanted, notices: list[str]) -> Iterator[Event]:
    reader, writers = select.Reader(stores.files, wanted), writer_trust.known(stores)
    gone = retractions.of(stores.whole.files, stores.cache, writers)
    yield from gone.without(select.merged([reader.behind(writer, 0) for writer in writers]))
    notices += reader.notices


def _begun(stores: Stores, notices: list[str]) -> list[Event]:
    """Return the start events of all sessions."""
    events = _read(stores, select.Wanted(kinds=(event.STARTED,)), notices)
    return list(bounds.whole_hints(stores, events, (event.STARTED,), notices))


def _newest_of(stores: Stores, notices: list[str]) -> str:
    named = [entry.session for entry in _begun(stores, notices) if entry.session]
    if not named:
        raise MissingFileError("No session yet.", hint='Start one: agentws session start "What it is about"')
    return named[-1]


def _belongs(entry: Event, run: Run) -> bool:
    """Return whether an event belongs to this run, not to an earlier one with the same id."""
    return entry.seq >= run.first.seq if entry.writer == run.writer else entry.at >= run.first.at


def _parent(entry: Event) -> object:
    return (entry.body or {}).get("parent")


def _left(stores: Stores, name: str) -> str | None:
    """Return the path of the newest handoff that the session wrote, None without one."""
    names = [each for each, kind in stores.files.names(layout.HANDOFFS) if kind == "file" and each.endswith(".md")]
    for each in sorted(names, reverse=True)[:_MOST_HANDOFFS]:
        path = f"{layout.HANDOFFS}/{each}"
        try:
            data = stores.files.part(path, _MOST_BYTES)[0]
            # Most handoffs are by other sessions, and front matter is slow to read.
            if name.encode() in data and handoff.decode(data, path=path).session == name:
                return path
        except AgentwsError:
            continue
    return None
