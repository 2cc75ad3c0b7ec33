"""Messages that the hook file wrote to `.agentws/calls/` without starting Python, until the next verb records them.

The hook file (core/hosts/plan.py) writes tool calls while a mark of the host's process is there, and no rule or fence
may have a say; prompts and stops, too, while the mark says so. Specified in docs/format/local.md.
"""

from __future__ import annotations

import os
import time

from agentws.core.disk import local_dir, lock
from agentws.core.formats import audience, digest, layout
from agentws.core.formats.journal import event as kinds
from agentws.core.journal import read, stamp
from agentws.core.stores import marks, record
from agentws.errors import AgentwsError, SecretRefusedError, UsageError
from agentws.features.hosts import call
from agentws.features.hosts.hook import call as _call, events, parting, reminder, session as sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.hook.call import Heard

_LOCK, _LOCK_TIMEOUT_S = "calls", 2.0
_END = b"\n\n"
"""The end of a file that its hook has written completely."""
_WRITING_US = 60_000_000
"""The microseconds after which nobody writes an incomplete file any more: hosts end a hook sooner."""
_MOST_BYTES, _TAIL_BYTES, _WHOLE_BYTES = 8 << 20, 1 << 16, 1 << 40
_NEWEST = 2
_ENDED, _NEW = "SessionEnd", ("startup", "clear", "new")
"""The event of the hosts whose messages may wait, and the sources of a start of a session without events."""
_OF_THE_ORIGINAL = "it is of the workspace from which this one was copied."
_REQUIRE = "require"
_AGAIN_S = 10.0
_failed: dict[str, float] = {}
"""The workspaces whose calls could not be recorded, and when: the verbs that follow at once do not try again."""


class _Waiting:
    """A message in the file `name`: its time, and its events with ids that are always the same.

    `calls` are the ids of the calls that a message about several of them answers: of its events those count that no
    other message has brought. `end` is the event of a session's end, which may be left out, None for another message.
    `fault` says what is wrong with the file, empty for nothing. None of it holds the message, which may be large.
    """

    __slots__ = ("_key", "calls", "end", "fault", "happenings", "moment_us", "name", "order")

    def __init__(self, stores: Stores, name: str, data: bytes, tail: bytes, status: os.stat_result) -> None:
        host, _, event = name.partition("-")[2].rpartition("-")
        self.name = name
        self.fault = "" if (tail or data).endswith(_END) else "it is incomplete."
        self.moment_us = status.st_mtime_ns // 1000
        self.order = (status.st_mtime_ns, not event.startswith(("Pre", "Before")), name)
        heard = _call.hear(host, event)
        heard.take(data, tail)
        self.calls = events.answered(heard) if heard.call.what == call.BATCH else set[str]()
        self.happenings = events.events_of(stores, heard, hearers=audience.MAIN) + events.answers(heard, self.calls)
        self.end = events.ended(heard) if heard.call.what == call.ENDED else None
        self._key = f"{name} {status.st_ino} {status.st_mtime_ns}".encode()

    def complete(self, stores: Stores, is_open: dict[str, bool]) -> None:
        """Leave out what other messages have brought, add an end, and give each event its time and id.

        `is_open` says of the calls up to it whether they have no result yet.
        """
        if self.calls:
            self.happenings = [each for each in self.happenings if is_open.get(str(each.body.get("call")))]
        if self.end and self.end.session and _needs_no_handoff(stores, self.end.session):
            self.happenings.append(self.end)
        for place, happening in enumerate(self.happenings):
            name = str(happening.body.get("call"))
            key = self._key + (f" {name}".encode() if self.calls else b"+" * place)  # a prompt may have several
            happening.stamp = self.moment_us, stamp.derived(self.moment_us, digest.quick(key))
            happening.session = happening.session or record.NOBODY
            if happening.kind in kinds.CALLS:
                is_open[name] = happening.kind == kinds.ACTION


def _needs_no_handoff(stores: Stores, session: str) -> bool:
    """Return whether a session may end without a handoff; else it stays without an end, and the next boot derives one.

    Its messages that wait are not recorded yet, so it may have talked: another handoff must be open.
    """
    if not sessions.has_open_handoff(stores):
        return False
    return sessions.only_talked(stores, session) or not sessions.has_work(stores, session)


def take_in(stores: Stores) -> None:
    """Record the waiting calls in the order of their files, durably and with one write, then remove the files.

    A failure is a notice: the calls go on waiting, and are recorded by a later verb.
    """
    if stores.environment.as_of or time.monotonic() < _failed.get(stores.root, 0.0):
        return
    whole = stores.whole
    try:
        folder = os.open(f"{whole.root}/{layout.CALLS}", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            whole.check_writable()
            with lock.Lock(whole.files, _LOCK, timeout_s=_LOCK_TIMEOUT_S):
                _take(whole, folder, stores.notices)
        finally:
            os.close(folder)
    except (AgentwsError, OSError) as error:
        _failed[stores.root] = time.monotonic() + _AGAIN_S
        why = error.notice if isinstance(error, AgentwsError) else str(error)
        stores.notices.append(f"Tool calls wait in {layout.CALLS}/ and are not in the journal yet: {why}")


def _take(stores: Stores, folder: int, notices: list[str]) -> None:
    waiting = []
    is_copy = stores.installation() is None  # nothing waits before a session has begun here, with an event
    for name in (name for name in os.listdir(folder) if not name.startswith(".")):
        try:
            each = _read(stores, folder, name)
        except (UsageError, OSError, ValueError) as error:
            notices.append(f"{layout.CALLS}/{name} cannot be read as the message of a hook, and stays there: {error}")
            continue
        if is_copy:
            each.fault = _OF_THE_ORIGINAL
        if is_copy or not each.fault or stores.moment_us() - each.moment_us > _WRITING_US:
            waiting.append(each)
    if not is_copy:
        waiting.sort(key=lambda each: each.order)
        answered = set[str]().union(*(each.calls for each in waiting))
        is_open = dict.fromkeys(events.open_calls(stores, answered), True)
        for each in waiting:
            each.complete(stores, is_open)
        known = _recorded(stores, waiting)
        for each in waiting:
            each.happenings = [happening for happening in each.happenings if happening.stamp not in known]
        notices += _record(stores, waiting)
    for each in waiting:
        if each.fault:
            whole = stores.files.read(f"{layout.CALLS}/{each.name}", limit_bytes=_WHOLE_BYTES)
            path = local_dir.quarantine(stores.files, f"calls-{each.name}", whole)
            notices.append(f"The message of a tool call is now {path}: {each.fault}")
        os.unlink(each.name, dir_fd=folder)


def _read(stores: Stores, folder: int, name: str) -> _Waiting:
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with open(fd, "rb") as file:
        status = os.fstat(fd)
        data, tail = file.read(_MOST_BYTES), b""
        if status.st_size > len(data):
            file.seek(-_TAIL_BYTES, os.SEEK_END)
            tail = file.read(_TAIL_BYTES)
    return _Waiting(stores, name, data, tail, status)


def _recorded(stores: Stores, waiting: list[_Waiting]) -> set[tuple[int, str] | None]:
    """Return the stamps of those events that are in the journal: a process was killed before it removed the files.

    The newest event is older than every waiting message, unless that or something else happened in between.
    """
    if not waiting:
        return set()
    writer = stores.appender().writer
    newest = read.newest_line(stores.files, writer).partition(b'"at":"')[2].partition(b'"')[0]
    if newest and newest < stamp.text(waiting[0].moment_us).encode():
        return set()
    numbers = read.newest(stores.files, writer, _NEWEST)
    lines = b"\n".join(line for number in numbers for _, line in read.lines(stores.files, writer, number))
    stamps = [happening.stamp for each in waiting for happening in each.happenings]
    return {known for known in stamps if known is not None and known[1].encode() in lines}


def _record(stores: Stores, waiting: list[_Waiting]) -> list[str]:
    """Record these messages; return notices. What refuses one of them must not keep the others waiting."""
    happenings = [happening for each in waiting for happening in each.happenings]
    if not happenings:
        return []
    try:
        notices = record.record(stores, happenings)[1]
    except (UsageError, SecretRefusedError) as error:
        if len(waiting) > 1:
            return [notice for each in waiting for notice in _record(stores, [each])]
        waiting[0].fault = error.notice
        return []
    return notices


def let_wait(stores: Stores, heard: Heard, process: int) -> None:
    """Let the hook file write the calls of this host's process: its session has begun, so no call needs Python.

    The mark holds the user's settings file, which may hold rules, what else may wait until the next call, and the
    session, unless the process serves several.
    """
    config, session = stores.environment.config or "", heard.call.session
    may_be_refused = stores.manifest.setting("identity.mode") == _REQUIRE
    if may_be_refused or not config.isprintable() or stores.files.is_missing(layout.HOOK):
        return
    waits = heard.traits.WAITS if parting.is_far(stores, heard) and not reminder.is_due(stores, session) else ()
    if waits and _may_end_unheard(stores, heard):
        waits = (*waits, _ENDED)
    path, only = layout.call_mark(heard.host, process), "" if heard.traits.DAEMON else session
    text = f"{config}\n{' '.join(('calls', *waits))}\n{only}\n".encode()
    if session not in stores.appender().sessions():
        return
    local_dir.prepare(stores.files)
    stores.files.make_folder(layout.CALLS)
    fd = stores.files.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(fd, text)
    finally:
        os.close(fd)


def _may_end_unheard(stores: Stores, heard: Heard) -> bool:
    """Return whether nothing is due when a session that begins now ends without a call: no handoff, copy or sync."""
    if heard.call.what != call.STARTED or heard.call.source not in _NEW or heard.traits.DAEMON:
        return False
    from agentws.core.installation import backups

    return not (
        stores.manifest.setting("sync.hooks")
        or any(destination.by_hooks for destination in backups.read(*stores.machine))
        or not sessions.has_open_handoff(stores)
        or _ships(stores)
    )


def _ships(stores: Stores) -> bool:
    """Return whether this agent is in a fleet, so that the end of its session ships; True for unreadable settings."""
    config = stores.environment.config
    if config is None or not os.path.lexists(config):
        return False  # the usual case, without what reads TOML
    from agentws.core.disk.system import user_settings

    try:
        own = user_settings.read(config)
    except AgentwsError:
        return True
    return bool(own.fleet["url"] and own.fleet_agents.get(stores.manifest.agent_id))


def no_longer(stores: Stores, heard: Heard, process: int) -> None:
    """Let the calls of this host's process start Python again, as its session has ended; remove old marks."""
    marks.remove_call_marks(stores.files, layout.call_mark(heard.host, process))
