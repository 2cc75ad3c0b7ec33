"""The check of purged lines against the events that order their purge.

An order counts if this installation has given it, or if a seal with a known key proves it. Specified in
docs/format/journal.md.
"""

from __future__ import annotations

from agentws.core.installation import installation, keys
from agentws.core.journal.sealing.chain_check import body_of, header_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from agentws.core.installation.given_orders import Given
    from agentws.core.installation.installation import Installation
    from agentws.core.journal.sealing.chain_check import Place

NOBODY = "purged without a purge event"
STRANGER = "purged by an event of a writer that is not vouched for"
NOT_GIVEN = "purged by an event in the journal of this installation that it has not recorded"
UNSEALED = "purged by an event that no seal covers; seal the journal of that writer: agentws journal seal"


class PurgedLine:
    """A line (`writer`, number) purged by the event `order`; `wrong` says why it should not be, and `is_odd` that this
    is only a note.
    """

    __slots__ = ("digest", "is_odd", "line", "order", "place", "wrong")

    def __init__(self, line: tuple[str, int], place: Place, order: str, digest: str) -> None:
        self.line = line
        self.place = place
        self.order = order
        self.digest = digest
        self.wrong = NOBODY
        self.is_odd = False


class OrderLine:
    """A `purged` event, number `seq` of the writer `by`, that orders the purge of `line` (writer, number)."""

    __slots__ = ("by", "digest", "id", "line", "own_digest", "place", "seq")

    def __init__(self, by: str, place: Place, stored: bytes) -> None:
        header, told = header_of(stored), body_of(stored)
        self.by = by
        seq = header.get("seq")
        self.seq = seq if isinstance(seq, int) else 0
        self.id = str(header.get("id"))
        self.own_digest = str(header.get("digest"))
        self.place = place
        self.line = (told.get("writer"), told.get("seq"))
        self.digest = told.get("digest")


class Trust:
    """The facts by which purge orders are trusted: each writer's newest `proved` number, the known keys, the
    `strangers`, this installation (`own`) and the orders that it has given.
    """

    __slots__ = ("_former", "_given", "_is_possible", "_keys", "_own", "_proved", "_strangers")

    def __init__(
        self,
        proved: Mapping[str, int],
        keys_known: Mapping[str, Collection[str]],
        strangers: Collection[str],
        own: Installation | None,
        given: Given | None,
    ) -> None:
        self._proved = proved
        self._keys = keys_known
        self._strangers = strangers
        self._own = own
        self._given = given
        self._former = installation.former(own) if own is not None else []
        self._is_possible = keys.is_possible()

    @property
    def is_new(self) -> bool:
        """Return whether this installation has recorded its orders from the beginning; earlier unsealed orders of
        others are then no proof against them.
        """
        return self._own is not None and bool(self._own.record.get(installation.ORDERS))

    def lacks(self, order: OrderLine) -> str:
        """Return why a purge order does not count; empty if it does."""
        by = order.by
        if by in self._strangers:
            return "" if order.line[0] in self._strangers else STRANGER  # nothing by strangers is proved
        if self._given is not None and self._own is not None and by in (self._own.writer, *self._former):
            if self._given.is_ours(by, order.seq, order.own_digest):
                return ""
            if by == self._own.writer:
                return NOT_GIVEN
        if not self._is_possible or not self._keys.get(by):
            return ""
        return "" if order.seq <= self._proved.get(by, 0) else UNSEALED


class Purges:
    """The purged lines and the purge orders of all journals."""

    __slots__ = ("_lines", "_orders")

    def __init__(self) -> None:
        self._lines: list[PurgedLine] = []
        self._orders: dict[str, list[OrderLine]] = {}

    def add_line(self, writer: str, place: Place, stored: bytes) -> None:
        """Add a purged line."""
        told = header_of(stored)
        name = stored.rpartition(b'"purged":"')[2].removesuffix(b'"}').decode("ascii", "replace")
        if isinstance(told.get("seq"), int):
            self._lines.append(PurgedLine((writer, told["seq"]), place, name, str(told.get("digest"))))

    def add_order(self, by: str, place: Place, stored: bytes) -> None:
        """Add an event that orders a purge."""
        order = OrderLine(by, place, stored)
        self._orders.setdefault(order.id, []).append(order)

    def unexplained(self, trust: Trust) -> Iterator[PurgedLine]:
        """Yield the purged lines that no valid order explains, with `wrong` set."""
        for line in self._lines:
            told = [
                one for one in self._orders.get(line.order, ()) if (one.line, one.digest) == (line.line, line.digest)
            ]
            lacks = [trust.lacks(one) for one in told]
            if "" not in lacks:
                line.wrong = lacks[0] if lacks else NOBODY
                line.is_odd = line.wrong == UNSEALED and not trust.is_new
                yield line

    def waiting(self, ends: Mapping[str, int]) -> Iterator[OrderLine]:
        """Yield the orders for lines that are present and not purged; `ends` are the writers' newest numbers."""
        purged = {line.line for line in self._lines}
        for order in (one for some in self._orders.values() for one in some):
            writer, seq = order.line
            is_here = isinstance(writer, str) and isinstance(seq, int) and 0 < seq <= ends.get(writer, 0)
            if is_here and order.line not in purged:
                yield order
