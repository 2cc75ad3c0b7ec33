"""The check `identity` of `status`: may this installation write, and are identity files and writers as accepted."""

from __future__ import annotations

from agentws.core.findings import Check
from agentws.core.formats import layout
from agentws.core.identity import write_access
from agentws.core.journal.sealing import writer_join
from agentws.core.stores import facts, identity_drift, writer_trust
from agentws.core.stores.seen import Seen
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError

_NAME = "identity"


def checks(seen: Seen) -> list[Check]:
    """Return the check on this installation's write access, on SOUL.md and on the writers.

    It fails if recorded events are missing, writing is not allowed, SOUL.md changed, a writer is unknown, or
    `identity/` does not list this installation. A copy that is new on this machine is only advice.
    """
    return [_check(seen.stores)]


def _check(stores: Stores) -> Check:
    if not stores.adopted:
        return Check(_NAME, ok=True, says="not adopted yet")
    try:
        known = write_access.Facts(**facts.gather(stores))
        access = write_access.judge(known)
        if access.said:
            well = access.may_write and access.kind != write_access.STALE
            return Check(
                _NAME,
                ok=well,
                says=access.said.rstrip("."),
                remedy=access.remedy,
                advises=access.kind == write_access.NEW,
            )
        if stores.damage is not None:
            return Check(_NAME, ok=True, says=f"unknown: {layout.MANIFEST} is unreadable")
        changed = [notice for notice in identity_drift.notices(stores) if not notice.endswith(identity_drift.TODAY)]
        also = identity_drift.also(stores)
        strangers = writer_trust.of(stores).strangers
        is_told = known.writer is None or writer_join.is_told(stores.files, known.writer)
    except AgentwsError as error:
        return Check(_NAME, ok=False, says=error.message, remedy=error.hint or "agentws identity show")
    if strangers:
        return Check(_NAME, ok=False, says=writer_trust.said(strangers), remedy=writer_trust.VERIFY)
    if changed:
        says, _, remedy = changed[0].partition(". ")
        return Check(_NAME, ok=False, says=says, remedy=remedy)
    if not is_told:
        says = f"{layout.WRITERS} does not list this installation ({known.writer})"
        return Check(_NAME, ok=False, says=says, remedy="To list it again: agentws journal seal")
    says = f"this installation is {known.writer}" if known.writer else "this installation has not written yet"
    says += f"; changed since accepted: {also}" if also else ""
    return Check(_NAME, ok=True, says=says, remedy=identity_drift.ACCEPT if also else "")
