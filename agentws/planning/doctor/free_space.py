"""Whether the disk has room for what is still to be written. Pure."""

from __future__ import annotations

_FULL_BYTES, _TIGHT_BYTES = 64 << 10, 5 << 20
"""Less than a few blocks: nothing can be recorded. Less than a day or two of a busy agent: soon."""
_FULL_FILES, _TIGHT_FILES = 1, 50
REMEDY = "Free some space: what is written until then may fail. Nothing that was written is lost."


def is_full(left: tuple[int, int] | None) -> bool:
    """True where (bytes, files) is too little for anything; where it is not known, False."""
    return left is not None and (left[0] < _FULL_BYTES or left[1] < _FULL_FILES)


def said(left: tuple[int, int] | None) -> str:
    """What is to be said of the room that is left, empty where there is enough of it."""
    if left is None:
        return ""
    size, files = left
    if is_full(left):
        what = "room" if size < _FULL_BYTES else "room for another file"
        return f"the disk is full: there is no {what}, and nothing can be recorded"
    if size < _TIGHT_BYTES:
        return f"the disk is nearly full: {size // 1024:,} KiB are left"
    return f"the disk is nearly full: there is room for {files:,} more files" if files < _TIGHT_FILES else ""
