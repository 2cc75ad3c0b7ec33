"""The session of a host, for its hooks: begins it only once, and tells whether its end needs a handoff."""

from __future__ import annotations

from agentws.core.disk import external_files, local_dir, lock
from agentws.core.formats import layout
from agentws.core.formats.journal import event
from agentws.core.formats.json import plainjson
from agentws.core.installation import host_info
from agentws.core.journal import read, select
from agentws.errors import AgentwsError, LockHeldError
from agentws.features.hosts.hook import events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.stores import Stores
    from agentws.features.boot.result import Booted

    class Begun(Protocol):
        """The result of starting a session."""

        notices: list[str]

    class Start(Protocol):
        """The function that starts a session: Workspace.start_session."""

        def __call__(self, text: str, *, session: str, process: int) -> Begun:
            """Begin the session."""


_LOCK = "hook"
_LOCK_TIMEOUT_S = 2.0


def begin_once(stores: Stores, session: str, *, process: int, text: str, start: Start) -> list[str]:
    """Begin the session by `start`, unless it already runs in this very process of its host; return notices.

    `process` is the parent of the hook. If that is a shell that only calls it, the host is the program around it.
    """
    stores.check_writable()
    host = _host(process)
    local_dir.prepare(stores.files)
    from contextlib import ExitStack

    with ExitStack() as held:
        try:
            held.enter_context(lock.Lock(stores.files, _LOCK, timeout_s=_LOCK_TIMEOUT_S, idle=True))
        except LockHeldError:
            return ["Another hook is already starting this session."]
        return [] if _runs(stores, session, host) else start(text, session=session, process=host).notices


def stands_elsewhere(stores: Stores, folder: str) -> bool:
    """Return whether the host works in another `folder` than the workspace, so it does not load the files itself."""
    return folder.startswith("/") and external_files.resolved(folder) != stores.root


def is_last_part(stores: Stores, host: str, part: int, booted: Booted) -> bool:
    """Return whether the hook for the next part of this boot is idle, and make the next start run enough hooks."""
    from agentws import features
    from agentws.features.boot import idle_parts

    is_last = idle_parts.is_last(stores.files, host, part)
    cap = features.host(host).cap
    spare = 0 if booted.parts == 1 and cap is not None and len(booted.text) <= cap.most // 2 else 1
    try:
        stores.check_writable()
        idle_parts.settle(stores.files, host, part, booted.parts, is_last=is_last, spare=spare)
    except AgentwsError:
        return is_last  # a workspace at rest still boots, and changes nothing
    return is_last


def is_running(stores: Stores, session: str) -> bool:
    """Return whether the host's session began here and has not ended."""
    return session in stores.appender().sessions()


def _host(process: int) -> int:
    outer = host_info.process(process).get("outer")
    value = outer.get("process") if isinstance(outer, dict) else None
    return value if isinstance(value, int) else process


def _runs(stores: Stores, session: str, host: int) -> bool:
    """Return whether the session has not ended, and its newest start names this process."""
    if not is_running(stores, session):
        return False
    wanted = select.Wanted(session=session, kinds=(event.STARTED,))
    entries = select.Reader(stores.files, wanted).newest(stores.appender().writer, 1)
    body = (entries[-1].body if entries else None) or {}
    fields = {**host_info.process(host), "boot": host_info.boot_id(), "namespace": host_info.namespace()}
    return all(body.get(name) == fields.get(name) for name in ("process", "started", "boot", "namespace"))


_MOST_SEGMENTS = 16
"""The newest segments that are searched: a host does not wait long."""
_PATIENCE_S = 0.3
_WRITTEN = "handoff.written"
_NO_WORK = (
    *event.STRUCTURE, event.STARTED, event.ENDED, events.COMPACTING, events.COMPACTED, events.STOPPED,
    events.FAILED, event.HOST_INTERRUPTED,
)  # fmt: skip
_CLOSED = b"closed"
_LAST_WORDS = (event.RESULT, event.ERROR, event.NOTE)


def has_failed(stores: Stores, session: str) -> bool:
    """Return whether the session's newest event says that the model's service ended the turn."""
    newest = next(newest_first(stores, session), None)
    return newest is not None and (newest.kind, newest.src) == (event.ERROR, "tool:model")


def has_work(stores: Stores, session: str) -> bool:
    """Return whether the session has done something since its last handoff.

    Results, and the agent's last words, do not count if they only end the turn in which it wrote the handoff.
    """
    said_last = False
    for entry in newest_first(stores, session):
        if entry.kind == _WRITTEN:
            return False
        if entry.kind not in _NO_WORK:
            if entry.kind not in _LAST_WORDS or entry.src == event.USER:
                return True
            said_last = True
    return said_last


def only_talked(stores: Stores, session: str) -> bool:
    """Return whether the session has recorded only messages since its last handoff."""
    for entry in newest_first(stores, session):
        if entry.kind == _WRITTEN:
            break
        if entry.kind not in (*_NO_WORK, event.NOTE):
            return False
    return True


def has_open_handoff(stores: Stores) -> bool:
    """Return whether a handoff is surely open: one without the word `closed`, or another that follows it."""
    names = [name for name, kind in stores.files.names(layout.HANDOFFS) if kind == "file" and name.endswith(".md")]
    try:
        return any(_CLOSED not in stores.files.read(f"{layout.HANDOFFS}/{name}").lower() for name in reversed(names))
    except AgentwsError:
        return False


def is_changing(stores: Stores) -> bool:
    """Return whether another process holds the transaction lock, so that the session's handoff would have to wait."""
    stores.check_writable()
    local_dir.prepare(stores.files)
    try:
        with lock.Lock(stores.files, lock.TRANSACTION, timeout_s=_PATIENCE_S):
            return False
    except LockHeldError:
        return True


def newest_first(stores: Stores, session: str) -> Iterator[Event]:
    """Yield the events of a session in this writer's newest segments, the newest first."""
    writer = stores.appender().writer
    reader = select.Reader(stores.files, select.Wanted(session=session))
    word = f'"session":{plainjson.dumps(session)},'.encode()
    for number in reversed(read.newest(stores.files, writer, _MOST_SEGMENTS)):
        lines = [line for line in read.lines(stores.files, writer, number) if word in line[1]]
        yield from reader.of(writer, number, reversed(lines))
