"""An open item, as a list shows it."""

from __future__ import annotations

from datetime import date, timedelta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.planning.notes.entry import Entry


TASK, STEP, BOX, LINE = "task", "step", "box", "line"
"""What is open: a task, a box in the file of one, a box in MEMORY.md, a line of a log or of a list."""


class OpenItem:
    """An open item.

    Fields:
        ref: its reference, long enough to tell it from the others; `written` is the one that stands in its line.
        is_alike: whether another one has the same, since both are written.
        text: what it says, in one line.
        path, line: where its newest wording stands, 1-based.
        form: TASK, STEP, BOX or LINE.
        state: `open` or `waiting`; of a task the word of its file.
        since, last: the first and the newest day that speak of it; empty where no log does.
        days: on how many days it was written.
        due: the ISO date by which it is to be done, or empty.
        is_late: whether that is past.
        is_stale: whether it is open long without a word.
        src: where it comes from, where that is outside: then it is no item of the agent's.
        tags: its tags.
        said: all entries that say it, the newest first; none of a task.
        slug: the task that it is, or is a step of; empty for any other.
    """

    __slots__ = (
        *(
            "days",
            "due",
            "form",
            "is_alike",
            "is_late",
            "is_stale",
            "last",
            "line",
            "path",
            "ref",
            "said",
            "since",
            "slug",
        ),
        *("src", "state", "tags", "text", "written"),
    )

    def __init__(self, ref: str, text: str, path: str, line: int, *, form: str = LINE, state: str = "open") -> None:
        self.ref = ref
        self.written = ref
        self.text = text
        self.path = path
        self.line = line
        self.form = form
        self.state = state
        self.since = self.last = self.due = self.src = self.slug = ""
        self.days = 1
        self.is_alike = self.is_late = self.is_stale = False
        self.tags: tuple[str, ...] = ()
        self.said: list[Entry] = []


_LONGEST_OVERDUE_DAYS = 14
"""What was due earlier asks for nothing today."""
_LAST = "~"


def by_due(rows: Iterable[OpenItem], today: str) -> list[OpenItem]:
    """Return the rows with what is overdue or due first, the earliest date first, and the rest as it was."""
    earliest = (date.fromisoformat(today) - timedelta(_LONGEST_OVERDUE_DAYS)).isoformat()
    return sorted(rows, key=lambda row: row.due if row.due >= earliest else _LAST)
