"""Actions after a change that undo does not cover: answers of approval requests, their uses, rollbacks of tasks."""

from __future__ import annotations

from agentws.core.disk import local_dir
from agentws.core.disk.change import transaction
from agentws.core.formats.documents import approval
from agentws.core.journal import read, select
from agentws.core.stores import writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores

ASKED = "ask "
"""Undo of a request to a person: it is withdrawn, unless the journal has an answer."""
_ANSWERED = ("approval.decided", "approval.used", "approval.expired")
_CATCHES_UP = "ask catches up"
_ROLLED_BACK = "task.rolled_back"
_MOST_EVENTS = 256


def since(stores: Stores, record: dict[str, object]) -> str:
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
