"""The length of a text in the units in which others limit it, and a size as people read it."""

from __future__ import annotations


def readable(count: int) -> str:
    """A number of bytes, for people."""
    if count < 1 << 10:
        return f"{count} bytes"
    return f"{count / (1 << 10):,.1f} KiB" if count < 1 << 20 else f"{count / (1 << 20):,.1f} MiB"


def utf8_bytes(text: str) -> int:
    """Bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def utf16_units(text: str) -> int:
    """Characters as JavaScript counts them (UTF-16 code units): never fewer than Python counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
