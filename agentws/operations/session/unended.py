"""Sessions that have crashed, as a new one finds them: said once it begins, with what they left in flight."""

from __future__ import annotations

from agentws.formats import event as _event
from agentws.formats import gist, plainjson
from agentws.operations.session import judging
from agentws.planning import projection, sessions
from agentws.storage.journal import reading, selecting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.formats.event import Event
    from agentws.planning.projection import Projection, Run
    from agentws.storage.stores import Stores

_MOST_SEGMENTS = 16
"""A session that began before these is not looked for: beginning one must not take long."""
_MOST_SAID, _MOST_ACTIONS, _LONGEST = 3, 3, 80


def crashed(stores: Stores, names: Sequence[str]) -> list[str]:
    """A notice for each of these sessions of this installation that has crashed, the newest first."""
    notices: list[str] = []
    state = projection.replay(judging.whole(stores, _events(stores, names), (_event.STARTED, _event.ACTION), notices))
    runs = [run for name in reversed(names) if (run := state.sessions.get(name)) and run.started]
    facts, now = judging.here(runs), stores.clock.now()
    found = [(run, sessions.judge(run, facts, now)) for run in runs]
    gone = [(run, likely) for run, likely in found if likely.state == sessions.CRASHED]
    notices += [_words(run, likely.why, state) for run, likely in gone[:_MOST_SAID]]
    if len(gone) > _MOST_SAID:
        notices.append(f"{len(gone) - _MOST_SAID} earlier sessions have crashed too: agentws session list")
    return notices


def _events(stores: Stores, names: Sequence[str]) -> Iterator[Event]:
    """The events of these sessions in the newest segments, back to where the first of them began."""
    writer = stores.journal().writer
    reader = selecting.Reader(stores.files, selecting.Wanted())
    missing, found = set(names), []
    for number in list(reversed(reading.segments(stores.files, writer)))[:_MOST_SEGMENTS]:
        if not missing:
            break
        words = [f'"session":{plainjson.dumps(name)},'.encode() for name in names]
        lines = [one for one in reading.lines(stores.files, writer, number) if any(word in one[1] for word in words)]
        events = [one for one in reader.of(writer, number, lines) if one.session in names]
        missing -= {one.session for one in events if one.kind == _event.STARTED}
        found.append(events)
    for events in reversed(found):
        yield from events


def _words(run: Run, why: str, state: Projection) -> str:
    actions = [one for one in reversed(state.actions.values()) if one.session == run.id]
    told = [f"{gist.of(one.body, longest=_LONGEST)} ({one.cursor})" for one in actions[:_MOST_ACTIONS]]
    more = [f"{len(actions) - _MOST_ACTIONS} more"] if len(actions) > _MOST_ACTIONS else []
    flight = f"In flight: {'; '.join([*told, *more])}." if told else "Nothing was in flight."
    return (
        f"Session {run.id} has crashed: {why}. {flight} See: agentws session show {run.id}. "
        f"When its work is taken over: agentws session end --session {run.id}"
    )
