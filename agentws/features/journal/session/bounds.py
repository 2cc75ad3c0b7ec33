"""session start and end: record the bounds of a session, a run of the agent; find sessions without an end."""

from __future__ import annotations

import os

from agentws.core import Result
from agentws.core.formats import audience as _audience, layout
from agentws.core.formats.journal import event, summary, thread
from agentws.core.formats.journal.segment import MOST_SESSIONS
from agentws.core.installation import host_info
from agentws.core.journal import read, reference, select, session_audience
from agentws.core.stores import record
from agentws.errors import NeedsYouError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from agentws.core.formats.journal.event import Event
    from agentws.core.journal.events.liveness import ThisMachine
    from agentws.core.journal.events.replay import Projection, Run
    from agentws.core.stores.record import Recorded
    from agentws.core.stores.stores import Stores


class Started(Result):
    """The result of starting or ending a session: its `session` id, and the event."""

    __slots__ = ("event", "notices", "session")

    def __init__(self, session: str, event: Recorded, notices: list[str]) -> None:
        self.session = session
        self.event = event
        self.notices = notices


def start_session(
    stores: Stores,
    text: str | None = None,
    *,
    session: str | None = None,
    process: int | None = None,
    parent: str | None = None,
    via: str | None = None,
    audience: str | None = None,
    daemon: bool = False,
) -> Started:
    """Start a session; events without a session belong to the one that their process runs in.

    `session` is its id, by default a new one; `process` is the id of the process with which the session ends, a
    `daemon` if it also serves other sessions and outlives this one; `parent` is the session that started this one, as
    for a subagent; `via` is the source of the event. `audience` is who can read the session; it is never wider than
    that of the parent or the environment. Earlier sessions that crashed are notices.
    """
    if audience is not None and audience not in _audience.AUDIENCES:
        raise UsageError(
            f"--audience must be {' or '.join(_audience.AUDIENCES)}, not {audience!r}.",
            hint="If others read the session: --audience shared",
        )
    name = session or name_of(stores, parent)
    body: dict[str, object] = {
        "host": host_info.name(),
        "boot": host_info.boot_id(),
        "namespace": host_info.namespace(),
    }
    body.update(host_info.process(process) if process else {})
    if process and daemon:
        body["daemon"] = True
    if parent is not None:
        event.check_words(kind=event.STARTED, session=parent, src="agent")
        body["parent"] = parent
    body.update(_heard_by(stores, name, parent, audience))
    crashed = _crashed(stores.visible_to())
    crashed += _fence(stores, name, body)
    happening = record.told(event.STARTED, text, session=name, body=body, via=via)
    (done,), notices = record.record(stores, [happening])
    return Started(name, done, [*stores.notices, *crashed, *notices])


def _heard_by(stores: Stores, name: str, parent: str | None, audience: str | None) -> dict[str, str]:
    """Return the audience for the body of the start event; empty for the main one."""
    stores.check_writable()
    event.check_words(kind=event.STARTED, session=name, src="agent")
    above = session_audience.recorded(stores.files, parent) if parent else None
    wanted = _audience.narrower(stores.environment.audience, audience, above)
    if session_audience.mark(stores.files, name, wanted) == _audience.MAIN:
        return {}
    return {_audience.KEY: _audience.SHARED}


def end_session(
    stores: Stores, text: str | None = None, *, session: str | None = None, via: str | None = None
) -> Started:
    """End a session and seal the journal: the one with this id, else that of the environment, else the newest running.

    `via` is the source of the event. NeedsYouError if the session is not running. A failing seal is a notice.
    """
    unended = [item for item in stores.appender().sessions() if _may_be_ended(stores, item)]
    name = session or stores.environment.session or _running(stores)
    if name is not None and not _may_be_ended(stores, name):
        raise NeedsYouError(
            "The session is hidden from this audience.", hint="To end your own session, leave out the id."
        )
    if name not in unended and not (name and _runs(stores, name, unended)):
        named = f"Session {name} is not running" if name else "No session is running"
        from agentws.core.text import names

        hint = (
            f"Sessions that have not ended: {names.some(unended)}." if unended else "Start one: agentws session start"
        )
        raise NeedsYouError(f"{named}.", hint=hint)
    return end(stores, name, text, {}, via=via)


def _running(stores: Stores) -> str | None:
    """Return the session of the running processes. NeedsYouError if it is the host's, which the host ends itself."""
    session = stores.appender().running(by_host=False)
    if session is not None and session == stores.environment.hosted:
        raise NeedsYouError(
            f"Session {session} belongs to the calling program, which ends it.",
            hint=f"To end it now: agentws session end {session}",
        )
    return session


def _may_be_ended(stores: Stores, name: str) -> bool:
    """Return whether this audience may end the session: a shared audience cannot end sessions of the main one."""
    if stores.audience() == _audience.MAIN:
        return True
    return session_audience.recorded(stores.files, name) == _audience.SHARED


def find_session(stores: Stores, part: str) -> str:
    """Return the id of a session from the id, or from a unique beginning or end of it.

    MissingFileError names similar ids if there is none, or none that the audience may know; UsageError for several.
    """
    if part in stores.appender().sessions() and _may_be_ended(stores, part):
        return part
    from agentws.core.journal import session_scan
    from agentws.core.stores import writer_trust

    return session_scan.named_session(stores.files, part, stores.notices, writer_trust.known(stores))


def end(stores: Stores, name: str, text: str | None, body: Mapping[str, Any], *, via: str | None = None) -> Started:
    """Record the end of a session, with its outcome in `body`, and seal the journal.

    The fence notes the calls in flight before: the end of a host's session closes them.
    """
    from agentws.core.journal import reference
    from agentws.core.stores import seals  # a start seals nothing

    fenced: list[str] = []
    if reference.outlined(stores.files, stores.appender().writer).open:
        from agentws.core.stores import fence

        fenced = fence.renew(stores, ending=name)
    (done,), notices = record.record(stores, [record.told(event.ENDED, text, session=name, body=body, via=via)])
    notices += seals.quietly(stores)
    return Started(name, done, [*stores.notices, *fenced, *notices])


def name_of(stores: Stores, parent: str | None = None) -> str:
    """Return the id for a session without one: that of the environment, else a new one with its time of beginning.

    `20261120-0715-3fa9c1`. A child session always gets a new id, as the environment names its parent.
    """
    if stores.environment.session and parent is None:
        return stores.environment.session
    local = stores.here()
    return f"{local.day.replace('-', '')}-{local.time.replace(':', '')}-{os.urandom(3).hex()}"


def _runs(stores: Stores, name: str, running: list[str]) -> bool:
    """Return whether a session has not ended, though it is not among the `running` ids, which are limited in number."""
    return len(running) >= MOST_SESSIONS and runs(stores, name)


def _fence(stores: Stores, name: str, body: Mapping[str, Any]) -> list[str]:
    """Note what other sessions left in flight, before this one is known to run; return notices."""
    if not stores.appender().sessions() and stores.files.is_missing(layout.FENCE):
        return []
    from agentws.core.stores import fence

    return fence.renew(stores, starting=name, facts=dict(body))


def _crashed(stores: Stores) -> list[str]:
    running = stores.appender().sessions()
    return crashed(stores, running) if running else []


_MOST_SAID, _MOST_ACTIONS, _LONGEST = 3, 3, 80


def crashed(stores: Stores, names: Sequence[str]) -> list[str]:
    """Return a notice for each of these sessions of this installation that has crashed, the newest first."""
    from agentws.core.journal.events import liveness, replay

    notices: list[str] = []
    state = replay.replay(whole_hints(stores, _events(stores, names), (event.STARTED, event.ACTION), notices))
    runs = [run for name in reversed(names) if (run := state.sessions.get(name)) and run.started]
    facts, now = this_machine(runs), stores.clock.now()
    judged = [(run, liveness.judge(run, facts, now)) for run in runs]
    gone = [(run, likely) for run, likely in judged if likely.state == liveness.CRASHED and not _answered(stores, run)]
    notices += [_words(run, likely.why, state) for run, likely in gone[:_MOST_SAID]]
    if len(gone) > _MOST_SAID:
        notices.append(f"{len(gone) - _MOST_SAID} more sessions crashed earlier: agentws session list")
    return notices


def _answered(stores: Stores, run: Run) -> bool:
    newest = select.Reader(stores.files, select.Wanted(session=run.id)).newest(run.writer, 1)
    return bool(newest) and thread.is_answer(newest[0])


def runs(stores: Stores, name: str) -> bool:
    """Return whether this installation has started the session and not ended it, by its newest start or end event."""
    wanted = select.Wanted(session=name, kinds=(event.STARTED, event.ENDED))
    newest = select.Reader(stores.files, wanted).newest(stores.appender().writer, 1)
    return bool(newest) and newest[0].kind == event.STARTED


def _events(stores: Stores, names: Sequence[str]) -> list[Event]:
    """Return the start events of these sessions and their actions in flight, oldest first."""
    from agentws.core.stores import writer_trust

    writer = stores.appender().writer
    outline = reference.outlined(stores.files, writer)
    calls = (
        [ref for name, ref in reference.open_calls(stores.files, writer_trust.known(stores)) if name == writer]
        if outline.open
        else []
    )
    refs = [*(ref for name, ref in outline.begun.items() if name in names), *calls]
    events = [entry for ref in refs if (entry := reference.at(stores.files, writer, ref))]
    return sorted((entry for entry in events if entry.session in names), key=lambda entry: entry.seq)


def _words(run: Run, why: str, state: Projection) -> str:
    actions = [action for action in reversed(state.actions.values()) if action.session == run.id]
    parts = [f"{summary.of(action.body, longest=_LONGEST)} ({action.cursor})" for action in actions[:_MOST_ACTIONS]]
    more = [f"{len(actions) - _MOST_ACTIONS} more"] if len(actions) > _MOST_ACTIONS else []
    flight = f"In flight: {'; '.join([*parts, *more])}." if parts else "Nothing was in flight."
    return (
        f"Session {run.id} has crashed: {why}. {flight} See: agentws session show {run.id}. "
        f"Once you have picked this up, run: agentws session end {run.id}"
    )


def this_machine(runs: Collection[Run]) -> ThisMachine:
    """Return the present facts of this machine by which the liveness of these sessions is judged."""
    from agentws.core.journal.events import liveness

    return host_info.this_machine(liveness.processes(runs, host_info.name()))


def whole_hints(stores: Stores, events: Iterable[Event], kinds: Collection[str], notices: list[str]) -> Iterator[Event]:
    """Yield the events of sessions, those of `kinds` with their whole body, fetched from a blob if needed."""
    for entry in events:
        yield read.complete(stores.files, entry, notices) if entry.kind in kinds else entry
