"""Retirement of the journal's beginning by `journal.keep`: what is due, and carrying it out."""

from __future__ import annotations

from datetime import UTC

from agentws import features
from agentws.core.formats import manifest, manifest_tables
from agentws.core.formats.journal import event, segment
from agentws.core.formats.journal.purge import Retirement
from agentws.core.installation import installation
from agentws.core.journal import read
from agentws.core.journal.sealing import purge, retire
from agentws.core.stores import record, seals, writer_trust
from agentws.core.stores.stores import Stores
from agentws.core.text import names
from agentws.errors import AgentwsError, DamagedError
from agentws.features.journal import feature

KEEP = "journal.keep"


def planned(stores: Stores) -> list[str]:
    """Return the RelPaths of the segments that would be retired."""
    return [
        segment.path(retirement.writer, each)
        for retirement in due(stores)
        for each in retire.stands(stores.files, retirement)
    ]


def carry_out(stores: Stores) -> list[str]:
    """Retire segments that are due, and those that any known writer has retired; return their RelPaths."""
    _order(stores, due(stores))
    return _retire(stores)


def due(stores: Stores) -> list[Retirement]:
    """Return the due retirements of this installation's journals, the present one and those before a renewal."""
    own = stores.installation()
    keep = str(stores.manifest.setting(KEEP))
    if not keep or own is None:
        return []
    # A clock that jumped ahead retires no more than the newest event allows.
    newest = read.newest_line(stores.files, own.writer)
    at = event.decode(newest, writer=own.writer).at[:10] if newest else ""
    today = min(stores.clock.now().astimezone(UTC).date().isoformat(), at or "9999-12-31")
    cutoff = manifest_tables.last_retained_day(keep, KEEP, today)
    writers = dict.fromkeys((*installation.former(own), own.writer))
    retirements = [retirement for writer in writers if (retirement := retire.due(stores.files, writer, cutoff))]
    return _without_workflows(stores, retirements, cutoff) if retirements else []


def _without_workflows(stores: Stores, wanted: list[Retirement], cutoff: str) -> list[Retirement]:
    """Return the retirements without the events of workflows that are not old; a notice names those that go.

    A step without its record would be done again, so a workflow is retired as a whole, by its newest event.
    """
    flows = [flow for steps_begun in features.each("steps_begun") for flow in steps_begun(stores.whole)]
    kept = {retirement.writer: 0 for retirement in wanted}
    for _, at, begun in flows:
        if at >= cutoff:
            for writer, seq in begun:
                kept[writer] = min(kept.get(writer) or seq, seq)
    retirements = [
        retirement
        for each in wanted
        if (retirement := retire.due(stores.files, each.writer, cutoff, kept=kept[each.writer]))
    ]
    ends = {retirement.writer: retirement.seq for retirement in retirements}
    over = [name for name, _, begun in flows if any(seq <= ends.get(writer, 0) for writer, seq in begun)]
    if over:
        stores.notices.append(
            f"The journal forgets these workflows: {names.some(over)}. "
            "A program that begins one of them repeats its steps."
        )
    return retirements


def _order(stores: Stores, wanted: list[Retirement]) -> None:
    """Record the retirements in the journal and seal them: nothing is removed without a seal."""
    if not wanted:
        return
    by = stores.appender().writer
    new = [retirement for retirement in wanted if not retire.is_told(stores.files, by, retirement)]
    happenings = [record.Happening(event.RETIRED, retirement.body(), session=record.NOBODY) for retirement in new]
    if happenings:
        stores.notices += record.record(stores, happenings)[1]
    try:
        stores.notices += seals.seal(stores).notices
    except AgentwsError as error:
        stores.notices.append(f"Nothing was retired: {error.message} {error.hint or ''}".rstrip())


def _retire(stores: Stores) -> list[str]:
    """Remove segments that any known writer has retired, on this machine or another; return their RelPaths."""
    from agentws.core.stores import order_trust

    gone: list[str] = []
    if any(read.retired(stores.files, writer) for writer in read.writers(stores.files)):
        feature.require(stores, manifest.JOURNAL_RETIRED)  # an earlier manifest may have been restored
    strangers = writer_trust.remembered(stores).strangers
    good = order_trust.OrderTrust(stores).is_sealed
    orders = [order for order, _ in retire.orders(stores.files, good, but=strangers)]
    for order in orders:
        if retire.stands(stores.files, order):
            feature.require(stores, manifest.JOURNAL_RETIRED)
            try:
                gone += retire.carry_out(stores.files, order)
            except DamagedError as error:
                stores.notices.append(f"{error.message} {error.hint or ''}".rstrip())
    for order in orders if not gone else ():
        # A run that was killed at its last segment may have left its old file, or the blobs.
        retire.clear(stores.files, order)
        purge.sweep(stores.files, order.writer)
    return gone
