"""Outlines: the index in a segment's first line, of all journal lines before it. See docs/format/journal.md.

Open, unresolved and significant events, as a bounded number of references without content. The outline is updated line
by line.
"""

from __future__ import annotations

from agentws.core.formats.journal import event, thread
from agentws.core.formats.journal.segment import MOST_SESSIONS, kind_of, seq_of
from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.formats.journal.event import Event
    from agentws.core.formats.journal.thread import Thread

    Ref = dict[str, Any]

MOST_OPEN, MOST_ERRORS, MOST_SIGNIFICANT, MOST_ENDED, MOST_HANDED = 64, 16, 32, 64, 32
MOST_RETRACTED = 64
INTERRUPTED = "interrupted"
"""The key of a reference to an open action whose thread the user has interrupted."""
_STEPS = (event.ACTION, event.RESULT)
"""The most frequent kinds: what has none other than these is significant by its importance alone."""
_TURNS = (event.STARTED, event.ENDED)
_MOST_THREAD = 160
"""So many characters of session, agent and source are kept of an action: a line has room for all of them."""
_BODY = b'"body":{"v":1,'
_CALL = b'"call":"'
_IMPORTANCE = b'"importance":'
_SESSION, _SRC = b'"session":"', b'"src":"'
_HOST = b'"src":"%s' % thread.HOSTED.encode()
_TAIL = b',"salt":'
_AGENT = b'"%s":' % thread.AGENT.encode()


class Outline:
    """The index (outline) of a segment: the open, unresolved and significant events after a number of lines.

    `open` maps the id of a call to the reference of its action; `errors` and `significant` are references, oldest
    first; `sessions` are the ids of those that have not ended, the newest last; `begun` maps such an id to the
    reference of its beginning, `handed` the id of a session to that of the newest handoff that took over its work;
    `sealed` is the number that the newest seal covers; `ended` are calls that ended here and began elsewhere. A
    reference is `{seq, segment, offset, kind}`; that of an action also has its `call`, and if a host reported it its
    `session`, `src` and `agent`, and `interrupted` if the user has interrupted it. `retracted` are the newest retracted
    `[writer, seq]`. `overflowed` counts references that did not fit.
    """

    def __init__(self) -> None:
        self.open: dict[str, Ref] = {}
        self.errors: list[Ref] = []
        self.significant: list[Ref] = []
        self.sessions: list[str] = []
        self.begun: dict[str, Ref] = {}
        self.handed: dict[str, Ref] = {}
        self.ended: list[str] = []
        self.retracted: list[list[Any]] = []
        self.sealed = 0
        self.overflowed = {"open": 0, "errors": 0, "significant": 0}

    def fold(self, stored: bytes, *, writer: str, segment: int, offset: int) -> None:
        """Update the outline with one stored line, which is in `segment` at `offset`."""
        kind = kind_of(stored)
        if kind == event.OPENED:
            self._begin(plainjson.loads(stored)["body"])
        elif kind == event.SEAL:
            covers = (plainjson.loads(stored)["body"] or {}).get("seq")
            self.sealed = covers if isinstance(covers, int) else self.sealed
        elif kind == event.RETRACTED:
            self._retract(plainjson.loads(stored)["body"] or {}, writer)
        else:
            ref = {"segment": segment, "offset": offset, "kind": kind}
            if kind in _TURNS:
                self._turn(plainjson.loads(stored), ref)
            else:
                self._note(kind, stored, writer, ref)
                if kind.startswith(event.HANDOFFS):
                    self._hand(plainjson.loads(stored), ref)

    def _begin(self, body: Ref | None) -> None:
        """Take over the outline in the first line of a segment."""
        fields = body or {}
        self.open = {ref["call"]: ref for ref in _refs(fields, "open") if isinstance(ref.get("call"), str)}
        self.errors = _refs(fields, "errors")
        self.significant = _refs(fields, "significant")
        self.sessions = [name for name in fields.get("sessions", []) if isinstance(name, str)][-MOST_SESSIONS:]
        self.begun = _by_session(fields, "begun")
        self.handed = _by_session(fields, "handed")
        self.ended = [call for call in fields.get("ended", []) if isinstance(call, str)]
        self.retracted = [place for place in fields.get("retracted", []) if isinstance(place, list) and len(place) == 2]
        self.sealed = fields.get("sealed", 0)
        self.overflowed = {**self.overflowed, **fields.get("overflowed", {})}

    def _turn(self, fields: Ref, ref: Ref) -> None:
        session = fields["session"]
        if session is None:
            return
        if not thread.is_broken_off(fields["kind"], fields.get("body") or {}):
            self._close(thread.of_turn(fields["kind"], session, str(fields.get("src")), None))
        self.sessions = [name for name in self.sessions if name != session]
        if fields["kind"] == event.STARTED:
            self.sessions = [*self.sessions, session][-MOST_SESSIONS:]
            self.begun[session] = {"seq": fields["seq"], **ref, "session": session}
        self.begun = {name: self.begun[name] for name in self.sessions if name in self.begun}

    def _retract(self, fields: Ref, writer: str) -> None:
        """Take out what is retracted; an action whose end is, is open again."""
        place = [fields.get("writer"), fields.get("seq")]
        self.retracted = [*(other for other in self.retracted if other != place), place][-MOST_RETRACTED:]
        if place[0] != writer:
            return
        self.open = {call: ref for call, ref in self.open.items() if ref.get("seq") != place[1]}
        self.errors = [ref for ref in self.errors if ref.get("seq") != place[1]]
        self.significant = [ref for ref in self.significant if ref.get("seq") != place[1]]
        again = fields.get("reopens")
        if isinstance(again, dict) and isinstance(again.get("call"), str):
            self.open[again["call"]] = again

    def _hand(self, fields: Ref, ref: Ref) -> None:
        for name in _taken_over(fields):
            self.handed.pop(name, None)
            self.handed[name] = {"seq": fields["seq"], **ref, "session": name}
        while len(self.handed) > MOST_HANDED:
            oldest = next(iter(self.handed))
            del self.handed[next((name for name in self.handed if name not in self.sessions), oldest)]

    def _note(self, kind: str, stored: bytes, writer: str, ref: Ref) -> None:
        call, importance = glance(stored) if kind in event.CALLS or _IMPORTANCE in stored else (None, None)
        significant = (importance is not None or kind not in _STEPS) and event.is_significant(kind, importance)
        if significant or kind == event.ACTION:
            ref = {"seq": seq_of(stored), **ref}
        if kind in event.CALLS:
            if kind == event.ACTION:
                name = call or f"{writer}:{ref['seq']}"
                self.open[name] = {**ref, "call": name, **_thread(stored)}
                if len(self.open) > MOST_OPEN:
                    del self.open[next(iter(self.open))]
                    self.overflowed["open"] += 1
            elif call is not None and self.open.pop(call, None) is None:
                self.ended = [*(name for name in self.ended if name != call), call][-MOST_ENDED:]
            if kind == event.RESULT and call is not None and self.errors:
                self.errors = [error for error in self.errors if error.get("call") != call]
            if kind == event.ERROR:
                self._add(self.errors, {**ref, "call": call} if call else ref, "errors", MOST_ERRORS)
        elif self.open and kind in thread.TURNS:
            session, src, agent = _where(stored)
            self._close(thread.of_turn(kind, session, src, agent))
        elif self.open and kind == thread.INTERRUPTED:
            self._interrupt(thread.of_action(*_where(stored)))
        if significant:
            self._add(self.significant, ref, "significant", MOST_SIGNIFICANT)

    def _close(self, turn: Thread | None) -> None:
        """Remove the open actions of a thread that has taken its next turn: no result will be reported."""
        if turn is not None:
            self.open = {call: ref for call, ref in self.open.items() if ref.get(INTERRUPTED) or not _takes(ref, turn)}

    def _interrupt(self, stopped: Thread | None) -> None:
        """Mark the open actions of an interrupted thread: they may run on, so no turn of the thread closes them."""
        for ref in self.open.values():
            if stopped is not None and _takes(ref, stopped):
                ref[INTERRUPTED] = True

    def is_over(self, entry: Event, ref: Ref) -> bool:
        """Return whether an action in the outline, without a known thread, was over when its session ended.

        For references of segments that earlier versions wrote. False if more sessions are unended than are known.
        """
        if not self.is_vague(ref) or entry.session in self.sessions or len(self.sessions) >= MOST_SESSIONS:
            return False
        return thread.thread_of(entry) is not None

    def is_vague(self, ref: Ref) -> bool:
        """Return whether the outline's reference to an action lacks its thread."""
        return "src" not in ref

    def _add(self, refs: list[Ref], ref: Ref, name: str, most: int) -> None:
        refs.append(ref)
        if len(refs) > most:
            del refs[0]
            self.overflowed[name] += 1

    def plain(self) -> dict[str, object]:
        """Return the outline in the form stored in the body of `segment.opened`."""
        return {
            "open": list(self.open.values()),
            "errors": self.errors,
            "significant": self.significant,
            "sessions": self.sessions,
            "begun": list(self.begun.values()),
            "handed": list(self.handed.values()),
            "ended": self.ended,
            **({"retracted": self.retracted} if self.retracted else {}),
            "sealed": self.sealed,
            "overflowed": self.overflowed,
        }


def _refs(fields: Ref, name: str) -> list[Ref]:
    value = fields.get(name)
    return [ref for ref in value if isinstance(ref, dict)] if isinstance(value, list) else []


def _by_session(fields: Ref, name: str) -> dict[str, Ref]:
    return {ref["session"]: ref for ref in _refs(fields, name) if isinstance(ref.get("session"), str)}


def _taken_over(fields: Ref) -> list[str]:
    """Return what a handoff's event took over: sessions, and earlier handoffs."""
    body = fields.get("body") or {}
    by = fields.get("session") if fields["kind"] == event.HANDED else body.get("session")
    follows = body.get("follows")
    return [name for name in (by, *(follows if isinstance(follows, list) else ())) if isinstance(name, str) and name]


def _thread(stored: bytes) -> Ref:
    """Return the thread fields of a reference to an action; empty if no host reported it, or names are too long."""
    if _HOST not in stored:
        return {}
    session, src, agent = _where(stored)
    if thread.of_action(session, src, agent) is None or len(f"{session}{src}{agent}") > _MOST_THREAD:
        return {}
    return {"session": session, "src": src, **({thread.AGENT: agent} if agent else {})}


def _takes(ref: Ref, turn: Thread) -> bool:
    session = thread.of_action(ref.get("session"), str(ref.get("src", "")), ref.get(thread.AGENT))
    return session is not None and session.takes(turn)


def _where(stored: bytes) -> tuple[str | None, str, str]:
    """The session, the source and the agent within the session that a stored line names."""
    header, _, tail = stored.partition(_TAIL)
    agent = ""
    if _AGENT in tail:
        body = (plainjson.loads(stored).get("body") or {}).get(thread.AGENT)
        agent = body if isinstance(body, str) else ""
    return _word(header, _SESSION) or None, _word(header, _SRC), agent


def _word(header: bytes, key: bytes) -> str:
    _, data, rest = header.partition(key)
    return rest.partition(b'"')[0].decode("ascii", "replace") if data else ""


def glance(stored: bytes) -> tuple[str | None, int | None]:
    """Return the call and the importance in the body of a segment's line, for its index, without parsing it."""
    start = stored.find(_BODY)
    if start >= 0:
        start += len(_BODY)
        if stored.startswith(_CALL, start):
            start += len(_CALL)
            end = stored.find(b'"', start)
            name = stored[start:end]
            if b"\\" not in name and _IMPORTANCE not in stored:
                return name.decode("ascii", "replace"), None
    body = plainjson.loads(stored).get("body") or {}
    call, importance = body.get("call"), body.get("importance")
    return call if isinstance(call, str) else None, importance if isinstance(importance, int) else None
