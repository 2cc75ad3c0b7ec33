"""The session that an event belongs to where nobody says so: the newest one that may run, and that is not taken over.

A session whose process is gone did nothing any more: what is done now is somebody else's work.
"""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import event, fate, plainjson
from agentws.storage import machine
from agentws.storage.journal import reading, selecting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.formats.event import Body, Event
    from agentws.storage.files import Files
    from agentws.storage.journal.head import Head

    Known = dict[str, Body]
    """What the beginnings of sessions say, by id."""

_HANDOFF = b'"kind":"%s' % event.HANDOFFS.encode()
_UNDONE = "handoff.undone"
_LINE_BYTES = 1 << 16
_ODD = (AgentwsError, AttributeError, KeyError, TypeError, ValueError)


def newest(files: Files, end: Head, known: Known) -> str | None:
    """The newest session of this journal that has not ended, is not known to be gone, and was not taken over.

    `known` remembers what the beginnings of sessions say, for whoever asks again.
    """
    lines: _Lines | None = None
    for name in reversed(end.sessions):
        if name in known and fate.of(known[name], here(known[name]))[0] == fate.RUNNING:
            return name
        lines = lines or _Lines(files, end)
        began = lines.began(name)
        known[name] = (began and began.body) or {}
        state, _ = fate.of(known[name], here(known[name]))
        if state == fate.RUNNING or (state == fate.UNKNOWN and not lines.is_taken_over(name, began)):
            return name
    return None


def state(files: Files, end: Head, name: str) -> str:
    """Whether a session of this journal that has no end runs: one of the words of formats/fate.py."""
    began = _Lines(files, end).began(name)
    facts = (began and began.body) or {}
    return fate.of(facts, here(facts))[0]


def here(facts: Body) -> fate.Here:
    """What this machine knows that tells whether a session with these facts runs."""
    host = machine.name()
    asked = fate.processes(facts) if facts.get("host") == host else ()
    lives = {one: machine.lives(*one) for one in asked}
    return fate.Here(host, machine.boot_id(), machine.namespace(), lives)


class _Lines:
    """The newest segment of a journal, and what its first line refers to."""

    def __init__(self, files: Files, end: Head) -> None:
        self._files = files
        self._writer = end.writer
        self._number = end.segment
        self._data = b"".join(block for _, block in reading.blocks(files, end.writer, end.segment))
        try:
            self._told: Body = plainjson.loads(self._data.partition(b"\n")[0])["body"] or {}
        except _ODD:
            self._told = {}

    def began(self, name: str) -> Event | None:
        """The newest beginning of a session."""
        word = b'"kind":"%s","session":%s,' % (event.STARTED.encode(), plainjson.dumps(name).encode())
        at = self._data.rfind(word)
        if at >= 0:
            return self._event(self._data[self._data.rfind(b"\n", 0, at) + 1 :].partition(b"\n")[0])
        if (ref := self._ref("begun", name)) is not None:
            return self._at(ref)
        wanted = selecting.Wanted(session=name, kinds=(event.STARTED,))  # a segment of an earlier version
        return next(iter(selecting.Reader(self._files, wanted).newest(self._writer, 1)), None)

    def is_taken_over(self, name: str, began: Event | None) -> bool:
        """Return whether somebody else has closed the session's handoff, or handed over its work, since it began."""
        found = [one for one in self._handoffs(name) if began is None or one.seq > began.seq]
        return bool(found) and found[-1].kind != _UNDONE

    def _handoffs(self, name: str) -> list[Event]:
        """The events of handoffs that others have made of the session's work, oldest first."""
        ref = self._ref("handed", name)
        found = [self._at(ref)] if ref is not None else []
        at, word = self._data.find(_HANDOFF), plainjson.dumps(name).encode()
        while at >= 0:
            line = self._data[self._data.rfind(b"\n", 0, at) + 1 :].partition(b"\n")[0]
            if word in line:
                found.append(self._event(line))
            at = self._data.find(_HANDOFF, at + 1)
        return [one for one in found if one is not None and _is_of_another(one, name)]

    def _ref(self, key: str, name: str) -> dict[str, Any] | None:
        refs = self._told.get(key)
        named = (one for one in refs if isinstance(one, dict)) if isinstance(refs, list) else ()
        return next((one for one in named if one.get("session") == name), None)

    def _at(self, ref: dict[str, Any]) -> Event | None:
        from agentws.storage.journal import reference

        return reference.at(self._files, self._writer, ref)

    def _event(self, line: bytes) -> Event | None:
        try:
            return event.decode(line, writer=self._writer, segment=self._number)
        except AgentwsError:
            return None  # `journal verify` names what is damaged


def _is_of_another(one: Event, name: str) -> bool:
    """Return whether this handoff was closed, undone or written by another session, and is about this one."""
    body = one.body or {}
    follows = body.get("follows")
    if one.kind == event.HANDED:
        return one.session != name and isinstance(follows, list) and name in follows
    return body.get("session") == name or (isinstance(follows, list) and name in follows)
