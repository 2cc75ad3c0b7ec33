"""The wire format of git's plumbing, input and output: index entries, blobs, commits. Pure."""

from __future__ import annotations

import contextlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

Entry = tuple[str, str]
"""Mode and object id of a path. An absent path is `("0", "000…")`, which is what git reads as a removal."""


def entry_lines(entries: Mapping[str, Entry]) -> bytes:
    """Return index entries as input for `git update-index --index-info`."""
    lines = bytearray()  # not a list: there may be fifty thousand
    for path, (mode, oid) in entries.items():
        lines += f"{mode} {oid}\t{path}\0".encode(errors="surrogateescape")
    return bytes(lines)


def entries(data: bytes, *, oid_at: int) -> dict[str, Entry]:
    """Return the entries in the output of `git ls-tree -z`, or in agentws's own copy; torn ones are left out."""
    result = {}
    for line in data.split(b"\0")[:-1]:
        fields, _, path = line.decode(errors="surrogateescape").partition("\t")
        words = fields.split(" ")
        if path and len(words) > oid_at:
            result[path] = (words[0], words[oid_at])
    return result


def blobs(data: bytes) -> dict[str, bytes]:
    """Return (id → content) of each file in the output of `git cat-file --batch`."""
    contents = {}
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        oid, kind, *size = data[at:end].decode("utf-8", "replace").split(" ")
        at = end + 1
        if size and size[0].isdigit():
            if kind == "blob":
                contents[oid] = data[at : at + int(size[0])]
            at += int(size[0]) + 1
    return contents


def state(text: bytes) -> tuple[str, datetime, str]:
    """Return id, time and message of one `git rev-list` record; an impossible time becomes 1970-01-01."""
    # In Python itself before 3.12: a tenth of an interpreter's start, and no state is read to keep one.
    from datetime import UTC, datetime, timedelta, timezone

    head, when, message = text.decode(errors="replace").removeprefix("commit ").split("\n", 2)
    at = datetime.fromtimestamp(0, UTC)
    with contextlib.suppress(ValueError, OverflowError, OSError):
        seconds, zone = when.split(" ")
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:5])) * (-1 if zone[0] == "-" else 1)
        at = datetime.fromtimestamp(int(seconds), timezone(offset))
    return head, at, message.rstrip("\n")
