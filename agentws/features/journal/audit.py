"""journal audit: lists the actions in the journal: who did what, when, with what result."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.disk import clock, named
from agentws.core.formats import layout
from agentws.core.journal import read, retractions, select
from agentws.core.journal.events import audit as _audit
from agentws.core.stores import writer_trust
from agentws.errors import DamagedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from agentws.core.formats.journal.event import Event
    from agentws.core.journal.events.audit import AuditRow
    from agentws.core.stores.stores import Stores

_ENDED = (*_audit.NOT_DONE, *_audit.ENDS)


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
    session: str | None = None,
    task: str | None = None,
    limit: int | None = None,
) -> Audited:
    """Return the audit of the actions since a moment, in a session, for a task: all, or the newest `limit`."""
    trust = writer_trust.of(stores)
    task = _task(stores, task, trust.known) if task else None
    moment = clock.stamp(since, now=stores.clock.now())
    reader = select.Reader(stores.files, select.Wanted(since=moment, session=session))
    wanted = select.Wanted(since=moment, session=session, task=task, without=_ENDED)
    begun = select.Reader(stores.files, wanted)
    streams, writers = [], trust.known
    for writer in writers:
        # One more than is asked for shows whether there are older ones.
        newest = begun.newest(writer, limit + 1) if limit else []
        streams.append(reader.behind(writer, newest[0].seq - 1 if limit and len(newest) > limit else 0))
    whole = (_whole(stores, event, reader.notices) for event in select.merged(streams))
    gone = retractions.of(stores.whole.files, stores.cache, writers)
    audit_rows = [row for row in _audit.rows(whole, retracted=gone.by) if task is None or row.task == task]
    more = limit is not None and len(audit_rows) > limit
    shown = audit_rows[-limit:] if limit else audit_rows
    return Audited(shown, more=more, writers=writers, notices=[*stores.notices, *trust.notices, *reader.notices])


def _task(stores: Stores, name: str, writers: Sequence[str]) -> str:
    """Return the task with this name, even if it is gone, else the task whose name begins so."""
    text = named.whole(stores.visible_to().files, layout.TASKS, name)
    exact = select.Reader(stores.files, select.Wanted(task=name))
    return name if text != name and any(exact.newest(writer, 1) for writer in writers) else text


def _whole(stores: Stores, event: Event, notices: list[str]) -> Event:
    """Return the event with its whole body, fetched from a blob if needed."""
    try:
        event.body = read.body(stores.files, event)
    except DamagedError as error:
        notices.append(f"{event.cursor}: {error.message}")
    return event
