"""Orders of purges that a copy of the journal does not reach: beside the journal, for lines purged in it later on.

A backup from which something is forgotten lacks the events that order it: they were recorded after it was made. A line
of JSON for each: its id, who ordered it and the number of that event, and what it purges. Specified in
docs/format/journal.md. Pure.
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
    """An `order`, given by the writer `by` in its event `at`, which the copy does not hold."""

    __slots__ = ("at", "by", "order")

    def __init__(self, order: Order, by: str, at: int) -> None:
        self.order = order
        self.by = by
        self.at = at

    def plain(self) -> dict[str, object]:
        """The order as a value of JSON."""
        order = self.order
        named = {"writer": order.writer, "seq": order.seq, "digest": order.digest}
        return {"id": order.id, "by": self.by, "at": self.at, **named}


def decode(data: bytes) -> list[LaterPurge]:
    """The orders that these bytes tell; a line that tells none is passed over."""
    found = []
    for line in data.split(b"\n"):
        try:
            told = plainjson.loads(line)
            order = purge.Order(told["writer"], told["seq"], told["digest"], told["id"])
            purge.check(order)
            if isinstance(told["by"], str) and type(told["at"]) is int:
                found.append(LaterPurge(order, told["by"], told["at"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return found


def encode(orders: Iterable[LaterPurge]) -> bytes:
    """The bytes of these orders, each once, by id."""
    unique = {(one.order.id, one.order.cursor): one for one in orders}
    lines = [plainjson.dumps(one.plain()) for _, one in sorted(unique.items())]
    return "".join(f"{line}\n" for line in lines).encode("ascii")
