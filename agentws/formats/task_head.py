"""The first lines of a task file: what its status plainly is, without the rest of it."""

from __future__ import annotations

from agentws.formats import plain_header
from agentws.formats.task import OPEN, OVER

_FENCE = "---"
_MOST_LINES = 64


def status(data: bytes) -> str | None:
    """The status that the front matter at the beginning of `data` tells in lines that can be read in one way only.

    None says nothing: the front matter has to be read in full to know.
    """
    lines = data.decode("utf-8", "surrogateescape").split("\n", _MOST_LINES)[:-1]
    end = next((at for at, line in enumerate(lines) if at and line.startswith(_FENCE)), 0)
    fields = plain_header.fields(lines[: end + 1])
    told = None if fields is None else fields.get("status", "")
    return (told.strip() or OPEN) if isinstance(told, str) else None


def is_plainly_over(data: bytes) -> bool:
    """True where the front matter at the beginning of `data` plainly says so; False says nothing."""
    told = status(data)
    return told is not None and told.lower() in OVER
