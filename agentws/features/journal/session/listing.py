"""session list: lists the sessions of all writers, with their likely state."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats.journal import event
from agentws.core.journal import reference, select, session_scan
from agentws.core.journal.events import imported, liveness, replay
from agentws.core.stores import writer_trust
from agentws.features.journal.session import orphaned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.journal.events.imported import ImportedSession
    from agentws.core.journal.events.liveness import Likely
    from agentws.core.journal.events.replay import Run
    from agentws.core.stores.stores import Stores

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
        _ = list(orphaned.whole_hints(stores, (session_events.first, session_events.newest), _WHOLE, notices))
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
    facts, now = orphaned.this_machine(runs), stores.clock.now()
    return [
        SessionRow(run, liveness.judge(run, facts, now), depth=depth, in_flight=in_flight.get(run.id, 0))
        for depth, run in liveness.tree(runs)
    ]
