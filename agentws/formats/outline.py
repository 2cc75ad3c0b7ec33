"""An outline: what has to be known of all lines of a journal before a certain one. Specified in docs/format/journal.md.

What is open, unresolved and significant, as bounded references without content. It is folded line by line and written
into the first line of the next segment.
"""

from __future__ import annotations

from agentws.formats import event, plainjson
from agentws.formats.segment import MOST_SESSIONS, kind_of, seq_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Ref = dict[str, Any]

MOST_OPEN, MOST_ERRORS, MOST_SIGNIFICANT, MOST_ENDED = 64, 16, 32, 64
_BODY = b'"body":{"v":1,'
_CALL = b'"call":"'
_IMPORTANCE = b'"importance":'


class Outline:
    """What is open, unresolved and significant after a number of lines.

    `open` maps the id of a call to the reference of its action; `errors` and `significant` are references, oldest
    first; `sessions` are the ids of those that have not ended, the newest last; `sealed` is the number that the
    newest seal covers; `ended` are calls that ended here and began elsewhere. A reference is
    `{seq, segment, offset, kind}`, that of an action has its `call` besides.
    `overflowed` counts what no longer fitted.
    """

    __slots__ = ("ended", "errors", "open", "overflowed", "sealed", "sessions", "significant")

    def __init__(self) -> None:
        self.open: dict[str, Ref] = {}
        self.errors: list[Ref] = []
        self.significant: list[Ref] = []
        self.sessions: list[str] = []
        self.ended: list[str] = []
        self.sealed = 0
        self.overflowed = {"open": 0, "errors": 0, "significant": 0}

    def fold(self, stored: bytes, *, writer: str, segment: int, offset: int) -> None:
        """Go on by one stored line, which stands in `segment` at `offset`."""
        kind = kind_of(stored)
        if kind == event.OPENED:
            self._begin(plainjson.loads(stored)["body"])
        elif kind == event.SEAL:
            covers = (plainjson.loads(stored)["body"] or {}).get("seq")
            self.sealed = covers if isinstance(covers, int) else self.sealed
        elif kind.startswith("session."):
            self._turn(kind, plainjson.loads(stored)["session"])
        else:
            self._note(kind, stored, writer, {"segment": segment, "offset": offset, "kind": kind})

    def _begin(self, body: Ref | None) -> None:
        """Take over what the first line of a segment tells."""
        told = body or {}
        self.open = {ref["call"]: ref for ref in _refs(told, "open") if isinstance(ref.get("call"), str)}
        self.errors = _refs(told, "errors")
        self.significant = _refs(told, "significant")
        self.sessions = [name for name in told.get("sessions", []) if isinstance(name, str)]
        self.ended = [call for call in told.get("ended", []) if isinstance(call, str)]
        self.sealed = told.get("sealed", 0)
        self.overflowed = {**self.overflowed, **told.get("overflowed", {})}

    def _turn(self, kind: str, session: str | None) -> None:
        if session is None:
            return
        self.sessions = [name for name in self.sessions if name != session]
        if kind == event.STARTED:
            self.sessions = [*self.sessions, session][-MOST_SESSIONS:]

    def _note(self, kind: str, stored: bytes, writer: str, ref: Ref) -> None:
        call, importance = glance(stored) if kind in event.CALLS or _IMPORTANCE in stored else (None, None)
        ref = {"seq": seq_of(stored), **ref}
        if kind in event.CALLS:
            if kind == event.ACTION:
                name = call or f"{writer}:{ref['seq']}"
                self.open[name] = {**ref, "call": name}
                if len(self.open) > MOST_OPEN:
                    del self.open[next(iter(self.open))]
                    self.overflowed["open"] += 1
            elif call is not None and self.open.pop(call, None) is None:
                self.ended = [*(name for name in self.ended if name != call), call][-MOST_ENDED:]
            if kind == event.RESULT and call is not None:
                self.errors = [error for error in self.errors if error.get("call") != call]
            if kind == event.ERROR:
                self._add(self.errors, {**ref, "call": call} if call else ref, "errors", MOST_ERRORS)
        if event.is_significant(kind, importance):
            self._add(self.significant, ref, "significant", MOST_SIGNIFICANT)

    def _add(self, refs: list[Ref], ref: Ref, name: str, most: int) -> None:
        refs.append(ref)
        if len(refs) > most:
            del refs[0]
            self.overflowed[name] += 1

    def plain(self) -> dict[str, object]:
        """The outline as it stands in the body of `segment.opened`."""
        return {
            "open": list(self.open.values()),
            "errors": self.errors,
            "significant": self.significant,
            "sessions": self.sessions,
            "ended": self.ended,
            "sealed": self.sealed,
            "overflowed": self.overflowed,
        }


def restored(plain: Ref) -> Outline:
    """The outline that was told as `Outline.plain`."""
    outline = Outline()
    outline._begin(plain)
    return outline


def _refs(told: Ref, name: str) -> list[Ref]:
    found = told.get(name)
    return [ref for ref in found if isinstance(ref, dict)] if isinstance(found, list) else []


def glance(stored: bytes) -> tuple[str | None, int | None]:
    """The call and the importance that the body of a stored line names."""
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
