"""A replay of journal events into a state: plan, actions in flight, decisions, tasks, errors, sessions, files. Pure.

The same events give the same state, in one pass and bounded memory: older items are only counted.
"""

from __future__ import annotations

from agentws.core import Record, Result
from agentws.core.formats.documents import task
from agentws.core.formats.journal import event, thread
from agentws.core.text import origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from agentws.core.formats.journal.event import Event
    from agentws.core.formats.journal.thread import Thread

    Call = tuple[str, str]
    """Writer and call id, the key of an action."""


MOST_ACTIONS, MOST_DECISIONS, MOST_ERRORS, MOST_HANDOFFS = 256, 200, 16, 32
MOST_TASKS, MOST_SESSIONS, MOST_KINDS = 1_000, 5_000, 64
OTHERS = "others"
"""The kind under which further kinds are counted if a session has too many."""
_TASKS, _HANDOFFS, _HANDOFF_UNDONE = "task.", "handoff.", "handoff.undone"
_STATUS = {
    "added": task.OPEN,
    "opened": task.OPEN,
    "started": task.ACTIVE,
    "resumed": task.ACTIVE,
    "woken": task.ACTIVE,
    "waiting": task.WAITING,
    "paused": task.PAUSED,
    "done": task.DONE,
    "closed": task.DONE,
    "cancelled": task.CANCELLED,
}
"""The status that a task event means by its kind, if its body does not say it."""
_STEPPED = "stepped"


class Run(Result):
    """A run of a session in the journal: its `first` and `newest` event, its start and its end.

    `started` and `ended` are None if that event is missing. `counts` are events by kind; `earlier` is the number of
    earlier runs with the same id, of `events_before` events, and `unended` how many of those had no end; `origin` is
    the first event of the first of them.
    """

    def __init__(self, id: str, first: Event) -> None:
        self.id = id
        self.writer = first.writer
        self.first = first
        self.newest = first
        self.started: Event | None = None
        self.ended: Event | None = None
        self.counts: dict[str, int] = {}
        self.origin = first
        self.events_before = 0
        self.earlier = 0
        self.unended = 0

    def take(self, entry: Event) -> None:
        """Apply one event of this session."""
        self.newest = entry
        kind = entry.kind if entry.kind in self.counts or len(self.counts) < MOST_KINDS else OTHERS
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if entry.kind == event.STARTED:
            self.started, self.ended = entry, None
        elif entry.kind == event.ENDED:
            self.ended = entry

    def pass_over(self, counts: Mapping[str, int]) -> None:
        """Add counts of events by kind, without the events themselves."""
        for kind, count in counts.items():
            name = kind if kind in self.counts or len(self.counts) < MOST_KINDS else OTHERS
            self.counts[name] = self.counts.get(name, 0) + count

    @property
    def events(self) -> int:
        """The number of events of the session, its start and end included."""
        return sum(self.counts.values())

    @property
    def all_events(self) -> int:
        """The number of events of the session, with those of its earlier runs."""
        return self.events + self.events_before

    @property
    def parent(self) -> str | None:
        """The id of the session that started this one, as a subagent."""
        parent = ((self.started and self.started.body) or {}).get("parent")
        return parent if isinstance(parent, str) else None


class TaskState(Record, Result):
    """The state of a task: its `status`, its `step`, the reason, and the newest `event` about it."""

    slug: str
    event: Event
    status: str = ""
    step: str = ""
    reason: str = ""

    def take(self, entry: Event) -> None:
        """Apply one event of this task."""
        body = entry.body or {}
        verb = entry.kind.removeprefix(_TASKS)
        kept = self.status or (task.ACTIVE if verb == _STEPPED else task.OPEN)
        self.status = _word(body, "after") or _STATUS.get(verb, kept)
        if "step" in body:
            self.step = _word(body, "step")  # empty if it was cleared
        elif verb == _STEPPED:
            self.step = _word(body, "text") or self.step
        self.reason = _word(body, "reason")
        self.event = entry


class Projection(Result):
    """The state after some events, each of the lists and tables oldest first.

    `plans` maps a session (None for none) to its newest plan; `actions` maps writer and call to the action without an
    end, which the user may have `interrupted`; `errors` are the unresolved ones; `tasks` maps a slug to the task's
    state; `runs` are sessions, by id and writer. `older` counts what was dropped. `events` is the number of events,
    `last` the newest.
    """

    def __init__(self) -> None:
        self.plans: dict[str | None, Event] = {}
        self.actions: dict[Call, Event] = {}
        self.interrupted: set[Call] = set()
        self.decisions: list[Event] = []
        self.tasks: dict[str, TaskState] = {}
        self.handoffs: list[Event] = []
        self.runs: dict[tuple[str, str], Run] = {}
        self.older = dict.fromkeys(("actions", "decisions", "errors", "handoffs", "sessions", "tasks"), 0)
        self.events = 0
        self.last: Event | None = None
        self._failed: list[tuple[Event, Event | None]] = []
        self._files = Files()
        self._named: dict[str, Run] = {}

    @property
    def plan(self) -> Event | None:
        """The newest plan of all sessions."""
        return next(reversed(self.plans.values()), None)

    @property
    def errors(self) -> list[Event]:
        """The errors that were resolved neither by a result of the same call nor by a repeated action."""
        return [error for error, _ in self._failed]

    @property
    def error(self) -> Event | None:
        """The newest unresolved error."""
        return self._failed[-1][0] if self._failed else None

    @property
    def files(self) -> list[str]:
        """The paths that actions named, newest first."""
        return self._files.newest()

    @property
    def sessions(self) -> dict[str, Run]:
        """The newest run of each session, by its id."""
        return dict(self._named)

    def shown(self) -> Iterator[Event]:
        """Yield the events whose bodies the state shows."""
        yield from (*self.plans.values(), *self.actions.values(), *self.decisions, *self.errors, *self.handoffs)
        yield from (run.started for run in self.runs.values() if run.started)

    def drop_files(self, is_dropped: Callable[[str], bool]) -> None:
        """Drop the paths for which this is True from the files."""
        self._files.drop(is_dropped)

    def take(self, entry: Event) -> None:
        """Apply one event."""
        self.events += 1
        self.last = entry
        kind = entry.kind
        if kind in event.STRUCTURE or kind == event.RETRACTED:
            return
        if entry.session is not None:
            self._run(entry, entry.session).take(entry)
        if turn := thread.turn_of(entry):
            self._close(turn)
        elif stopped := thread.interrupted_in(entry):
            self.interrupted = {call for call in self.actions if call in self.interrupted or self._is_of(call, stopped)}
        if kind in event.CALLS:
            self._call(entry)
        elif kind in (event.DECISION, event.PLAN) and origin.is_outside(entry.src):
            return  # what others decide or plan is said by them, and is neither here
        elif kind == event.DECISION:
            self._keep(self.decisions, entry, "decisions", MOST_DECISIONS)
        elif kind == event.PLAN:
            self.plans.pop(entry.session, None)
            self.plans[entry.session] = entry
            _drop(self.plans, MOST_ACTIONS)
        elif kind.startswith(_TASKS):
            self._task(entry)
        elif kind == _HANDOFF_UNDONE:
            path = (entry.body or {}).get("path")
            last = next((each for each in reversed(self.handoffs) if (each.body or {}).get("path") == path), None)
            self.handoffs = [each for each in self.handoffs if each is not last]  # a closed handoff is kept
        elif kind.startswith(_HANDOFFS):
            self._keep(self.handoffs, entry, "handoffs", MOST_HANDOFFS)

    def skim(self, first: Event, newest: Event, between: Mapping[str, int]) -> None:
        """Apply the `first` and `newest` of some events of one session and the counts by kind `between` them: this
        updates the sessions alone.
        """
        self.last = newest
        self.events += sum(between.values()) + (1 if newest is first else 2)
        if first.session is not None:
            run = self._run(first, first.session)
            before = run.newest
            run.take(first)
            run.pass_over(between)
            if newest is not first:
                run.take(newest)
            if before.writer != newest.writer and before.at > newest.at:
                run.newest = before

    def _run(self, entry: Event, name: str) -> Run:
        """Return the run that an event belongs to: its writer's own, else the newest with that id."""
        begins = entry.kind == event.STARTED
        before = self.runs.get((name, entry.writer))
        run = None if begins else before or self._named.get(name)
        if run is None:
            run = Run(name, entry)
            if before is not None:
                run.earlier, run.unended = before.earlier + 1, before.unended + (before.ended is None)
                run.origin, run.events_before = before.origin, before.events_before + before.events
                del self.runs[name, entry.writer]
            self.runs[name, entry.writer] = self._named[name] = run
            self._forget_a_session()
        return run

    def _forget_a_session(self) -> None:
        if len(self.runs) <= MOST_SESSIONS:
            return
        oldest = self.runs.pop(next(iter(self.runs)))
        self.older["sessions"] += 1
        if self._named.get(oldest.id) is oldest:
            del self._named[oldest.id]

    def _call(self, entry: Event) -> None:
        call = (entry.writer, entry.call or "")
        if entry.kind == event.ACTION:
            self.actions.pop(call, None)
            self.interrupted.discard(call)
            self.actions[call] = entry
            self.older["actions"] += _drop(self.actions, MOST_ACTIONS)
            self._files.take((entry.body or {}).get("input"))
            return
        action = self.actions.pop(self._begun(call), None)
        if entry.kind == event.ERROR:
            self._failed.append((entry, action))
            self.older["errors"] += len(self._failed) > MOST_ERRORS
            del self._failed[:-MOST_ERRORS]
        elif self._failed:
            self._failed = [pair for pair in self._failed if not _resolves(call, action, *pair)]

    def _close(self, turn: Thread) -> None:
        """Drop the open calls of a thread that has taken another turn without their results."""
        for call in [each for each in self.actions if each not in self.interrupted and self._is_of(each, turn)]:
            del self.actions[call]

    def _is_of(self, call: Call, turn: Thread) -> bool:
        of = thread.thread_of(self.actions[call])
        return of is not None and of.takes(turn)

    def _begun(self, call: Call) -> Call:
        """Return the key of the open action with this call: another writer may have begun it."""
        if call in self.actions or not call[1]:
            return call
        return next((known for known in reversed(self.actions) if known[1] == call[1]), call)

    def _task(self, entry: Event) -> None:
        slug = _word(entry.body or {}, "task")
        if not slug:
            return
        task_state = self.tasks.pop(slug, None) or TaskState(slug, entry)
        if "after" in (entry.body or {}) and (entry.body or {})["after"] is None:
            return  # its file is gone
        task_state.take(entry)
        self.tasks[slug] = task_state
        self.older["tasks"] += _drop(self.tasks, MOST_TASKS)

    def _keep(self, held: list[Event], entry: Event, name: str, most: int) -> None:
        held.append(entry)
        if len(held) > most:
            del held[0]
            self.older[name] += 1


def replay(events: Iterable[Event]) -> Projection:
    """Return the state after these events, applied in the given order."""
    projection = Projection()
    for entry in events:
        projection.take(entry)
    return projection


def _resolves(call: Call, action: Event | None, error: Event, failed: Event | None) -> bool:
    """Return whether a result with this call and action resolves an error: the same action succeeded."""
    if error.call is not None and (error.writer, error.call) == call:
        return True
    if action is None or failed is None:
        return False
    done, wanted = action.body or {}, failed.body or {}
    return bool(done.get("tool")) and all(done.get(key) == wanted.get(key) for key in ("tool", "input", "text"))


def _drop(held: dict[Any, Any], most: int) -> int:
    """Drop the oldest entry if there are more than `most`; returns how many were dropped."""
    if len(held) <= most:
        return 0
    del held[next(iter(held))]
    return 1


def _word(body: event.Body, name: str) -> str:
    value = body.get(name)
    return value if isinstance(value, str) else ""


MOST_FILES = 200
_ONE_FILE = frozenset(
    ("path", "file", "file_path", "filepath", "filePath", "filename", "file_name", "fileName", "notebook_path",
     "target_file", "absolute_path", "relative_path")
)  # fmt: skip
_MANY_FILES = frozenset(("paths", "files", "file_paths", "filePaths", "filenames"))
_LONGEST = 512
_MOST_ITEMS = 100
_MOST_DEPTH = 4


class Files(Result):
    """The newest file paths that actions named, each once."""

    __slots__ = ("_paths",)

    def __init__(self) -> None:
        self._paths: dict[str, None] = {}

    def take(self, given: object) -> None:
        """Add the paths in the input of an action."""
        if not isinstance(given, dict | list):
            return
        for path in named_files(given):
            self._paths.pop(path, None)
            self._paths[path] = None
            if len(self._paths) > MOST_FILES:
                del self._paths[next(iter(self._paths))]

    def drop(self, is_dropped: Callable[[str], bool]) -> None:
        """Drop the paths for which this is True."""
        self._paths = {path: None for path in self._paths if not is_dropped(path)}

    def newest(self) -> list[str]:
        """Return the paths, newest first."""
        return list(reversed(self._paths))


def named_files(given: object, depth: int = _MOST_DEPTH) -> Iterator[str]:
    """Yield the file paths in a JSON value, found by their keys."""
    if isinstance(given, dict):
        for place, (key, value) in enumerate(given.items()):
            if place == _MOST_ITEMS:
                return
            if key in _ONE_FILE and _is_path(value):
                yield value
            elif isinstance(value, list) and key in _MANY_FILES:
                yield from (item for item in value[:_MOST_ITEMS] if _is_path(item))
                yield from named_files(value, depth - 1) if depth else ()
            elif depth and isinstance(value, dict | list):
                yield from named_files(value, depth - 1)
    elif isinstance(given, list):
        for value in given[:_MOST_ITEMS]:
            yield from named_files(value, depth - 1) if depth and isinstance(value, dict | list) else ()


def _is_path(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST and "\n" not in value and "://" not in value
