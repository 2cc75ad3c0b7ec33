"""Compression of old journal segments: the compressed file is written and read back before the plain one is removed.

While both exist, the plain one counts. Every step may be repeated. Specified in docs/format/journal.md.
"""

from __future__ import annotations

from agentws.core.disk import lock
from agentws.core.disk.files import Files
from agentws.core.formats import digest
from agentws.core.formats.journal import chain, packed, segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import read, unpacked
from agentws.errors import AgentwsError, DamagedError, MissingFileError

NEWEST = 8
"""The number of newest segments of a writer that are never compressed."""
OLD = ".agentws-old"
_REFERENCES = ("open", "errors", "significant", "begun", "handed")


def due(files: Files, writer: str) -> list[int]:
    """Return the numbers of a writer's segments to compress, in order: not the newest, and none that the newest refers
    to. Empty if that cannot be determined.
    """
    numbers = read.segments(files, writer)
    plain = {segment.number_of(name) for name in files.unsorted(segment.packed_folder(writer).rpartition("/")[0])}
    old = [number for number in numbers[:-NEWEST] if number in plain]
    if not old:
        return []
    try:
        held = _referred(files, writer, numbers[-1])
    except (DamagedError, MissingFileError, ValueError, KeyError, TypeError):
        return []  # `journal verify` names what is wrong
    return [number for number in old if number not in held]


def _referred(files: Files, writer: str, number: int) -> set[int]:
    """Return the numbers of the segments that the first line of a segment refers to."""
    first = read.beginning(files, segment.path(writer, number), chain.LINE_LIMIT_BYTES).partition(b"\n")[0]
    body = plainjson.loads(first)["body"]
    return {ref["segment"] for name in _REFERENCES for ref in body.get(name, ())}


def pack(files: Files, writer: str, number: int) -> tuple[int, int]:
    """Compress a closed segment; returns its size in bytes before and after, (0, 0) if another process did it.

    DamagedError if a line was changed: then the segment stays as it is.
    """
    path = segment.path(writer, number)
    place = segment.packed_path(path)
    try:
        data = files.read(path, limit_bytes=unpacked.MOST_BYTES)
    except MissingFileError:
        return 0, 0
    check(path, data)
    made = packed.pack(data)
    files.make_folder(segment.packed_folder(writer))
    with lock.Lock(files, lock.APPEND):
        try:
            files.status(path)
        except MissingFileError:
            return 0, 0
        files.replace(place, made, expects=files.digest(place))
        files.settle(place, expects=files.digest(place))
        if unpacked.lines(place, files.read(place)) != data:
            raise DamagedError(f"{place}: differs from what was written.", hint="Check the disk, then re-run.")
        files.remove(path, expects=digest.of(data))
    return len(data), len(made)


def place(files: Files, writer: str, number: int) -> str:
    """Return the RelPath of a segment, compressed or not, removing a leftover copy. The caller holds the append
    lock.
    """
    path = segment.path(writer, number)
    place = segment.packed_path(path)
    if not files.exists(path):
        return place
    if files.exists(place):  # a killed `pack` left it
        files.remove(place, expects=files.digest(place))
    return path


def lines(path: str, stored: bytes) -> bytes:
    """Return the lines of the segment at `path` from its stored bytes, compressed or not."""
    return unpacked.lines(path, stored) if path.endswith(segment.GZ) else stored


def stored(path: str, lines: bytes) -> bytes:
    """Return the bytes to store for these lines at `path`, compressed if the path says so."""
    return packed.pack(lines) if path.endswith(segment.GZ) else lines


def check(path: str, data: bytes) -> None:
    """Raise DamagedError if the chain of a segment's lines is broken."""
    if wrong := chain.unbroken(data).wrong:
        raise DamagedError(
            f"{path}: damaged, so it was not compressed: {wrong}.", hint="To list all damage: agentws journal verify"
        )


def clear(files: Files, writer: str) -> None:
    """Remove what a killed `pack` has left beside a writer's segments. The caller holds the append lock."""
    for name in files.unsorted(segment.packed_folder(writer).rpartition("/")[0]):
        number = segment.number_of(name[1:].removesuffix(OLD)) if name.endswith(OLD) else None
        if not number or files.exists(segment.path(writer, number)):
            continue
        try:
            lines = unpacked.content(files, segment.path(writer, number))
        except AgentwsError:
            continue  # what is left may be all there is
        files.settle(segment.path(writer, number), expects=digest.of(lines))
