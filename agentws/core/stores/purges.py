"""Purging event bodies for a verb: an order for each is recorded durably, then carried out.

Every step may be repeated: the next purge or seal finishes what a killed process left half done.
"""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats.journal import chain, event, purge, segment
from agentws.core.journal import read
from agentws.core.journal.sealing import purge as _purge
from agentws.core.stores import record
from agentws.core.stores.record import Happening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.order_trust import OrderTrust
    from agentws.core.stores.stores import Stores


class PurgedEvent(Result):
    """An event to purge: `size` (bytes) of its body, its `blob`, and the outcome.

    `already`: it was purged before. `waiting`: its writer has yet to do it. `why` is the id of the `purged` event.
    """

    def __init__(self, entry: Event, size: int, blob: str | None) -> None:
        self.cursor = entry.cursor
        self.writer = entry.writer
        self.seq = entry.seq
        self.digest = entry.digest
        self.session = entry.session
        self.kind = entry.kind
        self.at = entry.at
        self.size = size
        self.blob = blob
        self.already = entry.purged is not None
        self.why = entry.purged
        self.waiting = False


def line(stores: Stores, entry: Event, stored: bytes) -> PurgedEvent:
    """Return the order to purge an event with the line `stored`; UsageError for a structural event."""
    purge.check_kind(entry.kind, where=entry.cursor)
    name = purge.blob(stored)
    size = len(stored) - len(chain.header(stored))
    if name is not None and stores.files.exists(segment.blob_path(entry.writer, name)):
        size += stores.files.size(segment.blob_path(entry.writer, name))
    return PurgedEvent(entry, size, name)


def named(stores: Stores, writer: str, seq: int) -> PurgedEvent:
    """Return the order to purge the event with this number, as `line` does; MissingFileError if it is missing."""
    entry = read.find(stores.files, writer, seq)
    return line(stores, entry, read.line_of(stores.files, entry))


def forget(stores: Stores, lines: Sequence[PurgedEvent], *, reason: str) -> list[str]:
    """Purge the bodies of these events and record the reason; returns notices. Each order then has its outcome."""
    return [*_order(stores, lines, reason), *_carry_out(stores, lines)]


def _order(stores: Stores, lines: Sequence[PurgedEvent], reason: str) -> list[str]:
    """Record a durable order for each event that has none yet."""
    good = _trust(stores).is_good
    known = {
        (order.writer, order.seq, order.digest): order.id
        for order, entry in _purge.orders(stores.files, but=_strangers(stores))
        if good(entry)
    }
    for purged in lines:
        purged.why = purged.why or known.get((purged.writer, purged.seq, purged.digest))
    new = [purged for purged in lines if not purged.why]
    wanted = [
        Happening(event.PURGE, purge.body(writer=purged.writer, seq=purged.seq, digest=purged.digest, reason=reason))
        for purged in new
    ]
    recorded, notices = record.record(stores, wanted) if wanted else ([], [])
    for purged, order in zip(new, recorded, strict=True):
        purged.why = order.id
    return notices


def _strangers(stores: Stores) -> set[str]:
    from agentws.core.stores import writer_trust

    return writer_trust.of(stores).unknown


def _trust(stores: Stores) -> OrderTrust:
    from agentws.core.stores import order_trust  # not where only a plan is made

    return order_trust.OrderTrust(stores)


def _carry_out(stores: Stores, lines: Sequence[PurgedEvent]) -> list[str]:
    stores.appender()  # who only does again what was done before must be somebody, too
    own = stores.installation()
    assert own is not None
    trust = _trust(stores)
    carried = _purge.carry_out(
        stores.files, own, trust.is_good, is_over=trust.is_over, again=True, strangers=_strangers(stores)
    )
    for purged in lines:
        purged.waiting = purged.cursor in carried.waiting
    still = [
        f"{purged.cursor} is in an open segment. The writer of the event purges it at its next sync or seal."
        for purged in lines
        if purged.waiting
    ]
    return [*carried.notices, *still]
