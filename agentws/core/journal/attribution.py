"""The session of an event that names none: the session whose process called this one, the nearest caller first.

A session that the host names for its commands counts if it has not ended and no calling session is nearer. Without a
caller, it is the newest session that may run, whose process is unknown and that nobody took over. A session whose
process runs did not call this one, and a session whose process is gone does nothing now. A shared session is not chosen
either: an event without a session is for the main audience.
"""

from __future__ import annotations

import os

from agentws.core.disk import local_dir
from agentws.core.formats import audience
from agentws.core.formats.journal import event, segment, thread
from agentws.core.formats.json import plainjson
from agentws.core.installation import host_info
from agentws.core.journal import head
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Body, Event
    from agentws.core.formats.journal.thread import Process
    from agentws.core.journal.head import Head

    Known = dict[str, Body]
    """The bodies of session start events, by session id."""
    _Known = dict[str, tuple[Body, bool]]
    """The body of a session's newest start event, and whether the session was taken over since."""


_HANDOFF = b'"kind":"%s' % event.HANDOFFS.encode()
_UNDONE = "handoff.undone"
_ODD = (AgentwsError, AttributeError, KeyError, TypeError, ValueError)


def newest(files: Files, end: Head, known: Known, *, keeps: bool = False, hosted: str | None = None) -> str | None:
    """Return the newest session that may run, was not taken over and is not shared, or a nearer one that called; else
    None. A session that the host names (`hosted`) counts if it has not ended and none that called is nearer.

    `known` caches the start facts of sessions for later calls; with `keeps`, under the append lock, they are also saved
    for the next process.
    """
    if hosted in end.sessions and len(end.sessions) == 1:
        return hosted
    lines: _Lines | None = None
    callers = host_info.ancestors(os.getpid())
    result, nearest = None, len(callers)
    named = [name for name in end.sessions if name == hosted]
    for name in [*named, *(name for name in reversed(end.sessions) if name != hosted)]:
        if name != hosted and files.exists(local_dir.shared_mark(name)):
            continue
        if name not in known or thread.fate_of(known[name], this_machine(known[name]))[0] != thread.RUNNING:
            lines = lines or _Lines(files, end)
            known[name] = lines.facts(name)
        if name != hosted and audience.of_value(known[name].get(audience.KEY)) == audience.SHARED:
            continue  # its mark is lost: its start event decides
        distance = _distance(known[name], callers)
        if distance is not None and distance < nearest:
            result, nearest = name, distance
        elif name == hosted:
            result = name
        elif result is None and thread.fate_of(known[name], this_machine(known[name]))[0] == thread.UNKNOWN:
            lines = lines or _Lines(files, end)
            result = None if lines.is_taken_over(name) else name
    if keeps and lines is not None:
        lines.keep()
    return result


def _distance(facts: Body, callers: Sequence[Process]) -> int | None:
    """Return how many processes above this one the session that called it is; None if it did not call."""
    place = (facts.get("host"), facts.get("boot"), facts.get("namespace"))
    if place != (host_info.name(), host_info.boot_id(), host_info.namespace()):
        return None
    return next((distance for distance, pair in enumerate(callers) if pair in thread.processes(facts)), None)


def state(files: Files, end: Head, name: str) -> str:
    """Return whether a session without an end runs: a word of core/formats/journal/thread.py."""
    facts = _Lines(files, end).facts(name)
    return thread.fate_of(facts, this_machine(facts))[0]


def this_machine(facts: Body) -> thread.ThisMachine:
    """Return the facts of this machine by which to judge whether a session runs."""
    is_here = facts.get("host") == host_info.name()
    return host_info.this_machine(thread.processes(facts) if is_here else ())


class _Lines:
    """The remembered facts of a journal's sessions, the lines written since, and the references of its segment."""

    def __init__(self, files: Files, end: Head) -> None:
        self._files = files
        self._end = end
        self._writer = end.writer
        self._number = end.segment
        self._known, self._start, self._data = _open_sessions(files, end)
        self._began: dict[str, Event | None] = {}
        self._asked: set[str] = set()
        self._refs: Body | None = None

    def facts(self, name: str) -> Body:
        """Return the body of the session's newest start event."""
        began = self._beginning(name)
        return self._known[name][0] if began is None and name in self._known else (began and began.body) or {}

    def is_taken_over(self, name: str) -> bool:
        """Return whether another session closed this session's handoff, or handed over its work, since it began."""
        began = self._beginning(name)
        events = [handoff for handoff in self._handoffs(name) if began is None or handoff.seq > began.seq]
        if began is None and name in self._known and not events:
            return self._known[name][1]
        return bool(events) and events[-1].kind != _UNDONE

    def keep(self) -> None:
        """Save the facts of the sessions that were looked up, for the next process."""
        if len(self._data) <= ENOUGH_BYTES:
            return
        asked = [name for name in self._end.sessions if name in self._asked or name in self._known]
        facts_by_name = {name: (self.facts(name), self.is_taken_over(name)) for name in asked}
        _write_hint(self._files, self._end, facts_by_name)

    def _beginning(self, name: str) -> Event | None:
        """Return the newest start event of a session among the lines read, or before them if nothing is known."""
        self._asked.add(name)
        if name not in self._began:
            self._began[name] = self._find(name)
        return self._began[name]

    def _find(self, name: str) -> Event | None:
        word = b'"kind":"%s","session":%s,' % (event.STARTED.encode(), plainjson.dumps(name).encode())
        at = self._data.rfind(word)
        if at >= 0:
            return self._event(self._data[self._data.rfind(b"\n", 0, at) + 1 :].partition(b"\n")[0])
        if name in self._known:
            return None
        if self._start:
            self._known, self._start, self._data = _whole_hint(self._files, self._end)
            self._began, self._refs = {}, None
            return self._find(name)
        if (ref := self._ref("begun", name)) is not None:
            return self._at(ref)
        from agentws.core.journal import select

        wanted = select.Wanted(session=name, kinds=(event.STARTED,))  # a segment of an earlier version
        return next(iter(select.Reader(self._files, wanted).newest(self._writer, 1)), None)

    def _handoffs(self, name: str) -> list[Event]:
        """Return the handoff events of other sessions about this session's work, oldest first."""
        ref = self._ref("handed", name)
        events = [self._at(ref)] if ref is not None else []
        at, word = self._data.find(_HANDOFF), plainjson.dumps(name).encode()
        while at >= 0:
            line = self._data[self._data.rfind(b"\n", 0, at) + 1 :].partition(b"\n")[0]
            if word in line:
                events.append(self._event(line))
            at = self._data.find(_HANDOFF, at + 1)
        return [entry for entry in events if entry is not None and _is_of_another(entry, name)]

    def _ref(self, key: str, name: str) -> dict[str, Any] | None:
        if self._refs is None:
            try:
                first = b"{}" if self._start else self._data.partition(b"\n")[0]
                self._refs = plainjson.loads(first)["body"] or {}
            except _ODD:
                self._refs = {}
        refs = self._refs.get(key)
        named = (ref for ref in refs if isinstance(ref, dict)) if isinstance(refs, list) else ()
        return next((ref for ref in named if ref.get("session") == name), None)

    def _at(self, ref: dict[str, Any]) -> Event | None:
        from agentws.core.journal import reference

        return reference.at(self._files, self._writer, ref)

    def _event(self, line: bytes) -> Event | None:
        try:
            return event.decode(line, writer=self._writer, segment=self._number)
        except AgentwsError:
            return None  # `journal verify` names what is damaged


def _is_of_another(entry: Event, name: str) -> bool:
    """Return whether this handoff was closed, undone or written by another session, and is about this one."""
    body = entry.body or {}
    follows = body.get("follows")
    if entry.kind == event.HANDED:
        return entry.session != name and isinstance(follows, list) and name in follows
    return body.get("session") == name or (isinstance(follows, list) and name in follows)


ENOUGH_BYTES = 1 << 15
"""The size up to which a journal is read each time; a larger one gets a hint."""
_MOST_BYTES = 1 << 13
_MOST_SESSIONS = 16
_VALUES = 6


def _open_sessions(files: Files, end: Head) -> tuple[_Known, int, bytes]:
    """Return the remembered facts of the open sessions, and the lines written since with their offset.

    The whole segment if nothing is known.
    """
    sessions, start, seq, hash_ = _hint(files, end)
    since = _lines(files, end, start)
    if start and not _goes_on(since, end, start, seq, hash_):
        return _whole_hint(files, end)
    return sessions, start, since


def _whole_hint(files: Files, end: Head) -> tuple[_Known, int, bytes]:
    """As `_open_sessions`, without remembered facts."""
    return {}, 0, _lines(files, end, 0)


def _write_hint(files: Files, end: Head, sessions: Mapping[str, tuple[Body, bool]]) -> None:
    """Save the facts of the newest sessions, as of this end of the journal. The caller holds the append lock."""
    newest = list(sessions.items())[-_MOST_SESSIONS:]
    rows = {name: [thread.process_facts(body), is_taken] for name, (body, is_taken) in newest}
    head.put(files, _path(end.writer), [end.writer, end.segment, end.offset, end.seq, end.hash, rows], _MOST_BYTES)


def _hint(files: Files, end: Head) -> tuple[_Known, int, int, str]:
    values = head.get(files, _path(end.writer), _MOST_BYTES)
    if values is None or len(values) != _VALUES:
        return {}, 0, 0, ""
    writer, number, start, seq, hash_, value = values
    try:
        sessions: _Known = {name: (dict(body), bool(is_taken)) for name, (body, is_taken) in value.items()}
        if (writer, number) == (end.writer, end.segment) and start > 0 and type(seq) is int:
            return sessions, start, seq, str(hash_)
    except (AttributeError, TypeError, ValueError):
        pass  # not a hint by agentws
    return {}, 0, 0, ""


def _lines(files: Files, end: Head, start: int) -> bytes:
    if start > end.offset:
        return b""
    return files.piece(segment.path(end.writer, end.segment), start, end.offset - start)


def _goes_on(since: bytes, end: Head, start: int, seq: int, hash_: str) -> bool:
    """Return whether these lines follow the event with this number and hash."""
    if not since:
        return (end.offset, end.seq, end.hash) == (start, seq, hash_)
    # The header of a line comes first, and contains the hash of the line before.
    first = since.partition(b"\n")[0]
    is_next = first.startswith(b'{"agentws":1,"seq":%d,' % (seq + 1))
    return is_next and first.partition(b'"prev":"')[2].startswith(hash_.encode() + b'"')


def _path(writer: str) -> str:
    return f"{local_dir.FOLDER}/{writer}.sessions"
