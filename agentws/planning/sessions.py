"""Whether a session runs, has ended or crashed, judged from facts; and the sessions as a tree. Pure.

A missing end proves nothing: the session may run. So it is said to have crashed only where its process is known to be
gone, and what cannot be known is said to be unknown, with its age.
"""

from __future__ import annotations

from datetime import datetime, timedelta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentws.formats.event import Body, Event
    from agentws.planning.projection import Run

    Process = tuple[int, int | None]
    """The id of a process and when it began, in clock ticks since the machine's start."""

RUNNING, ENDED, CRASHED, UNKNOWN = "running", "ended", "crashed", "unknown"
LIKELY_AGE = timedelta(hours=24)
"""A session of which nothing was heard for so long has probably crashed."""
_EITHER, _PROBABLY = "running or crashed", "probably crashed"


class Here:
    """What the judging machine knows of itself: its name, this start of it, and the processes that can be seen.

    `namespace` tells the processes of one container from those of another. `lives` says of a recorded process whether
    it still runs; one that is missing or None is not known.
    """

    __slots__ = ("boot", "host", "lives", "namespace")

    def __init__(
        self, host: str, boot: str | None, namespace: int | None, lives: Mapping[Process, bool | None]
    ) -> None:
        self.host = host
        self.boot = boot
        self.namespace = namespace
        self.lives = lives


class Likely:
    """The state of a session: RUNNING, ENDED, CRASHED or UNKNOWN; `words` for people, and `why`.

    `age_s` is how long ago its newest event was.
    """

    __slots__ = ("age_s", "state", "why", "words")

    def __init__(self, state: str, why: str, *, words: str = "", age_s: float | None = None) -> None:
        self.state = state
        self.why = why
        self.words = words or state
        self.age_s = age_s


def processes(runs: Iterable[Run], host: str) -> list[Process]:
    """The processes of this host whose fate decides whether these sessions run."""
    found: dict[Process, None] = {}
    for run in runs:
        body = _facts(run)
        if run.ended is None and body.get("host") == host:
            found.update(dict.fromkeys(one for one in (_process(body), _process(_outer(body))) if one))
    return list(found)


def judge(run: Run, here: Here, now: datetime) -> Likely:
    """The likely state of a session, from its events and what this machine knows."""
    age_s = seconds(run.newest.at, now)
    if run.ended is not None:
        return Likely(ENDED, _outcome(run.ended), age_s=age_s)
    state, why = _fate(run, _facts(run), here)
    if state != UNKNOWN:
        return Likely(state, why, age_s=age_s)
    is_old = age_s is not None and age_s > LIKELY_AGE.total_seconds()
    return Likely(UNKNOWN, why, words=_PROBABLY if is_old else _EITHER, age_s=age_s)


def _fate(run: Run, facts: Body, here: Here) -> tuple[str, str]:
    host = facts.get("host")
    if run.started is None:
        return UNKNOWN, "nobody said that it began"
    if not host or host != here.host:
        return UNKNOWN, f"it began on another machine, {host}" if host else "where it began is not known"
    if facts.get("boot") and here.boot and facts["boot"] != here.boot:
        return CRASHED, "the machine was started anew since"
    if not _seen(facts, here):
        return UNKNOWN, "it began in another container of this machine, or in an earlier start of this one"
    return _by_process(facts, here)


def _seen(facts: Body, here: Here) -> bool:
    """True where the ids of processes mean the same here as where the session began."""
    return facts.get("namespace", here.namespace) in (here.namespace, None)


def _by_process(facts: Body, here: Here) -> tuple[str, str]:
    process, outer = _process(facts), _process(_outer(facts))
    if process is None:
        return UNKNOWN, "its process was not recorded"
    lives = here.lives.get(process)
    if lives:
        return RUNNING, f"its process {process[0]} lives"
    if lives is None:
        return UNKNOWN, f"whether process {process[0]} is still the same cannot be told"
    if outer is None or here.lives.get(outer) is False:
        return CRASHED, f"its process {process[0]} is gone"
    return UNKNOWN, f"the command that began it is over, and process {outer[0]}, which ran that, may go on"


def _facts(run: Run) -> Body:
    return (run.started and run.started.body) or {}


def _outer(body: Body) -> Body:
    found = body.get("outer")
    return found if isinstance(found, dict) else {}


def _process(body: Body) -> Process | None:
    pid, started = body.get("process"), body.get("started")
    if type(pid) is not int or pid <= 0:
        return None
    return pid, started if type(started) is int else None


def _outcome(ended: Event) -> str:
    found = (ended.body or {}).get("outcome")
    return found if isinstance(found, str) else ""


def seconds(at: str, now: datetime) -> float | None:
    """How long before `now` that was; 0 where a clock says it is still to come, None where `at` is no moment."""
    try:
        return max(0.0, (now - datetime.fromisoformat(at)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def lasted_s(run: Run) -> float | None:
    """From the first event to the end, or to the newest event where there is no end."""
    try:
        last = datetime.fromisoformat((run.ended or run.newest).at)
    except (ValueError, TypeError):
        return None
    return seconds(run.first.at, last)


def tree(runs: Sequence[Run]) -> list[tuple[int, Run]]:
    """(depth, run) of each, those that another one began below it; one whose parent is not there stands by itself."""
    named = {run.id: run for run in runs}
    below: dict[int, list[Run]] = {}
    roots = []
    for run in runs:
        parent = named.get(run.parent or "")
        if parent is None or _leads_to(parent, run, named):
            roots.append(run)
        else:
            below.setdefault(id(parent), []).append(run)
    found: list[tuple[int, Run]] = []
    waiting = [(0, run) for run in reversed(roots)]
    while waiting:
        depth, run = waiting.pop()
        found.append((depth, run))
        waiting += [(depth + 1, one) for one in reversed(below.get(id(run), []))]
    return found


def _leads_to(start: Run, run: Run, named: Mapping[str, Run]) -> bool:
    """True where `run` is above `start`: somebody said so in a circle."""
    seen: set[int] = set()
    above: Run | None = start
    while above is not None and id(above) not in seen:
        if above is run:
            return True
        seen.add(id(above))
        above = named.get(above.parent or "")
    return False
