"""What stands first in a list of what is open. Pure."""

from __future__ import annotations

from datetime import date, timedelta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.planning.todo.row import Row

_LONGEST_OVERDUE_DAYS = 14
"""What was due earlier asks for nothing today."""
_LAST = "~"


def by_due(rows: Iterable[Row], today: str) -> list[Row]:
    """Return the rows with what is overdue or due first, the earliest date first, and the rest as it was."""
    earliest = (date.fromisoformat(today) - timedelta(_LONGEST_OVERDUE_DAYS)).isoformat()
    return sorted(rows, key=lambda row: row.due if row.due >= earliest else _LAST)
