"""session list: the sessions of all writers, with their likely state."""

from __future__ import annotations

from agentws.formats import event as _event
from agentws.operations.session import judging
from agentws.planning import projection, sessions
from agentws.storage.journal import reading, selecting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.planning.projection import Projection, Run
    from agentws.planning.sessions import Likely
    from agentws.storage.stores import Stores

_WHOLE = (_event.STARTED, _event.ENDED)


class Listed:
    """A session of the list: its `run`, its `likely` state, and how deep it stands below those that began it.

    `in_flight` counts its actions whose result is not known; `lasted_s` is None where it cannot be told.
    """

    __slots__ = ("depth", "in_flight", "lasted_s", "likely", "run")

    def __init__(self, run: Run, likely: Likely, *, depth: int, in_flight: int) -> None:
        self.run = run
        self.likely = likely
        self.depth = depth
        self.in_flight = in_flight
        self.lasted_s = sessions.lasted_s(run)


class Sessions:
    """The sessions, those that another one began below it, else the newest last; `older` counts those not listed."""

    __slots__ = ("notices", "older", "rows", "writers")

    def __init__(self, rows: list[Listed], *, older: int, writers: list[str], notices: list[str]) -> None:
        self.rows = rows
        self.older = older
        self.writers = writers
        self.notices = notices


def list_sessions(stores: Stores, *, limit: int | None = None) -> Sessions:
    """All sessions, or the `limit` of which there are the newest events."""
    notices: list[str] = []
    reader = selecting.Reader(stores.files, selecting.Wanted())
    writers = reading.writers(stores.files)
    events = selecting.merged([reader.behind(writer, 0) for writer in writers])
    state = projection.replay(judging.whole(stores, events, _WHOLE, notices))
    rows = _rows(stores, state, _newest(list(state.runs.values()), limit))
    older = len(state.runs) - len(rows) + state.older["sessions"]
    return Sessions(rows, older=older, writers=writers, notices=[*stores.notices, *reader.notices, *notices])


def _newest(runs: list[Run], limit: int | None) -> list[Run]:
    """The runs with the newest events, in the order in which they began."""
    if limit is None or len(runs) <= limit:
        return runs
    chosen = {id(run) for run in sorted(runs, key=lambda run: run.newest.at)[-limit:]}
    return [run for run in runs if id(run) in chosen]


def _rows(stores: Stores, state: Projection, runs: list[Run]) -> list[Listed]:
    facts, now = judging.here(runs), stores.clock.now()
    counts: dict[str | None, int] = {}
    for action in state.actions.values():
        counts[action.session] = counts.get(action.session, 0) + 1
    return [
        Listed(run, sessions.judge(run, facts, now), depth=depth, in_flight=counts.get(run.id, 0))
        for depth, run in sessions.tree(runs)
    ]
