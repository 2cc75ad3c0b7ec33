"""journal audit: lists the actions in the journal: who did what, when, with what result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from itertools import chain

from agentws.core import Result
from agentws.core.disk import clock, named
from agentws.core.formats import layout
from agentws.core.formats.journal import event, retraction, summary, thread
from agentws.core.formats.journal.event import Event
from agentws.core.formats.journal.thread import Thread
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import redaction
from agentws.core.journal import read, retractions, select
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores

OK, ERROR, REFUSED, UNKNOWN, NONE = "ok", "error", "refused", "unknown", "no result"
NOTHING, UNDONE, RETRACTED = "", "taken back", "retracted"
"""How an action ended; NOTHING for events that have no end, UNDONE for undone ones, RETRACTED for retracted ones."""

NOT_DONE = (
    event.THOUGHT, event.NOTE, event.PLAN, event.OPENED, event.SEAL, event.RECALLED, thread.STOPPED, thread.INTERRUPTED,
)  # fmt: skip
"""Kinds of thoughts and of structural events: nothing was done."""
ENDS = event.ENDS
_DECIDED = "approval.decided"


class AuditRow(Result):
    """A row of the audit: an action or another event, with time, agent, and outcome.

    `outcome` is one of the words above; `result_text` is the text of the result or error, `result_source` its source.
    `duration_s` is None if unknown. `decided_by` is who answered a request, None for other events. `agent` is the id of
    the subagent that did it, of the kind `agent_type`; None for the session itself.
    """

    __slots__ = (
        *(
            "agent",
            "agent_type",
            "at",
            "call",
            "cursor",
            "decided_by",
            "kind",
            "outcome",
            "session",
            "src",
            "task",
            "what",
        ),
        *("duration_s", "result_source", "result_text"),
    )

    def __init__(self, entry: Event) -> None:
        self.at = entry.at
        self.cursor = entry.cursor
        self.session = entry.session
        self.agent = _named(entry, thread.AGENT)
        self.agent_type = _named(entry, thread.AGENT_TYPE)
        self.decided_by = _named(entry, "decided_by") if entry.kind == _DECIDED else None
        self.src = entry.src
        self.kind = entry.kind
        self.call = entry.call
        self.task: object = (entry.body or {}).get("task")
        self.what = summary.of(redaction.without_named(entry.body))
        self.outcome = NONE if entry.kind == event.ACTION else NOTHING
        self.result_text = ""
        self.result_source: str | None = None
        self.duration_s: float | None = None

    def retract(self, entry: Event, by: str) -> AuditRow:
        """Record that the event was retracted by the event `by`."""
        self.outcome = RETRACTED
        self.result_text = f"by {by}"
        if entry.kind in ENDS:
            self.what = str((entry.body or {}).get("tool") or "")
        return self

    def end(self, entry: Event) -> None:
        """Record the result or error that ended the action."""
        is_error = entry.kind == event.ERROR
        self.outcome = (REFUSED if thread.is_refused(entry) else ERROR) if is_error else OK
        self.result_text = (
            summary.cut(summary.text(redaction.without_named(entry.body))) if entry.body is not None else "(purged)"
        )
        self.result_source = entry.src
        # Another session that closes the action, such as `done --call` after a crash, does not know when it ended.
        self.duration_s = _between(self.at, entry.at) if entry.session == self.session else None
        if thread.is_unknown(entry):
            self.outcome, self.duration_s = UNKNOWN, None
            self.result_text = self.result_text.removeprefix(f"{UNKNOWN}; ")


def rows(events: Iterable[Event], *, retracted: Callable[[Event], str] = lambda _: "") -> list[AuditRow]:
    """Return the rows of the audit, in the order in which the actions began.

    `retracted` returns the cursor of the event by which an event was retracted, empty for none. A result or an error
    whose action is not among the events has a separate row.
    """
    audit_rows: list[AuditRow] = []
    begun: dict[tuple[str, str], AuditRow] = {}
    elsewhere: dict[str, AuditRow] = {}
    running: dict[tuple[str, str], Thread] = {}
    for entry in events:
        if turn := thread.turn_of(entry) or thread.interrupted_in(entry):
            for over in [call for call, of in running.items() if of.takes(turn)]:
                begun[over].result_text = thread.MAY_RUN if entry.kind == thread.INTERRUPTED else thread.UNREPORTED
                del running[over]
        if entry.kind in NOT_DONE:
            continue
        if entry.kind == event.UNDONE:
            gone = retraction.taken_back([entry])
            for each in audit_rows:
                each.outcome = UNDONE if each.cursor in gone else each.outcome
        if by := retracted(entry):
            audit_rows.append(AuditRow(entry).retract(entry, by))
            continue
        call = (entry.writer, entry.call or "")
        # An action that began on another machine may have ended here.
        row = (begun.get(call) or elsewhere.get(call[1])) if entry.kind in ENDS else None
        running.pop(call, None)
        if row is not None:
            row.end(entry)
            continue
        row = AuditRow(entry)
        audit_rows.append(row)
        if entry.kind == event.ACTION:
            begun[call] = elsewhere[call[1]] = row
            if of := thread.thread_of(entry):
                running[call] = of
        elif entry.kind in ENDS:
            row.end(entry)
            row.duration_s, row.what = None, str((entry.body or {}).get("tool") or "")
    return audit_rows


def _named(entry: Event, key: str) -> str | None:
    word = (entry.body or {}).get(key)
    return word if isinstance(word, str) else None


def _between(start: str, end: str) -> float | None:
    try:
        seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError):
        return None
    return seconds if seconds >= 0 else None  # the clock was set back in between


_ENDED = (*NOT_DONE, *ENDS)


class Audited(Result):
    """The result of an audit: one row for each action, oldest first.

    `more` is True if there are older rows than were asked for; `writers` are the known writers of the journal.
    """

    __slots__ = ("more", "notices", "rows", "writers")

    def __init__(self, rows: list[AuditRow], *, more: bool, writers: list[str], notices: list[str]) -> None:
        self.rows = rows
        self.writers = writers
        self.more = more
        self.notices = notices


def audit(
    stores: Stores,
    *,
    since: str | date | None = None,
    before: str | date | None = None,
    session: str | None = None,
    task: str | None = None,
    limit: int | None = None,
) -> Audited:
    """Return the audit of the actions since a moment, in a session, for a task: all, or the newest `limit`.

    With `before` only actions that began before that moment, whenever they ended.
    """
    trust = writer_trust.of(stores)
    task = _task(stores, task, trust.known) if task else None
    moment, end = (clock.stamp(each, now=stores.clock.now()) for each in (since, before))
    reader = select.Reader(stores.files, select.Wanted(since=moment, before=end, session=session))
    wanted = select.Wanted(since=moment, before=end, session=session, task=task, without=_ENDED)
    begun = select.Reader(stores.files, wanted)
    streams, writers = [], trust.known
    for writer in writers:
        # One more than is asked for shows whether there are older ones.
        newest = begun.newest(writer, limit + 1) if limit else []
        streams.append(reader.behind(writer, newest[0].seq - 1 if limit and len(newest) > limit else 0))
    events = select.merged(streams)
    if end:
        first = [*events]
        reader.wanted = select.Wanted(since=end, session=session, holding=_ending(first))
        events = chain(first, select.merged(reader.behind(writer, 0) for writer in writers))
    whole = (read.complete(stores.files, entry, reader.notices) for entry in events)
    gone = retractions.of(stores.whole.files, stores.cache, writers)
    audit_rows = [row for row in rows(whole, retracted=gone.by) if task is None or row.task == task]
    audit_rows = [row for row in audit_rows if end is None or row.at < end]
    more = limit is not None and len(audit_rows) > limit
    shown = audit_rows[-limit:] if limit else audit_rows
    return Audited(shown, more=more, writers=writers, notices=[*stores.notices, *trust.notices, *reader.notices])


def _ending(events: Iterable[Event]) -> list[bytes]:
    """Return words of which each later line has one that says what became of an action among these events."""
    running: dict[str, str | None] = {}
    for entry in events:
        if entry.call and entry.kind == event.ACTION:
            running[entry.call] = entry.session
        elif entry.call and entry.kind in ENDS:
            running.pop(entry.call, None)
    named = {f'"call":{plainjson.dumps(call)}' for call in running}
    named |= {f'"session":{plainjson.dumps(session)}' for session in running.values() if session}
    return [word.encode() for word in (f'"kind":"{event.UNDONE}"', *sorted(named))]


def _task(stores: Stores, name: str, writers: Sequence[str]) -> str:
    """Return the task with this name, even if it is gone, else the task whose name begins so."""
    text = named.whole(stores.visible_to().files, layout.TASKS, name)
    exact = select.Reader(stores.files, select.Wanted(task=name))
    return name if text != name and any(exact.newest(writer, 1) for writer in writers) else text
