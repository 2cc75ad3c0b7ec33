"""The check `journal` of `status`: number of events, newest one, seals and size, without reading the whole journal."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime

from agentws.core.disk import clock, local_dir
from agentws.core.disk.dir_cache import Held
from agentws.core.disk.files import Files
from agentws.core.findings import Check
from agentws.core.formats import layout
from agentws.core.formats.journal import event, segment
from agentws.core.formats.journal.event import Event
from agentws.core.installation.installation import Installation
from agentws.core.journal import head, read, recovery, select, sync_failure
from agentws.core.stores import writer_trust
from agentws.core.stores.seen import Seen
from agentws.core.stores.stores import Stores
from agentws.core.text import sizes
from agentws.errors import AgentwsError

_NAME = "journal"
_SMALL_BYTES = 1 << 20
_NEWEST = 8
"""The number of newest segments of a writer, never compressed, from which its growth is estimated."""
_ORDERED = 3
"""The number of newest segments in which an unsealed order is looked for: each purge begins a new one."""
_ORDERS = tuple(f'"kind":"{kind}"'.encode() for kind in event.ORDERS)
_DAY_S = 86_400
_MONTH_DAYS = 30
_AT = b'"at":"'


def checks(seen: Seen) -> list[Check]:
    """Return the check on the journal; it fails if events were or may be lost, or if sealing fails.

    Only `journal verify` shows whether all events are as they were written.
    """
    return [_check(seen.stores)]


def _check(stores: Stores) -> Check:
    try:
        writers = writer_trust.known(stores)
        own = stores.installation()
        if own is not None and sync_failure.stands(stores.files, own.writer):
            says = "a disk error lost an event"
            return Check(_NAME, ok=False, says=says, remedy="Check the disk. The next event verifies the journal.")
        if own is not None:
            recovery.check_end(stores.files, own)
            _check_orders(stores.files, own)
            if cut := _of_cut(stores.files, own):
                return cut
        elif older := _of_replaced(stores):
            return older
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
    at = clock.local(newest.at, stores.clock.now())
    says = f"{counted:,} event{'s' * (counted != 1)}{many}, the newest {at}{_size(stores, writers)}"
    return Check(_NAME, ok=True, says=says)


def _check_orders(files: Files, own: Installation) -> None:
    """Raise DamagedError if a new line of the journal is an order that this installation has not given."""
    newest = (
        block
        for number in read.newest(files, own.writer, _ORDERED)
        for _, block in read.blocks(files, own.writer, number)
    )
    if any(word in block for block in newest for word in _ORDERS):
        from agentws.core.journal.sealing import seal  # few journals have an order

        seal.check_orders(files, own)


def _of_cut(files: Files, own: Installation) -> Check | None:
    """Return the failed check of a journal that ends before this installation's newest seal, else None."""
    sealed = head.own_seal(own)
    if sealed is None or read.last_seq(files, own.writer) >= sealed[0]:
        return None
    says = f"lacks {own.writer}:{sealed[0]}, which this machine has sealed: it was removed, or an older copy restored"
    remedy = "Restore the newer journal/, or fetch it: agentws sync. If it is lost: agentws journal renew"
    return Check(_NAME, ok=False, says=says, remedy=remedy)


def _of_replaced(stores: Stores) -> Check | None:
    """Return the failed check of a folder that lacks events of the one that was at this path before, else None."""
    from agentws.core.identity import join  # only before the first write
    from agentws.features.journal import verify

    marks = verify.replaced_marks(*stores.machine)
    lost = next((mark for mark in reversed(marks) if not join.holds(stores.files, mark)), None)
    if lost is None:
        return None
    says = f"lacks {lost.writer}:{lost.seq}, which the folder that was here before had"
    remedy = (
        "Restore the newer journal/, or fetch it: agentws sync. If it is lost: the next event begins a new journal."
    )
    return Check(_NAME, ok=False, says=says, remedy=remedy)


def _size(stores: Stores, writers: list[str]) -> str:
    """Return the size of the journals, the compressed share and the growth as text; empty for small ones."""
    journal_size = size(stores.files, writers)
    if journal_size.bytes < _SMALL_BYTES:
        return ""
    share = f" ({journal_size.packed * 100 // journal_size.bytes}% compressed)" if journal_size.packed else ""
    growth = f", {sizes.readable(journal_size.monthly)} of events a month" if journal_size.monthly else ""
    return f"; {sizes.readable(journal_size.bytes)}{share}{growth}"


def _newest(stores: Stores, writer: str) -> Event | None:
    events = select.Reader(stores.files, select.Wanted()).newest(writer, 1)
    return events[0] if events else None


class JournalSize:
    """The `bytes` of all segments and blobs, the part of compressed segments (`packed`), and the bytes of events that a
    month adds before compression (`monthly`; None with less than a day of events).
    """

    __slots__ = ("bytes", "monthly", "packed")

    def __init__(self, bytes: int, packed: int, monthly: int | None) -> None:
        self.bytes = bytes
        self.packed = packed
        self.monthly = monthly


def size(files: Files, writers: Iterable[str]) -> JournalSize:
    """Return the size of the journals of these writers."""
    whole = packed = 0
    rates = []
    held = Held(files.root)
    try:
        for writer in writers:
            sizes = _sizes(held, f"{layout.JOURNAL}/{writer}")
            old = sum(_sizes(held, segment.packed_folder(writer)).values())
            blobs = sum(_sizes(held, segment.blob_path(writer, "")[:-1]).values())
            whole, packed = whole + sum(sizes.values()) + old + blobs, packed + old
            rates.append(_monthly(files, writer, sizes))
    finally:
        held.close()
    known = [rate for rate in rates if rate is not None]
    return JournalSize(whole, packed, sum(known) if known else None)


def _sizes(held: Held, folder: str) -> dict[str, int]:
    try:
        with os.scandir(held.folder(folder)) as entries:
            return {entry.name: entry.stat(follow_symlinks=False).st_size for entry in entries if entry.is_file()}
    except OSError:
        return {}  # no such folder, or a file that went meanwhile


def _monthly(files: Files, writer: str, sizes: dict[str, int]) -> int | None:
    """Return the bytes that a writer adds in a month, estimated from its newest segments; None if unknown."""
    numbers = read.newest(files, writer, _NEWEST)
    began = _moment(read.beginning(files, segment.path(writer, numbers[0]), 1 << 9)) if numbers else None
    ended = _moment(read.newest_line(files, writer)) if numbers else None
    if began is None or ended is None or ended - began < _DAY_S:
        return None
    written = sum(sizes.get(segment.path(writer, number).rpartition("/")[2], 0) for number in numbers)
    return round(written / (ended - began) * _DAY_S * _MONTH_DAYS)


def _moment(line: bytes) -> float | None:
    start = line.find(_AT) + len(_AT)
    try:
        return datetime.fromisoformat(line[start : line.find(b'"', start)].decode("ascii")).timestamp()
    except (ValueError, OverflowError):
        return None
