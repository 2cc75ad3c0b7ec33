"""Orphaned sessions: those without an end, whether one still runs, and notices of crashed ones for a new session."""

from __future__ import annotations

from agentws.core.formats.journal import event, summary, thread
from agentws.core.installation import host_info
from agentws.core.journal import read, reference, select
from agentws.core.journal.events import liveness, replay
from agentws.core.stores import writer_trust
from agentws.errors import DamagedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from agentws.core.formats.journal.event import Event
    from agentws.core.journal.events.replay import Projection, Run
    from agentws.core.stores.stores import Stores


_MOST_SAID, _MOST_ACTIONS, _LONGEST = 3, 3, 80


def crashed(stores: Stores, names: Sequence[str]) -> list[str]:
    """Return a notice for each of these sessions of this installation that has crashed, the newest first."""
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


def this_machine(runs: Collection[Run]) -> liveness.ThisMachine:
    """Return the present facts of this machine by which the liveness of these sessions is judged."""
    return host_info.this_machine(liveness.processes(runs, host_info.name()))


def whole_hints(stores: Stores, events: Iterable[Event], kinds: Collection[str], notices: list[str]) -> Iterator[Event]:
    """Yield the events of sessions, those of `kinds` with their whole body, fetched from a blob if needed."""
    for entry in events:
        if entry.kind in kinds:
            try:
                entry.body = read.body(stores.files, entry)
            except DamagedError as error:
                notices.append(f"{entry.cursor}: {error.message}")
        yield entry
