"""The size of the journal on disk and its growth, from file sizes alone, without reading the files."""

from __future__ import annotations

import os
from datetime import datetime

from agentws.core.disk.dir_cache import Held
from agentws.core.formats import layout
from agentws.core.formats.journal import segment
from agentws.core.journal import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.disk.files import Files

_NEWEST = 8
"""The number of newest segments of a writer, never compressed, from which its growth is estimated."""
_DAY_S = 86_400
_MONTH_DAYS = 30
_AT = b'"at":"'


class JournalSize:
    """The `bytes` of all segments and blobs, the part of compressed segments (`packed`), and the bytes of events that a
    month adds before compression (`monthly`; None with less than a day of events).
    """

    __slots__ = ("bytes", "monthly", "packed")

    def __init__(self, bytes: int, packed: int, monthly: int | None) -> None:
        self.bytes = bytes
        self.packed = packed
        self.monthly = monthly


def of(files: Files, writers: Iterable[str]) -> JournalSize:
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
        with os.scandir(held.folder(folder)) as found:
            return {one.name: one.stat(follow_symlinks=False).st_size for one in found if one.is_file()}
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
