"""Reminders for a session, as marks in `.agentws/`: a boot due at the next prompt, and one nudge to take notes."""

from __future__ import annotations

from agentws.core.disk import local_dir
from agentws.core.formats import digest, layout
from agentws.core.formats.journal import event
from agentws.core.journal import read, select
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.stores.stores import Stores


FOLDER = f"{local_dir.FOLDER}/boot-due"


def remind(stores: Stores, session: str) -> None:
    """Set the reminder, durably, that the next prompt of this session must bring a boot."""
    stores.check_writable()
    path = _path(session)
    local_dir.prepare(stores.files)
    stores.files.make_folder(FOLDER)
    if not stores.files.exists(path):
        stores.files.replace(path, session.encode() + b"\n", expects=digest.ABSENT)


def is_due(stores: Stores, session: str) -> bool:
    """Return whether a reminder says that the session's next prompt must bring a boot."""
    return stores.files.exists(_path(session))


def forget(stores: Stores, session: str) -> None:
    """Remove the reminder of a boot: the agent has received it."""
    path = _path(session)
    if stores.files.exists(path):
        stores.files.remove(path, expects=stores.files.digest(path))


def _path(session: str) -> str:
    return f"{FOLDER}/{digest.quick(session.encode())}"


_NUDGE_FOLDER = f"{local_dir.FOLDER}/nudged"
_MANY = 40
"""The number of actions without a note after which the agent is nudged."""
_SEGMENTS = 2
"""The number of newest segments in which actions are counted."""
_NEWEST_DAYS = 2


def is_nudge_due(stores: Stores, session: str) -> bool:
    """Return whether to remind this session of notes: `_MANY` actions since the last note, and not nudged yet."""
    if not stores.manifest.setting("hooks.nudge") or stores.files.exists(_nudge_path(session)):
        return False
    writer = stores.appender().writer
    numbers = read.newest(stores.files, writer, 1)
    reader = select.Reader(stores.files, select.Wanted(session=session, kinds=(event.ACTION,)))
    events = reader.newest(writer, _MANY, first=max(numbers, default=0) - _SEGMENTS + 1)
    return len(events) == _MANY and _written(stores) < _second(events[0].at)


def nudged(stores: Stores, session: str) -> None:
    """Record that the session got its reminder to take notes, the nudge."""
    local_dir.prepare(stores.files)
    stores.files.make_folder(_NUDGE_FOLDER)
    stores.files.replace(_nudge_path(session), session.encode() + b"\n", expects=digest.ABSENT)


def forget_nudge(stores: Stores, session: str) -> None:
    """Remove the mark of the reminder to take notes, because the session has ended."""
    path = _nudge_path(session)
    if stores.files.exists(path):
        stores.files.remove(path, expects=stores.files.digest(path))


def _written(stores: Stores) -> float:
    """Return when a log, MEMORY.md, a task or a handoff was last written, in seconds since 1970; 0 for never."""
    times = [0.0]
    for path in _notes(stores):
        try:
            times.append(stores.files.status(path).st_mtime)
        except AgentwsError:
            continue  # missing, or not readable
    return max(times)


def _notes(stores: Stores) -> Iterator[str]:
    yield layout.MEMORY
    names = sorted(name for name, kind in stores.files.names(layout.DAYS) if kind == "file" and layout.day_of(name))
    yield from (f"{layout.DAYS}/{name}" for name in names[-_NEWEST_DAYS:])
    for folder in (layout.TASKS, layout.HANDOFFS):
        yield from (f"{folder}/{name}" for name, kind in stores.files.names(folder) if kind == "file")


def _second(at: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(at).timestamp()


def _nudge_path(session: str) -> str:
    return f"{_NUDGE_FOLDER}/{digest.quick(session.encode())}"
