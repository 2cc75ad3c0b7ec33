"""Sizes of texts in other programs' units, and byte counts for people."""

from __future__ import annotations


def readable(count: int) -> str:
    """Return a size in bytes for people, such as `1.4 MiB`."""
    if count < 1 << 10:
        return f"{count} bytes"
    return f"{count / (1 << 10):,.1f} KiB" if count < 1 << 20 else f"{count / (1 << 20):,.1f} MiB"


def utf8_bytes(text: str) -> int:
    """Return the size of a text in UTF-8 bytes, as other programs limit it."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def utf16_units(text: str) -> int:
    """Return the size of a text as JavaScript counts it (UTF-16 code units), never less than Python's."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
