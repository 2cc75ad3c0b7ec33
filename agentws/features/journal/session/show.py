"""session show: one session: start and end or likely state, requests, decisions, actions in flight, handoff."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.documents import handoff
from agentws.core.formats.journal import event
from agentws.core.journal import recall_marks, retractions, select, session_scan, shared
from agentws.core.journal.events import liveness, replay
from agentws.core.stores import writer_trust
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.journal.session import orphaned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.formats.journal.event import Event
    from agentws.core.journal.events.liveness import Likely
    from agentws.core.journal.events.replay import Projection, Run
    from agentws.core.journal.recall_marks import BootReceipt
    from agentws.core.stores.stores import Stores
    from agentws.features.journal.receipts import Receipt

_WHOLE = (event.STARTED, event.ENDED, event.ACTION, event.PLAN, event.DECISION, event.ERROR)
_MOST_REQUESTS = 20
_MOST_HANDOFFS = 500
_MOST_BYTES = 1 << 18


class Session(Result):
    """The result of `session show`: a session's newest `run`, its `likely` state, and its replayed `state`.

    `decisions` are those of that run, `requests` its newest prompts by people; `children` are the ids of sessions that
    it started; `handoff` is the path of the handoff that it wrote, None without one. `boot` is what its hooks gave it
    at its start, None if that is unknown; `recalled` are the memories that were added to its prompts.
    """

    __slots__ = (
        "boot", "children", "decisions", "handoff", "lasted_s", "likely", "notices", "recalled", "requests", "run",
        "state", "writers",
    )  # fmt: skip

    def __init__(self, run: Run, likely: Likely, state: Projection) -> None:
        self.run = run
        self.likely = likely
        self.state = state
        self.lasted_s = liveness.lasted_s(run)
        self.decisions = [decision for decision in state.decisions if _belongs(decision, run)]
        self.requests: list[Event] = []
        self.boot: BootReceipt | None = None
        self.recalled: list[Receipt] = []
        self.children: list[str] = []
        self.handoff: str | None = None
        self.notices: list[str] = []
        self.writers: list[str] = []


def show_session(stores: Stores, session: str | None = None) -> Session:
    """Return a session by its id or a unique beginning or end of it, by default that of the environment or the newest.

    MissingFileError if there is none, UsageError if several match.
    """
    notices: list[str] = []
    name = session or stores.own_session or _newest(stores, notices)
    state = _state(stores, name, notices)
    if name not in state.sessions:
        name = session_scan.named_session(stores.files, name, notices, writer_trust.known(stores))
        state = _state(stores, name, notices)
    run = state.sessions[name]
    result = Session(run, liveness.judge(run, orphaned.this_machine([run]), stores.clock.now()), state)
    result.children = [entry.session for entry in _begun(stores, notices) if _parent(entry) == name and entry.session]
    result.requests = _requests(stores, run, notices)
    result.handoff = _left(stores, name)
    if stores.shared is None:  # the names of sections may be private
        result.boot = recall_marks.boot_receipt(stores.files, name)
    if run.counts.get(event.RECALLED):
        from agentws.features.journal import receipts

        result.recalled = receipts.recalled(stores, session=name).rows
    trust = writer_trust.of(stores)
    result.writers = trust.known
    stores.withhold_forgotten([*state.shown(), *result.requests])
    if keeps_out := stores.keeps_out():
        state.drop_files(keeps_out)
    result.notices = list(dict.fromkeys([*stores.notices, *trust.notices, *notices]))
    return result


def _state(stores: Stores, name: str, notices: list[str]) -> Projection:
    events = _read(stores, select.Wanted(session=name), notices)
    state = replay.replay(orphaned.whole_hints(stores, events, _WHOLE, notices))
    for call in _ended_elsewhere(stores, state):
        del state.actions[call]
    return state


def _requests(stores: Stores, run: Run, notices: list[str]) -> list[Event]:
    notes = _read(stores, select.Wanted(session=run.id, kinds=(event.NOTE,)), notices)
    asked = [note for note in notes if shared.is_prompt(note.src, note.body or {}) and _belongs(note, run)]
    return list(orphaned.whole_hints(stores, asked[-_MOST_REQUESTS:], (event.NOTE,), notices))


def _ended_elsewhere(stores: Stores, state: Projection) -> list[tuple[str, str]]:
    """Return the actions in flight whose result another session has recorded, such as one that took over."""
    if not state.actions:
        return []
    wanted = {name for _, name in state.actions}
    calls = (entry for entry in _read(stores, select.Wanted(kinds=event.CALLS), []) if entry.call in wanted)
    still = replay.replay(calls).actions  # in order, since a call id may have been used and ended before
    return [call for call in state.actions if call not in still]


def _read(stores: Stores, wanted: select.Wanted, notices: list[str]) -> Iterator[Event]:
    reader, writers = select.Reader(stores.files, wanted), writer_trust.known(stores)
    gone = retractions.of(stores.whole.files, stores.cache, writers)
    yield from gone.without(select.merged([reader.behind(writer, 0) for writer in writers]))
    notices += reader.notices


def _begun(stores: Stores, notices: list[str]) -> list[Event]:
    """Return the start events of all sessions."""
    events = _read(stores, select.Wanted(kinds=(event.STARTED,)), notices)
    return list(orphaned.whole_hints(stores, events, (event.STARTED,), notices))


def _newest(stores: Stores, notices: list[str]) -> str:
    named = [entry.session for entry in _begun(stores, notices) if entry.session]
    if not named:
        raise MissingFileError("No session yet.", hint='Start one: agentws session start "What it is about"')
    return named[-1]


def _belongs(entry: Event, run: Run) -> bool:
    """Return whether an event belongs to this run, not to an earlier one with the same id."""
    return entry.seq >= run.first.seq if entry.writer == run.writer else entry.at >= run.first.at


def _parent(entry: Event) -> object:
    return (entry.body or {}).get("parent")


def _left(stores: Stores, name: str) -> str | None:
    """Return the path of the newest handoff that the session wrote, None without one."""
    names = [each for each, kind in stores.files.names(layout.HANDOFFS) if kind == "file" and each.endswith(".md")]
    for each in sorted(names, reverse=True)[:_MOST_HANDOFFS]:
        path = f"{layout.HANDOFFS}/{each}"
        try:
            data = stores.files.part(path, _MOST_BYTES)[0]
            # Most handoffs are by other sessions, and front matter is slow to read.
            if name.encode() in data and handoff.decode(data, path=path).session == name:
                return path
        except AgentwsError:
            continue
    return None
