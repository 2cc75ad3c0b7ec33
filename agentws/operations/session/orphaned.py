"""Sessions that have not ended: whether one runs; and those that have crashed, as a new one finds and tells them."""

from __future__ import annotations

from agentws.formats.journal import event as _event
from agentws.formats.journal import summary
from agentws.operations.session import processes
from agentws.planning.events import liveness, replay
from agentws.storage.journal import reference, select
from agentws.storage.workspace import writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.journal.event import Event
    from agentws.planning.events.replay import Projection, Run
    from agentws.storage.workspace.stores import Stores

_MOST_SAID, _MOST_ACTIONS, _LONGEST = 3, 3, 80


def crashed(stores: Stores, names: Sequence[str]) -> list[str]:
    """A notice for each of these sessions of this installation that has crashed, the newest first."""
    notices: list[str] = []
    state = replay.replay(processes.whole(stores, _events(stores, names), (_event.STARTED, _event.ACTION), notices))
    runs = [run for name in reversed(names) if (run := state.sessions.get(name)) and run.started]
    facts, now = processes.here(runs), stores.clock.now()
    found = [(run, liveness.judge(run, facts, now)) for run in runs]
    gone = [(run, likely) for run, likely in found if likely.state == liveness.CRASHED]
    notices += [_words(run, likely.why, state) for run, likely in gone[:_MOST_SAID]]
    if len(gone) > _MOST_SAID:
        notices.append(f"{len(gone) - _MOST_SAID} earlier sessions have crashed too: agentws session list")
    return notices


def runs(stores: Stores, name: str) -> bool:
    """True where this installation has begun the session and not ended it, by its newest event that says either."""
    wanted = select.Wanted(session=name, kinds=(_event.STARTED, _event.ENDED))
    newest = select.Reader(stores.files, wanted).newest(stores.journal().writer, 1)
    return bool(newest) and newest[0].kind == _event.STARTED


def _events(stores: Stores, names: Sequence[str]) -> list[Event]:
    """Where these sessions began, and their actions in flight, oldest first: the newest segment refers to them."""
    writer = stores.journal().writer
    told = reference.outlined(stores.files, writer)
    calls = (
        [ref for name, ref in reference.open_calls(stores.files, writer_trust.known(stores)) if name == writer]
        if told.open
        else []
    )
    refs = [*(ref for name, ref in told.begun.items() if name in names), *calls]
    found = [one for ref in refs if (one := reference.at(stores.files, writer, ref))]
    return sorted((one for one in found if one.session in names), key=lambda one: one.seq)


def _words(run: Run, why: str, state: Projection) -> str:
    actions = [one for one in reversed(state.actions.values()) if one.session == run.id]
    told = [f"{summary.of(one.body, longest=_LONGEST)} ({one.cursor})" for one in actions[:_MOST_ACTIONS]]
    more = [f"{len(actions) - _MOST_ACTIONS} more"] if len(actions) > _MOST_ACTIONS else []
    flight = f"In flight: {'; '.join([*told, *more])}." if told else "Nothing was in flight."
    return (
        f"Session {run.id} has crashed: {why}. {flight} See: agentws session show {run.id}. "
        f"When its work is taken over: agentws session end {run.id}"
    )
