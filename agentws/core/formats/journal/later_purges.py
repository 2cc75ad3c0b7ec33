"""Purge orders that were given after a copy of the journal was made, kept beside that copy.

A backup from which something is forgotten lacks the events that order it. Each line of JSON holds the order's id, the
writer and number of its event, and the purged event. Specified in docs/format/journal.md. Pure.
"""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.journal import purge
from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.formats.journal.purge import Order

PATH = f"{layout.JOURNAL}/purges.jsonl"
LIMIT_BYTES = 1 << 24


class LaterPurge:
    """A purge `order` given by the writer `by` in its event `at`, which the copy lacks."""

    __slots__ = ("at", "by", "order")

    def __init__(self, order: Order, by: str, at: int) -> None:
        self.order = order
        self.by = by
        self.at = at

    def plain(self) -> dict[str, object]:
        """Return the later purge order as a JSON value."""
        order = self.order
        named = {"writer": order.writer, "seq": order.seq, "digest": order.digest}
        return {"id": order.id, "by": self.by, "at": self.at, **named}


def decode(data: bytes) -> list[LaterPurge]:
    """Return the later purge orders in `data`; other lines are skipped."""
    purges = []
    for line in data.split(b"\n"):
        try:
            decoded = plainjson.loads(line)
            order = purge.Order(decoded["writer"], decoded["seq"], decoded["digest"], decoded["id"])
            purge.check(order)
            if isinstance(decoded["by"], str) and type(decoded["at"]) is int:
                purges.append(LaterPurge(order, decoded["by"], decoded["at"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return purges


def encode(orders: Iterable[LaterPurge]) -> bytes:
    """Return the file of these later purge orders, sorted by id, without duplicates."""
    unique = {(order.order.id, order.order.cursor): order for order in orders}
    lines = [plainjson.dumps(later_purge.plain()) for _, later_purge in sorted(unique.items())]
    return "".join(f"{line}\n" for line in lines).encode("ascii")
