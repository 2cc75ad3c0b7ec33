"""Whose change it is that undo would revert, and later actions that undo does not cover."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime

from agentws.core import Result
from agentws.core.disk import clock, local_dir
from agentws.core.disk.change import transaction
from agentws.core.formats.documents import approval
from agentws.core.formats.journal import thread
from agentws.core.formats.journal.event import Event
from agentws.core.installation import host_info
from agentws.core.journal import attribution, head, read, select
from agentws.core.journal.head import Head
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores

Record = dict[str, object]


_OWN = -1
_UNKNOWN = -2


class Whose(Result):
    """Whose change it is that undo would revert: `session`, `host` and `at` (or empty); `writer` recorded its events.

    `state` is the state of the session, or says that the change comes from another shell that is still open.
    `is_others`: another session is or may be at work now, so its work is not undone without asking.
    """

    __slots__ = ("at", "host", "is_others", "local_at", "session", "state", "writer")

    def __init__(self, record: Record, events: Sequence[Event], now: datetime) -> None:
        entry = next((event for event in events if event.session), events[0] if events else None)
        self.session = str(record.get("session") or (entry and entry.session) or "")
        self.host = str(record.get("host") or "")
        self.at = str(record.get("at") or (entry and entry.at) or "")
        self.local_at = clock.local(self.at, now)
        self.writer = entry.writer if entry else ""
        self.state = ""
        self.is_others = False

    @property
    def words(self) -> str:
        """The author of a change to undo, in words; empty if unknown."""
        state = f" ({self.state})" if self.state else ""
        who = f"session {self.session}{state}" if self.session else f"a shell that {self.state}" if self.state else ""
        when = f"at {self.local_at}" if self.at else ""
        return ", ".join(word for word in (who, f"on {self.host}" if self.host else "", when) if word)


def of(stores: Stores, record: Record, events: Sequence[Event]) -> Whose:
    """Return whose change this is, as far as the record and its `events` show."""
    result = Whose(record, events, stores.clock.now())
    if result.session:
        _judge_session(stores, result)
        is_unnamed = not stores.own_session and not record.get("session")
        if result.is_others and is_unnamed and _shell(record) == _OWN:
            # Whoever undoes what was just done here is not to be asked.
            result.state, result.is_others = "by hand, from this shell", False
    elif _is_open(_shell(record)):
        result.state = "is still open"
    return result


def _judge_session(stores: Stores, owner: Whose) -> None:
    end = _end(stores)
    known: dict[str, dict[str, object]] = {}
    running = attribution.newest(stores.files, end, known) if end is not None else None
    if owner.session == (stores.own_session or running):
        owner.state = "this one" if stores.own_session else "it is running"
        return
    if end is None or owner.session not in end.sessions:
        owner.state = "it has ended" if end is not None else "it may still be running"
        owner.is_others = end is None
        return
    state = attribution.state(stores.files, end, owner.session)
    owner.state = {thread.RUNNING: "it is running", thread.CRASHED: "its process exited"}.get(
        state, "it may still be running"
    )
    owner.is_others = state != thread.CRASHED


def _end(stores: Stores) -> Head | None:
    own = stores.installation()
    return head.read(stores.files, own.writer, own.secret) if own is not None else None


def _shell(record: Record) -> int:
    """The terminal session of this machine where the change was made: _OWN for the caller's, else its id or _UNKNOWN.

    In a container whose programs are started from outside, the kernel gives 0 for all of them.
    """
    shell = record.get("shell")
    if type(shell) is not int or shell < 0 or record.get("host") != os.uname().nodename:
        return _UNKNOWN
    return _OWN if shell == os.getsid(0) else shell


def _is_open(shell: int) -> bool:
    return shell > 0 and host_info.lives(shell, None) is not False


ASKED = "ask "
"""Undo of a request to a person: it is withdrawn, unless the journal has an answer."""
_ANSWERED = ("approval.decided", "approval.used", "approval.expired")
_CATCHES_UP = "ask catches up"
_ROLLED_BACK = "task.rolled_back"
_MOST_EVENTS = 256


def uncovered_since(stores: Stores, record: dict[str, object]) -> str:
    """Return the newest verb after this change that undo leaves uncovered, empty without one."""
    number, at = record.get("number"), str(record.get("at") or "")
    taken_back = {change["undoes"] for change in local_dir.changes(stores.files) if "undoes" in change}
    asked = [
        (str(change.get("at") or ""), _as_typed(str(change.get("verb"))))
        for change in local_dir.changes(stores.files)
        if _is_asked(change)
        and change.get("number") not in taken_back
        and isinstance(number, int)
        and _is_later(stores, change, number)
    ]
    return max([*asked[-1:], *_rolled_back(stores, at)], default=("", ""))[1]


def is_answered(stores: Stores, verb: str) -> bool:
    """Return whether a verb of `ask` did more than make a request that is still without an answer."""
    id = verb.removeprefix(ASKED)
    if not approval.is_id(id):
        return True
    reader = select.Reader(stores.files, select.Wanted(kinds=_ANSWERED))
    newest = (event for writer in read.writers(stores.files) for event in reader.newest(writer, _MOST_EVENTS))
    return any((event.body or {}).get("id") == id for event in newest)


def _as_typed(verb: str) -> str:
    return verb.replace("ask approved", "ask approve").replace("ask rejected", "ask reject")


def _is_asked(record: dict[str, object]) -> bool:
    verb = str(record.get("verb"))
    return verb.startswith(ASKED) and verb != _CATCHES_UP


def _is_later(stores: Stores, record: dict[str, object], number: int) -> bool:
    own = record.get("number")
    return isinstance(own, int) and own > number and transaction.is_applied(stores.files, own)


def _rolled_back(stores: Stores, at: str) -> list[tuple[str, str]]:
    """(moment, verb) of the newest rollback after this moment by this installation."""
    own = writer_trust.reachable(stores)
    if own is None or not at:
        return []
    reader = select.Reader(stores.files, select.Wanted(kinds=[_ROLLED_BACK], since=at))
    events = [event for event in reader.newest(own.writer, 1) if event.at > at]
    return [(event.at, f"task rollback {(event.body or {}).get('task')}") for event in events]
