"""The status of a task, read from the first lines of its file alone."""

from __future__ import annotations

from agentws.core.formats.documents import plain_header
from agentws.core.formats.documents.task import OPEN, OVER

_NEXT_FENCE = b"\n---"
_MOST_LINES = 64
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_MOST_KNOWN = 256
_known: dict[bytes, str | None] = {}
_STATUS, _AROUND = b"\nstatus:", b" \t\r\"'"
_OVER = frozenset(word.encode() for word in OVER)


def status(data: bytes) -> str | None:
    """Return a task's status from the head of its file, `data`; None if that needs a full parse."""
    fence = data.find(_NEXT_FENCE)
    end = data.find(b"\n", fence + 1) if fence > 0 else -1
    if end < 0:
        return None
    # The headers of many tasks differ in their times alone, and one digit is read like any other.
    shape = data[:end].translate(_DIGITS)
    if shape not in _known:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[shape] = _status(shape)
    text = _known[shape]
    return _status(data[:end]) if text is None or "0" in text else text


def _status(head: bytes) -> str | None:
    fields = plain_header.fields(head.decode("utf-8", "surrogateescape").split("\n", _MOST_LINES))
    stated = None if fields is None else fields.get("status", "")
    return (stated.strip() or OPEN) if isinstance(stated, str) else None


def is_plainly_over(data: bytes) -> bool:
    """Return whether the head of a task's file plainly says that it is over; False means unknown."""
    at = data.find(_STATUS, 0, max(0, data.find(_NEXT_FENCE)))
    begin = at + len(_STATUS)
    # Most that are not over tell it here, without a look at the other lines.
    if at < 0 or data[begin : data.find(b"\n", begin)].strip(_AROUND).lower() not in _OVER:
        return False
    text = status(data)
    return text is not None and text.lower() in OVER
