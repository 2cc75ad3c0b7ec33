"""Lists open items for `todo`, and the states of entries that are or were open."""

from __future__ import annotations

from agentws import features
from agentws.core import Record, Result
from agentws.core.notes import closure
from agentws.core.stores import open_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.notes.closure import Row
    from agentws.core.stores.stores import Stores


class TodoList(Record, Result):
    """The open items (`rows`) on a `day`, those from `outside`, and how many the limit has `left_out`.

    `unread` says of each file that was not read why; the notices do so too.
    """

    day: str
    rows: list[Row]
    outside: list[Row]
    left_out: int
    unread: list[str]
    notices: list[str]


def todos(stores: Stores, *, stale: bool = False, limit: int = 0) -> TodoList:
    """Return all open items, with `stale` those that no day has mentioned for two weeks; at most `limit`, 0 for all."""
    open_item = open_items.read(stores, features.each("open_items"))
    rows = [each for each in open_item.rows if each.is_stale or not stale]
    shown, outside = rows[: limit or None], [] if stale else open_item.outside
    notices = [*stores.notices, *open_item.notices]
    return TodoList(stores.here().day, shown, outside, len(rows) - len(shown), open_item.unread, notices)


def item_states(stores: Stores, archived: Sequence[str] = ()) -> dict[tuple[str, int], tuple[str, str]]:
    """Return the state of each open or closed item's entry, and where it was closed, by path and line.

    The place is FILE:LINE, empty for an open entry. The entries are those of `todos`, and those of the `archived` logs
    at these paths, whose state is empty if nothing closes them, but `todos` does not list them either.
    """
    open_item = open_items.read(stores, features.each("open_items"), archived=archived)
    states = {}
    unlisted = frozenset(archived)
    for listed in open_item.rows:
        state = "" if unlisted.issuperset(entry.path for entry in listed.said) else listed.state
        states.update({(entry.path, entry.line): (state, "") for entry in listed.said})
    for entry, by in open_item.closed.items():
        states[entry.path, entry.line] = closure.state_by(by), f"{by.path}:{by.line}"
    return states
