"""why --then: what the agent knew, asked and did at the moment of a line, an event or an approval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from agentws.core.disk import clock
from agentws.core.formats import layout
from agentws.core.formats.documents import approval, document
from agentws.core.formats.journal import event
from agentws.core.formats.journal.event import Event
from agentws.core.journal import read
from agentws.core.notes import reading
from agentws.core.stores import referent
from agentws.core.stores.provenance import EntrySource
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.approvals.approval import Approval
from agentws.features.approvals.store import list_approvals, show as show_approval
from agentws.features.journal.audit import AuditRow, audit
from agentws.features.journal.receipts import Receipt
from agentws.features.journal.session.listing import list_sessions, show_session
from agentws.features.memory.why import why

_MOST_BEFORE, _MOST_AFTER, _MOST_REQUESTS = 20, 10, 3
_MINUTE = timedelta(seconds=59)
"""A log has times to the minute: the moment of a line is the end of its minute."""
_WINDOW = timedelta(hours=1), timedelta(minutes=10)
"""How long before and after the moment actions count, if its session is unknown."""


@dataclass(slots=True)
class Then:
    """The agent's knowledge and actions at the moment of a reference.

    Fields:
        ref, text, src: the reference, its words, and whose they are.
        at: its moment (ISO 8601, in the workspace's zone); empty if unknown. `is_exact`: else only its day is known.
        session: the session in which it was written or done, `is_sure`, or the only one that ran then; empty: unknown.
        lines: the log lines behind it.
        booted: the moment of its boot: the start of that session, else the moment itself. Empty if unknown.
        given: (source, tokens) of each section that hooks gave to the session at its newest start; empty if unknown.
        requests: the newest prompts by people before. recalled: what recall added to prompts before.
        approvals: requests of the session, and those that waited at that moment. waiting: the ids of the latter.
        before, after: actions of the session up to that moment, and the next ones.
    """

    ref: str
    text: str
    src: str
    at: str = ""
    is_exact: bool = False
    session: str = ""
    is_sure: bool = False
    lines: Sequence[EntrySource] = ()
    booted: str = ""
    given: Sequence[tuple[str, int]] = ()
    requests: Sequence[Event] = ()
    recalled: Sequence[Receipt] = ()
    approvals: Sequence[Approval] = ()
    waiting: Sequence[str] = ()
    before: Sequence[AuditRow] = ()
    after: Sequence[AuditRow] = ()
    notices: list[str] = field(default_factory=list)


def then(stores: Stores, ref: str) -> Then:
    """Return what the agent knew and did at the moment of `ref`: FILE:LINE, an event (WRITER:SEQ) or an approval's id.

    UsageError, MissingFileError.
    """
    answer, moment = _named(stores, ref)
    if moment is not None:
        answer.at = moment.astimezone(stores.clock.now().tzinfo).isoformat(timespec="seconds")
        is_minute = answer.is_exact and answer.ref.startswith(f"{layout.DAYS}/")
        until = moment + _MINUTE if is_minute else moment
        began = _session(stores, answer, until)
        _actions(stores, answer, until)
        asked = [each for each in list_approvals(stores) if _is_before(each.asked, until)]
        answer.waiting = [each.id for each in asked if not _is_before(each.decided or each.expires, until)]
        own = answer.session
        answer.approvals = [each for each in asked if each.id in answer.waiting or (own and each.session == own)]
        answer.booted = (began or moment).astimezone(stores.clock.now().tzinfo).isoformat(timespec="seconds")
    answer.notices = list(dict.fromkeys([*stores.notices, *answer.notices]))
    return answer


# The reference and its moment


def _named(stores: Stores, ref: str) -> tuple[Then, datetime | None]:
    """Return the answer about a reference so far, and its moment."""
    name = ref.removeprefix("./")
    if name.startswith(f"{layout.APPROVALS}/"):
        ref = name.removeprefix(f"{layout.APPROVALS}/").partition(".md")[0]
    if approval.is_id(ref):
        asked = show_approval(stores, ref)
        answer = Then(asked.path, asked.question, asked.src, is_exact=True, session=asked.session)
        answer.is_sure = bool(asked.session)
        return answer, _parsed(asked.decided or asked.asked)
    if "." not in ref and "/" not in ref:
        target = referent.find(stores, ref)
        session = read.find(stores.files, *read.cursor(stores.files, ref)).session or ""
        answer = Then(target.ref, target.text, target.src, is_exact=True, session=session, is_sure=bool(session))
        return answer, _parsed(target.at)
    line = why(stores, ref)
    answer = Then(f"{line.path}:{line.line}", line.text, line.src, session=line.session, is_sure=bool(line.session))
    answer.lines = line.sources
    for path, number in ((line.path, line.line), *((each.now, each.line) for each in reversed(line.sources))):
        moment, answer.is_exact = _of_log(stores, path, number)
        if moment is not None:
            return answer, moment
    answer.is_exact = bool(line.at)
    return answer, _parsed(line.at) or _end_of(stores, line.day or line.first)


def _of_log(stores: Stores, path: str, line: int) -> tuple[datetime | None, bool]:
    """Return the moment of a line of a daily log, and whether its time is known; None for a line of another file."""
    day = layout.day_of(path.rpartition("/")[2])
    if day is None or not path.startswith(f"{layout.DAYS}/"):
        return None, False
    try:
        body, _ = document.lenient(stores.files.read(path), where=path)
    except AgentwsError:
        return _end_of(stores, day), False
    entries = reading.read(body.body, path=path, day=day, first_line=body.body_line)
    entry = next((each for each in entries if each.line <= line <= each.end_line), None)
    time = entry.time if entry else None
    return (
        (_end_of(stores, day), False) if time is None else (clock.moment(f"{day}T{time}", now=stores.clock.now()), True)
    )


def _end_of(stores: Stores, day: str) -> datetime | None:
    """Return the last second of a day, or the present on its day; None without a day."""
    if not layout.is_day(day):
        return None
    return min(clock.moment(f"{day}T23:59:59", now=stores.clock.now()), stores.clock.now())


def _parsed(at: str) -> datetime | None:
    try:
        return datetime.fromisoformat(at).astimezone()
    except ValueError:
        return None


# What was known and done then


def _session(stores: Stores, answer: Then, until: datetime) -> datetime | None:
    """Fill in the session and what it was given and asked before `until`; return its start, None if unknown."""
    if not answer.session:
        runs = [row.run for row in list_sessions(stores).rows]
        ran = [run for run in runs if _is_before(run.origin.at, until) and not _is_before(run.newest.at, until)]
        answer.session = ran[0].id if len(ran) == 1 else ""
    if not answer.session:
        return None
    try:
        session = show_session(stores, answer.session)
    except MissingFileError:  # such as one on another machine
        return None
    answer.notices += session.notices
    answer.given = session.boot.sections if session.boot else ()
    answer.requests = [each for each in session.requests if _is_before(each.at, until)][-_MOST_REQUESTS:]
    answer.recalled = [each for each in session.recalled if _is_before(each.at, until)]
    starts = [_parsed(entry.at) for entry in (session.run.origin, session.run.first)]
    return max((start for start in starts if start is not None and start <= until), default=None)


def _actions(stores: Stores, answer: Then, until: datetime) -> None:
    since, later = until - _WINDOW[0], until + _WINDOW[1]
    own = answer.session
    audited = audit(stores, session=own) if own else audit(stores, since=since, before=later)
    rows = [row for row in audited.rows if row.kind not in (event.STARTED, event.ENDED)]
    count = sum(_is_before(row.at, until) for row in rows)
    answer.before, answer.after = rows[max(0, count - _MOST_BEFORE) : count], rows[count : count + _MOST_AFTER]


def _is_before(at: str, until: datetime) -> bool:
    parsed = _parsed(at)
    return parsed is not None and parsed <= until
