"""The check of what is gone from journals: purged lines, and segments retired from the beginning, against the orders.

An order counts if this installation has given it, or if a seal with a known key proves it. An order that is newer than
this copy of the journal is named by a file beside it. Specified in docs/format/journal.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from agentws.core.disk.files import Files
from agentws.core.formats.journal import purge as _purge, segment
from agentws.core.formats.journal.purge import LaterPurge, Retirement
from agentws.core.installation import installation, keys
from agentws.core.installation.installation import Installation
from agentws.core.installation.own_records import GivenOrders
from agentws.core.journal.walk import Base, Place, body_of, header_of
from agentws.errors import AgentwsError

NOBODY = "purged without a purge event"
STRANGER = "purged by an event of a writer that is not vouched for"
NOT_OURS = "this installation has not given this order: somebody else wrote the line"
NOT_GIVEN = "purged by an event in the journal of this installation that it has not recorded"
UNSEALED = "purged by an event that no seal covers; seal the journal of that writer: agentws journal seal"
LATER = "purged after this copy was made, as {} says: it does not hold the event {}"
UNCHECKED = "whether a seal covers the retirement of what is missing cannot be checked here"


class PurgedLine:
    """A line (`writer`, number) purged by the event `order`; `wrong` says why it should not be, and `is_odd` that this
    is only a note.
    """

    def __init__(self, line: tuple[str, int], place: Place, order: str, digest: str) -> None:
        self.line = line
        self.place = place
        self.order = order
        self.digest = digest
        self.wrong = NOBODY
        self.is_odd = False


class OrderLine:
    """A `purged` event, number `seq` of the writer `by`, that orders the purge of `line` (writer, number)."""

    def __init__(self, by: str, place: Place, stored: bytes) -> None:
        header, fields = header_of(stored), body_of(stored)
        self.by = by
        seq = header.get("seq")
        self.seq = seq if isinstance(seq, int) else 0
        self.id = str(header.get("id"))
        self.own_digest = str(header.get("digest"))
        self.place = place
        self.line = (fields.get("writer"), fields.get("seq"))
        self.digest = fields.get("digest")


class Trust:
    """The facts by which purge orders are trusted: each writer's newest `proved` number, the known keys, the
    `strangers`, this installation (`own`) and the orders that it has given.
    """

    def __init__(
        self,
        proved: Mapping[str, int],
        keys_known: Mapping[str, Collection[str]],
        strangers: Collection[str],
        own: Installation | None,
        given: GivenOrders | None,
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

    def missing_proof(self, order: OrderLine) -> str:
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

    def __init__(self) -> None:
        self._lines: list[PurgedLine] = []
        self._orders: dict[str, list[OrderLine]] = {}

    def add_line(self, writer: str, place: Place, stored: bytes) -> None:
        """Add a purged line."""
        fields = header_of(stored)
        name = stored.rpartition(b'"purged":"')[2].removesuffix(b'"}').decode("ascii", "replace")
        if isinstance(fields.get("seq"), int):
            self._lines.append(PurgedLine((writer, fields["seq"]), place, name, str(fields.get("digest"))))

    def add_order(self, by: str, place: Place, stored: bytes) -> None:
        """Add an event that orders a purge."""
        order = OrderLine(by, place, stored)
        self._orders.setdefault(order.id, []).append(order)

    def unexplained(self, trust: Trust) -> Iterator[PurgedLine]:
        """Yield the purged lines that no valid order explains, with `wrong` set."""
        for line in self._lines:
            order_lines = [
                order_line
                for order_line in self._orders.get(line.order, ())
                if (order_line.line, order_line.digest) == (line.line, line.digest)
            ]
            lacks = [trust.missing_proof(order_line) for order_line in order_lines]
            if "" not in lacks:
                line.wrong = lacks[0] if lacks else NOBODY
                line.is_odd = line.wrong == UNSEALED and not trust.is_new
                yield line

    def waiting(self, ends: Mapping[str, int]) -> Iterator[OrderLine]:
        """Yield the orders for lines that are present and not purged; `ends` are the writers' newest numbers."""
        purged = {line.line for line in self._lines}
        for order in (order_line for some in self._orders.values() for order_line in some):
            writer, seq = order.line
            is_here = isinstance(writer, str) and isinstance(seq, int) and 0 < seq <= ends.get(writer, 0)
            if is_here and order.line not in purged:
                yield order


def later(files: Files) -> dict[str, list[LaterPurge]]:
    """Return the purge orders that are newer than this copy, by event id; empty if no readable file names any."""

    try:
        data = files.read(_purge.LATER_PATH, limit_bytes=_purge.LIMIT_BYTES)
    except AgentwsError:
        return {}
    result: dict[str, list[LaterPurge]] = {}
    for purge in _purge.decode_later(data):
        result.setdefault(purge.order.id, []).append(purge)
    return result


def explains(
    purges_by_order: Mapping[str, list[LaterPurge]],
    name: str,
    line: tuple[str, int],
    digest: str,
    *,
    ends: Mapping[str, int],
    own: Mapping[str, int],
    known: Collection[str] | None,
) -> str:
    """Return the note for a purged line that names the order `name`; empty if no later order explains it.

    A later order counts only for an event that cannot be here: the journal of the ordering writer ends before it, and
    this installation neither wrote nor remembers it. Once this installation has written, the ordering writer must be
    one that it knows.

    `ends` are the newest event numbers of the writers present, `own` the newest event numbers that this installation
    remembers of its own writers. `known` are the writers that it trusts; None if it has written nothing.
    """

    for purge in purges_by_order.get(name, ()):
        is_meant = (purge.order.writer, purge.order.seq) == line and purge.order.digest == digest
        if known is not None and purge.by not in known:
            continue
        # A line of this installation itself is purged where the order is met, so that it has seen it.
        most = own.get(purge.by, 0 if line[0] in own else purge.at)
        if is_meant and ends.get(purge.by, 0) < purge.at <= most:
            return LATER.format(_purge.LATER_PATH, f"{purge.by}:{purge.at}")
    return ""


class Retirements:
    """The retirements that journals record; `bases` are the lines behind which incomplete journals begin."""

    def __init__(self) -> None:
        self._told: list[tuple[str, int, Retirement]] = []
        self.bases: dict[str, Base] = {}

    def add(self, by: str, seq: object, body: Mapping[str, Any]) -> None:
        """Add the retirement in the event `seq` of a writer; an invalid one is ignored."""
        try:
            if isinstance(seq, int):
                self._told.append((by, seq, _purge.decode_retirement(body)))
        except ValueError:
            return

    def is_gone(self, writer: object, seq: object) -> bool:
        """Return whether an event was before the first present segment of its writer."""
        base = self.bases.get(writer) if isinstance(writer, str) else None
        return base is not None and isinstance(seq, int) and seq <= base.seq

    def missing(self, sealed: Mapping[str, int], strangers: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield (path, what is wrong) of each missing beginning that no sealed event of a trusted writer has retired;
        `sealed` has the newest sealed number of each writer.
        """
        for writer, base in self.bases.items():
            orders = [
                (by, seq, order) for by, seq, order in self._told if order.writer == writer and _fits(order, base)
            ]
            if any(by not in strangers and seq <= sealed.get(by, 0) for by, seq, _ in orders):
                continue
            through = max((order.through for by, _, order in orders if by not in strangers), default=0)
            count = base.number
            words = "this segment is missing" if count == 1 else f"{count} segments are missing from here on"
            why = ", and no seal covers the event that retires them" if through else ""
            yield segment.path(writer, 1), words + why


def _fits(order: Retirement, base: Base) -> bool:
    """Return whether the retirement explains this missing beginning; a kill may have left segments that it names."""
    return order.through > base.number or (order.through, order.seq, order.hash) == (base.number, base.seq, base.hash)
