"""Compressed segments: gzip of their lines. Specified in docs/format/journal.md.

The same lines give the same file under one version of zlib.
"""

from __future__ import annotations

import zlib

_LEVEL = 6
_GZIP = 16 + zlib.MAX_WBITS
_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""Of gzip: no name, no time, no system."""


def pack(data: bytes) -> bytes:
    """Pack these journal lines: return them compressed."""
    made = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    trailer = zlib.crc32(data).to_bytes(4, "little") + (len(data) & 0xFFFFFFFF).to_bytes(4, "little")
    return _HEADER + made.compress(data) + made.flush() + trailer


def unpack(data: bytes, limit_bytes: int) -> bytes:
    """Return the lines of a packed (compressed) segment; ValueError if damaged or larger than `limit_bytes`."""
    stream = zlib.decompressobj(_GZIP)
    try:
        content = stream.decompress(data, limit_bytes + 1)
    except zlib.error as error:
        raise ValueError("the compressed data is damaged") from error
    if len(content) > limit_bytes:
        raise ValueError(f"the compressed data holds more than {limit_bytes:,} bytes")
    if not stream.eof:
        raise ValueError("the compressed data is cut off")
    if stream.unused_data:
        raise ValueError("something follows the compressed data")
    return content


def beginning(data: bytes, count: int) -> bytes:
    """Return the first `count` bytes of a packed segment's lines; ValueError if it is damaged.

    Fewer if `data` is only the beginning of the compressed data.
    """
    try:
        return zlib.decompressobj(_GZIP).decompress(data, count)
    except zlib.error as error:
        raise ValueError("the compressed data is damaged") from error
