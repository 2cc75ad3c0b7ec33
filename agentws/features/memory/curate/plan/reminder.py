"""The reminder that MEMORY.md waits for its author, for boot's header or the end of a turn. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_FEWEST_DAYS = 3
"""So many logs since the last answer are worth a look."""


def what(logged: Iterable[str], *, answered: str) -> str:
    """Return how many days of notes wait, in words; empty for few.

    `logged` are the days with a log, `answered` that of the newest answer to a brief.
    """
    days = sum(day > answered for day in logged)
    return f"{days} days of notes for MEMORY.md" if days >= _FEWEST_DAYS else ""
