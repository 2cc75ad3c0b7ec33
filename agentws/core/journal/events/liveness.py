"""The liveness of a session: running, ended, exited or crashed, judged from facts; sessions that broke off. Pure.

A missing end proves nothing: the session may run. Only if its process is known to be gone, it has exited, if the last
thing it did was to answer, or crashed. It is unknown, with its age, if nothing is known. A daemon that serves several
sessions lives on when one of them is idle: such a session is quiet after a long silence.

A session whose process is gone or unknown, or that is quiet while its daemon lives, has broken off until its work was
taken over: by its own handoff, one that names it, or an event that says so, after its last event.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from agentws.core import Record, Result
from agentws.core.formats.documents.handoff import Handoff, moment_of
from agentws.core.formats.journal import event as _event, thread
from agentws.core.journal.events.replay import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentws.core.formats.journal.event import Body, Event
    from agentws.core.formats.journal.thread import Process


RUNNING, ENDED, CRASHED, UNKNOWN = thread.RUNNING, "ended", thread.CRASHED, thread.UNKNOWN
QUIET = "quiet"
EXITED = "exited"
"""The process is gone, and the agent had answered: some hosts do not report the end of a run with one prompt."""
GONE = (CRASHED, EXITED)
"""The states of a session without an end whose process is known to be gone."""
ThisMachine = thread.ThisMachine
QUIET_AFTER = timedelta(minutes=30)
"""The time without events after which a daemon's session is quiet (docs/format/journal.md)."""
_MINUTES = round(QUIET_AFTER.total_seconds() / 60)
_MAY_RUN = "may still be running"


class Likely(Result):
    """The likely state of a session: RUNNING, QUIET, ENDED, EXITED, CRASHED or UNKNOWN; `words` for people, and `why`.

    `age_s` is how long ago its newest event was.
    """

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
            distinct.update(dict.fromkeys(thread.processes(body)))
    return list(distinct)


def judge(run: Run, machine: ThisMachine, now: datetime) -> Likely:
    """Return the likely state of a session, from its events and the facts of this machine."""
    age_s = seconds(run.newest.at, now)
    if run.ended is not None:
        outcome = (run.ended.body or {}).get("outcome")
        return Likely(ENDED, outcome if isinstance(outcome, str) else "", age_s=age_s)
    state, why = thread.fate_of(_facts(run), machine) if run.started is not None else (UNKNOWN, "no start was recorded")
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


WRITTEN, CLOSED, UNDONE = "handoff.written", "handoff.closed", "handoff.undone"
ACCEPTED = "handoff.accepted"
"""A handoff that was not written here was accepted as the agent's own."""
MOST = 3
"""The number of sessions that broke off together and are shown in full."""
_NO_WORK = (*_event.STRUCTURE, _event.STARTED, _event.ENDED)
_UPKEEP = ("handoff.", "compaction.", "migration.", "writer.", "host.", "forgotten", "file.")
"""Events of verbs about the workspace, which are not work of the session that they fall into: cron may have called
them.
"""


class OpenSession:
    """A session without an end, as far as it was read: its `events`, oldest first, and its `run`.

    For a session that ended and was resumed under its id, `events` are those since. `again` is the event of a new
    start, if `events` are those before that start.
    """

    def __init__(self, session: str, events: Sequence[Event], *, again: Event | None = None) -> None:
        self.again = again
        self.events = since_it_ended(events)
        self.run = Run(session, self.events[0])
        for event in self.events:
            self.run.take(event)

    @property
    def id(self) -> str:
        """The id of the session."""
        return self.run.id

    @property
    def work(self) -> list[Event]:
        """The session's events without its start, end, handoffs and upkeep."""
        return [event for event in self.events if event.kind not in _NO_WORK and not event.kind.startswith(_UPKEEP)]

    @property
    def last(self) -> Event:
        """The newest work of the session, else its newest event."""
        return (self.work or self.events)[-1]


def since_it_ended(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events of a session since it was resumed after an end; else all of them."""
    begun = max((place for place, event in enumerate(events) if event.kind == _event.STARTED), default=0)
    ended = [place for place, event in enumerate(events[:begun]) if event.kind == _event.ENDED]
    return events[ended[-1] + 1 :] if ended else events


class OrphanedSession(Record):
    """A session that broke off, and how `likely` it still runs."""

    session: OpenSession
    likely: Likely

    @property
    def may_run(self) -> bool:
        """Return whether the session may still run."""
        return self.likely.state not in GONE

    @property
    def is_quiet(self) -> bool:
        """Return whether the session's process, a daemon, lives but the session had no event for long."""
        return self.likely.state == QUIET

    @property
    def is_silent(self) -> bool:
        """Return whether the session holds only requests of the user, and no answer or action."""
        asked = (_event.NOTE, _event.USER)
        return all(event.kind == _event.STARTED or (event.kind, event.src) == asked for event in self.session.events)


def before_it_began_again(session: OpenSession) -> OpenSession | None:
    """Return a session as it was before its newest start, if that follows no end and no work came since; else None."""
    begun = [place for place, event in enumerate(session.events) if event.kind == _event.STARTED]
    if not begun or not begun[-1] or any(event in session.work for event in session.events[begun[-1] :]):
        return None
    before = session.events[: begun[-1]]
    turns = [event.kind for event in before if event.kind in (_event.STARTED, _event.ENDED)]
    if turns[-1:] == [_event.ENDED]:
        return None
    return OpenSession(session.id, before, again=session.events[begun[-1]])


def waiting(sessions: Sequence[OpenSession], *, notes: Sequence[Handoff], handed: Sequence[Event]) -> list[OpenSession]:
    """Return the sessions that nobody took over; `notes` are the handoffs, `handed` the handoff events."""
    standing = [entry for entry in handed if not any(_is_taken_back(entry, other) for other in handed)]
    left = (session for session in sessions if not any(_tells(event, session) for event in standing))
    return [session for session in left if not any(_covers(note, session, standing) for note in notes)]


def _is_taken_back(event: Event, later: Event) -> bool:
    """Return whether the later event undoes the handoff of the first one. A missing file proves nothing: closed
    handoffs are moved away.
    """
    path = (event.body or {}).get("path")
    return later.kind == UNDONE and path == (later.body or {}).get("path") and not is_before(later, event)


def broken(
    sessions: Sequence[OpenSession], *, machine: ThisMachine, own: str | None, moment: datetime
) -> list[OrphanedSession]:
    """Return the sessions that broke off, the one with the newest work first; `own` is the caller's session.

    Sessions without work are left out. A session that began again and broke off again is listed once, as it is now.
    """
    judged = [OrphanedSession(session, _likely(session, machine, moment)) for session in sessions]
    chosen = [session for session in judged if session.session.work and _broke_off(session, own)]
    now = {session.session.id for session in chosen if session.session.again is None}
    chosen = [session for session in chosen if session.session.again is None or session.session.id not in now]
    return sorted(chosen, key=lambda session: (session.session.last.at, session.session.last.seq), reverse=True)


def in_full(sessions: Sequence[OrphanedSession]) -> list[OrphanedSession]:
    """Return the sessions to show in full: the newest with any answer or action, and those that worked beside it."""
    orphans = [session for session in sessions if not session.is_silent] or sessions[:1]
    if not orphans:
        return []
    began = orphans[0].session.run.first.at
    beside = [session for session in orphans[1:] if session.session.last.at >= began]
    return [orphans[0], *beside][:MOST]


def _tells(event: Event, session: OpenSession) -> bool:
    """Return True for the event of a handoff of this session, or of one that names it, after its newest work."""
    body = event.body or {}
    follows = body.get("follows")
    named = [event.session] if event.kind == WRITTEN else [body.get("session")]
    if session.id not in named and not (isinstance(follows, list) and session.id in follows):
        return False
    return not is_before(event, session.last)


def _covers(note: Handoff, session: OpenSession, handed: Sequence[Event]) -> bool:
    """Return whether a handoff of this session, or one that names it or no session, was written after its newest work.

    The order is that of the events; for a handoff without one, as for a handmade file, that of the clock.
    """
    if session.id != note.session and session.id not in note.follows and (note.session or note.follows):
        return False
    written = written_by(note, handed)
    if written is not None:
        return not is_before(written, session.last)
    at = moment_of(note.at)
    last = moment_of(session.last.at)
    return at is not None and last is not None and at >= last.replace(microsecond=0)


def written_by(note: Handoff, handed: Sequence[Event]) -> Event | None:
    """Return the event by which a handoff was first written, None if it is not among these."""
    wrote = (event for event in handed if event.kind == WRITTEN and (event.body or {}).get("path") == note.path)
    return min(wrote, key=lambda event: event.at, default=None)


def on_purpose(notes: Sequence[Handoff]) -> Handoff | None:
    """Return the first of these handoffs that was written here on purpose, or None."""
    return next((note for note in notes if note.is_on_purpose and not note.src), None)


def since(note: Handoff | None, sessions: Sequence[OrphanedSession], handed: Sequence[Event]) -> list[OrphanedSession]:
    """Return the sessions whose work continued after this handoff; all of them without a handoff."""
    return [orphan for orphan in sessions if note is None or after(note, [orphan.session.last], handed)]


def own_handoff(notes: Sequence[Handoff], session: str) -> Handoff | None:
    """Return the first of these handoffs that the session wrote on purpose, or None."""
    return on_purpose([note for note in notes if session and note.session == session])


def after(note: Handoff, events: Sequence[Event], handed: Sequence[Event]) -> list[Event]:
    """Return the events after a handoff: by its event among `handed`, as the clock may have been set back, else by the
    time in its file.
    """
    written, at = written_by(note, handed), moment_of(note.at)
    if written is not None:
        return [event for event in events if is_before(written, event)]
    return [event for event in events if at is None or ((moment := moment_of(event.at)) is not None and moment >= at)]


def is_before(event: Event, other: Event) -> bool:
    """Return whether one event precedes another: by number within a writer, by time between writers."""
    return event.seq < other.seq if event.writer == other.writer else event.at < other.at


def _likely(session: OpenSession, machine: ThisMachine, moment: datetime) -> Likely:
    """Return the likely state of a session; one that began again and does not run has ended before, unrecorded."""
    likely = judge(session.run, machine, moment)
    if session.again is None or likely.state == RUNNING:
        return likely
    began = moment_of(session.again.at)
    when = f" at {began.astimezone(moment.tzinfo):%H:%M}" if began else ""
    pair = CRASHED, f"the session restarted without having ended{when}"
    pair = exited(pair[1]) if thread.is_answer(session.run.newest) else pair
    return Likely(*pair, age_s=likely.age_s)


def _broke_off(orphan: OrphanedSession, own: str | None) -> bool:
    if orphan.likely.state in (RUNNING, ENDED):
        return False
    return orphan.session.id != own or not orphan.may_run
