"""Journal events of undo and redo, so that the journal agrees with the files.

The files change first, then the events are recorded: if a process dies in between, the files are right; the next `undo`
records the events, and a task verb what it finds. Nothing is removed from the journal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentws.core.disk.change import transaction
from agentws.core.formats import layout
from agentws.core.formats.documents import task
from agentws.core.formats.journal import event as _event, retraction as _retraction
from agentws.core.formats.journal.event import Event
from agentws.core.journal import line_check, read, select
from agentws.core.journal.events import liveness
from agentws.core.notes import transitions
from agentws.core.stores import record, record as recording, writer_trust
from agentws.core.stores.record import Happening
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.history.undo import whose

Record = dict[str, object]


_FAMILIES = ("task.*", "handoff.*", "file.*")
_MOST_EVENTS = 256
_LAPSED = "approval.expired"
_TASK_UNDONE, _TASK_REDONE = "task.undone", "task.redone"


def of_change(stores: Stores, record: Record) -> list[Event]:
    """Return the events that this installation recorded for a change, oldest first."""
    number = record.get("number")
    if not isinstance(number, int) or record.get("change") == "log":
        return []
    made = {step["path"]: step["after"] for step in transaction.steps_of(stores.files, number)}
    known = _retraction.taken_back(_newest(stores, (_event.UNDONE,)))
    events = [
        event for event in _newest(stores, _FAMILIES) if event.cursor not in known and not _retraction.is_detail(event)
    ]
    entries = [event for event in events if _tells(event, made)]
    newest: dict[object, Event] = {}
    for event in entries:  # the same file may have been made twice
        newest[(event.body or {}).get("task") or (event.body or {}).get("path")] = event
    return sorted(newest.values(), key=lambda event: (event.at, event.seq))


def undone(stores: Stores, record: Record, verb: str, paths: Sequence[str], gone: Sequence[Event]) -> list[str]:
    """Record the events of an undo, with the change's events `gone`; return notices of what stays or failed."""
    try:
        was = {(event.body or {}).get("task"): (event.body or {}).get("after") for event in gone}
        happened = [_of_task(stores, path, verb, _TASK_UNDONE, before=was.get(_slug(path))) for path in _tasks(paths)]
        more, notices = handoffs_taken_back(stores, verb, paths)
        if verb.startswith(whose.ASKED):  # nobody can answer it
            more.append(recording.told(_LAPSED, body={"id": verb.removeprefix(whose.ASKED), "text": "undone"}))
        happening = _happening(_event.UNDONE, record, verb, paths, [event.cursor for event in gone])
        return [*_record(stores, [*happened, *more, happening]), *notices]
    except AgentwsError as error:
        return [f"The undo was not recorded: {error.message} {error.hint or ''}".rstrip()]


def redone(stores: Stores, record: Record, verb: str, paths: Sequence[str]) -> list[str]:
    """Record the events of a redo: a change was redone, and its events again; return notices of what failed."""
    try:
        again = [_again(event) for event in _taken_by(stores, record)]
        told_of = {happening.body.get("task") for happening in again}
        tasks_of = [path for path in _tasks(paths) if _slug(path) not in told_of]
        again += [_of_task(stores, path, verb, _TASK_REDONE) for path in tasks_of]
        return _record(stores, [*again, _happening(_event.REDONE, record, verb, paths, [])])
    except AgentwsError as error:
        return [f"The redo was not recorded: {error.message} {error.hint or ''}".rstrip()]


def is_told(stores: Stores, record: Record) -> bool:
    """Return whether the journal has the event that this change was undone."""
    return any((event.body or {}).get("change") == _id(record) for event in _newest(stores, (_event.UNDONE,)))


def _record(stores: Stores, happened: Sequence[Happening]) -> list[str]:
    if not stores.files.exists(layout.MANIFEST):
        return []  # `init` itself was taken back: there is no workspace to record it in
    known = stores.installation()
    if known is None and not read.writers(stores.files):
        return []  # nobody has recorded anything: an undo makes no writer
    return recording.record(stores, happened)[1]


def _happening(kind: str, record: Record, verb: str, paths: Sequence[str], events: list[str]) -> Happening:
    how = "undid" if kind == _event.UNDONE else "redid"
    body: dict[str, object] = {"text": f"{how}: {verb}", "change": _id(record), "verb": verb, "paths": list(paths)}
    if record.get("call"):
        body[_event.CHANGES] = record["call"]
    return recording.told(kind, body={**body, **({"events": events} if events else {})})


def _id(record: Record) -> str:
    return str(record.get("id") or record.get("number"))


def _newest(stores: Stores, kinds: Sequence[str], most: int = _MOST_EVENTS) -> list[Event]:
    reader = select.Reader(stores.files, select.Wanted(kinds=kinds))
    return [event for writer in writer_trust.known(stores) for event in reader.newest(writer, most)]


def _tells(event: Event, made: dict[str, str]) -> bool:
    """Return whether an event describes a file as the change left it."""
    body = event.body or {}
    slug, path = body.get("task"), body.get("path")
    if event.kind.startswith("task."):
        return isinstance(slug, str) and bool(body.get("file")) and made.get(_path(slug)) == body["file"]
    if event.kind.startswith("file."):
        return isinstance(path, str) and bool(body.get("after")) and made.get(path) == body["after"]
    return isinstance(path, str) and path in made


def _taken_by(stores: Stores, record: Record) -> list[Event]:
    """Return the events that a change's undo retracted, without missing and forgotten ones."""
    undos = [event for event in _newest(stores, (_event.UNDONE,)) if (event.body or {}).get("change") == _id(record)]
    events = []
    for cursor in _retraction.cursors(undos[-1]) if undos else ():
        try:
            event = read.find(stores.files, *read.cursor(stores.files, cursor))
            if line_check.wrong_of(stores.files, event):
                continue
            event.body = read.body(stores.files, event)
        except AgentwsError:
            continue
        events += [event] if event.body else []
    return events


def _again(event: Event) -> Happening:
    body = {key: value for key, value in (event.body or {}).items() if key != "v"}
    return recording.Happening(event.kind, body, session=event.session or recording.NOBODY, src=event.src)


# Tasks


def _tasks(paths: Sequence[str]) -> list[str]:
    return [path for path in paths if path == _path(_slug(path))]


def _slug(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _path(slug: str) -> str:
    return f"{layout.TASKS}/{slug}.md"


def _of_task(stores: Stores, path: str, verb: str, kind: str, *, before: object = None) -> Happening:
    """Return an event with a task's present state, so that the journal agrees with its file."""
    body: dict[str, object] = {"text": verb, "before": before, "after": None}
    src = ""
    if stores.files.exists(path):
        plan = task.decode(stores.files.read(path), slug=_slug(path), where=path)
        body.update(transitions.facts(plan, stores.files.digest(path)))
        src = plan.src
    return recording.told(kind, task=_slug(path), body=body, via=src or None)


_UNDONE = liveness.UNDONE
_VERBS = ("handoff", "handoff ack")
_NAMED: tuple[str, ...] = ("path", "session", "follows")
_MOST_HANDOFF_EVENTS = 64


def handoffs_taken_back(stores: Stores, verb: str, paths: Sequence[str]) -> tuple[list[Happening], list[str]]:
    """Return the event for an undone handoff at one of these paths, unless recorded; and notices."""
    event = _newest_of(stores, paths) if verb in _VERBS else None
    if event is None or event.kind == _UNDONE:
        return [], []
    fields = event.body or {}
    body: dict[str, object] = {key: fields[key] for key in _NAMED if key in fields}
    session = event.session or record.NOBODY
    return [record.Happening(_UNDONE, body, session=session)], [_stays_ended(name) for name in _ended_by(stores, event)]


def _newest_of(stores: Stores, paths: Sequence[str]) -> Event | None:
    """Return the newest event about a handoff at one of these paths."""
    newest = _newest(stores, (f"{_event.HANDOFFS}*",), _MOST_HANDOFF_EVENTS)
    events = [event for event in newest if (event.body or {}).get("path") in paths]
    return max(events, key=lambda event: (event.at, event.seq), default=None)


def _ended_by(stores: Stores, event: Event) -> Iterator[str]:
    """Return the sessions that ended with this handoff: their events follow its event."""
    last = read.last_seq(stores.files, event.writer)
    for seq in range(event.seq + 1, last + 1):
        entry = read.find(stores.files, event.writer, seq)
        if entry.kind != _event.ENDED or (entry.body or {}).get("outcome") not in liveness.GONE:
            return
        yield entry.session or ""


def _stays_ended(session: str) -> str:
    return (
        f"Session {session} stays ended, so no handoff will be recovered from it again. "
        f"To see its events: agentws session show {session}"
    )
