"""The liveness of a session: running, ended, exited or crashed, judged from facts; the tree of sessions. Pure.

A missing end proves nothing: the session may run. Only if its process is known to be gone, it has exited, if the last
thing it did was to answer, or crashed. It is unknown, with its age, if nothing is known. A daemon that serves several
sessions lives on when one of them is idle: such a session is quiet after a long silence.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from agentws.core import Result
from agentws.core.formats.journal import process_fate, thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentws.core.formats.journal.event import Body, Event
    from agentws.core.formats.journal.process_fate import Process
    from agentws.core.journal.events.replay import Run

RUNNING, ENDED, CRASHED, UNKNOWN = process_fate.RUNNING, "ended", process_fate.CRASHED, process_fate.UNKNOWN
QUIET = "quiet"
EXITED = "exited"
"""The process is gone, and the agent had answered: some hosts do not report the end of a run with one prompt."""
GONE = (CRASHED, EXITED)
"""The states of a session without an end whose process is known to be gone."""
ThisMachine = process_fate.ThisMachine
QUIET_AFTER = timedelta(minutes=30)
"""The time without events after which a daemon's session is quiet (docs/format/journal.md)."""
_MINUTES = round(QUIET_AFTER.total_seconds() / 60)
_MAY_RUN = "may still be running"


class Likely(Result):
    """The likely state of a session: RUNNING, QUIET, ENDED, EXITED, CRASHED or UNKNOWN; `words` for people, and `why`.

    `age_s` is how long ago its newest event was.
    """

    __slots__ = ("age_s", "state", "why", "words")

    def __init__(self, state: str, why: str, *, words: str = "", age_s: float | None = None) -> None:
        self.state = state
        self.why = why
        self.words = words or state
        self.age_s = age_s


def processes(runs: Iterable[Run], host: str) -> list[Process]:
    """Return the processes of this host on which the state of these sessions depends."""
    distinct: dict[Process, None] = {}
    for run in runs:
        body = _facts(run)
        if run.ended is None and body.get("host") == host:
            distinct.update(dict.fromkeys(process_fate.processes(body)))
    return list(distinct)


def judge(run: Run, machine: ThisMachine, now: datetime) -> Likely:
    """Return the likely state of a session, from its events and the facts of this machine."""
    age_s = seconds(run.newest.at, now)
    if run.ended is not None:
        return Likely(ENDED, _outcome(run.ended), age_s=age_s)
    state, why = (
        process_fate.of(_facts(run), machine) if run.started is not None else (UNKNOWN, "no start was recorded")
    )
    if state == CRASHED and thread.is_answer(run.newest):
        return Likely(*exited(why), age_s=age_s)
    if state == RUNNING and is_quiet(run, now):
        state, why = (
            QUIET,
            f"{why}, but also serves other sessions, and this session had no event for {_MINUTES} minutes",
        )
    return Likely(state, why, words=_MAY_RUN if state == UNKNOWN else "", age_s=age_s)


def exited(why: str) -> tuple[str, str]:
    """Return the state of a session that is gone, and why, if the agent had answered."""
    return EXITED, f"{why}, after the agent's last answer"


def is_quiet(run: Run, now: datetime) -> bool:
    """Return whether a session of a daemon, whose process proves nothing, has had no event for a long time."""
    moment = quiet_at(run)
    return moment is not None and moment <= now


def quiet_at(run: Run) -> datetime | None:
    """Return the moment from which a daemon's session without new events is quiet; None for other sessions."""
    if _facts(run).get("daemon") is not True:
        return None
    try:
        newest = datetime.fromisoformat(run.newest.at)
        return newest + QUIET_AFTER if newest.tzinfo else None
    except (ValueError, TypeError, OverflowError):
        return None


def _facts(run: Run) -> Body:
    return (run.started and run.started.body) or {}


def _outcome(ended: Event) -> str:
    outcome = (ended.body or {}).get("outcome")
    return outcome if isinstance(outcome, str) else ""


def seconds(at: str, now: datetime) -> float | None:
    """Return the seconds from `at` to `now`: 0 for a future moment, None if `at` is not a moment."""
    try:
        return max(0.0, (now - datetime.fromisoformat(at)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def lasted_s(run: Run) -> float | None:
    """Return the seconds from a session's first event to its end, or to its newest event if it has no end."""
    try:
        last = datetime.fromisoformat((run.ended or run.newest).at)
    except (ValueError, TypeError):
        return None
    return seconds(run.origin.at, last)


def tree(runs: Sequence[Run]) -> list[tuple[int, Run]]:
    """Return (depth, session) of each, children below their parents; a session without a known parent is at depth 0."""
    named = {run.id: run for run in runs}
    below: dict[int, list[Run]] = {}
    roots = []
    for run in runs:
        parent = named.get(run.parent or "")
        if parent is None or _leads_to(parent, run, named):
            roots.append(run)
        else:
            below.setdefault(id(parent), []).append(run)
    result: list[tuple[int, Run]] = []
    waiting = [(0, run) for run in reversed(roots)]
    while waiting:
        depth, run = waiting.pop()
        result.append((depth, run))
        waiting += [(depth + 1, child) for child in reversed(below.get(id(run), []))]
    return result


def _leads_to(start: Run, run: Run, named: Mapping[str, Run]) -> bool:
    """Return whether `run` is above `start`: somebody said so in a circle."""
    seen: set[int] = set()
    above: Run | None = start
    while above is not None and id(above) not in seen:
        if above is run:
            return True
        seen.add(id(above))
        above = named.get(above.parent or "")
    return False
