"""The check `journal` of `status`: number of events, newest one, seals and size, without reading the whole journal."""

from __future__ import annotations

from agentws.core.disk import local_dir
from agentws.core.findings import Check
from agentws.core.installation import installation
from agentws.core.journal import read, recovery, select, size, sync_failure
from agentws.core.stores import writer_trust
from agentws.core.text import sizes
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.seen import Seen
    from agentws.core.stores.stores import Stores

_NAME = "journal"
_SMALL_BYTES = 1 << 20


def checks(seen: Seen) -> list[Check]:
    """Return the check on the journal; it fails if events were or may be lost, or if sealing fails.

    Only `journal verify` shows whether all events are as they were written.
    """
    return [_check(seen.stores)]


def _check(stores: Stores) -> Check:
    try:
        writers = writer_trust.known(stores)
        here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state)
        if here is not None and sync_failure.stands(stores.files, here.writer):
            says = "a disk error lost an event"
            return Check(_NAME, ok=False, says=says, remedy="Check the disk. The next event verifies the journal.")
        if here is not None:
            recovery.check_end(stores.files, here)
        counted = sum(read.last_seq(stores.files, writer) for writer in writers)
        newest = max(filter(None, (_newest(stores, writer) for writer in writers)), key=lambda e: e.at, default=None)
    except AgentwsError as error:
        return Check(_NAME, ok=False, says=error.message, remedy=error.hint or "agentws journal verify")
    failure = local_dir.seal_failure(stores.files)
    if failure:
        return Check(
            _NAME, ok=False, says=f"not sealed since {failure}", remedy="Fix the cause, then: agentws journal seal"
        )
    if newest is None:
        return Check(_NAME, ok=True, says="no events yet")
    many = f" by {len(writers)} writers" if len(writers) > 1 else ""
    at = newest.at[:16].replace("T", " ")
    says = f"{counted:,} event{'s' * (counted != 1)}{many}, the newest {at} UTC{_size(stores, writers)}"
    return Check(_NAME, ok=True, says=says)


def _size(stores: Stores, writers: list[str]) -> str:
    """Return the size of the journals, the compressed share and the growth as text; empty for small ones."""
    found = size.of(stores.files, writers)
    if found.bytes < _SMALL_BYTES:
        return ""
    share = f" ({found.packed * 100 // found.bytes}% compressed)" if found.packed else ""
    growth = f", {sizes.readable(found.monthly)} of events a month" if found.monthly else ""
    return f"; {sizes.readable(found.bytes)}{share}{growth}"


def _newest(stores: Stores, writer: str) -> Event | None:
    found = select.Reader(stores.files, select.Wanted()).newest(writer, 1)
    return found[0] if found else None
