"""A row of the list of what is open."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.planning.notes.entry import Entry


TASK, STEP, BOX, LINE, APPROVAL = "task", "step", "box", "line", "approval"
"""What is open: a task, a box in the file of one, a box in MEMORY.md, a line of a log, a question to a person."""
STALE_DAYS = 14
"""What no day has mentioned for longer is stale: only the list of `todo --stale` asks."""


class Row:
    """A row of the list.

    Fields:
        ref: its reference, long enough to tell it from the others.
        text: what it says, in one line.
        path, line: where its newest wording is, 1-based.
        form: TASK, STEP, BOX, LINE or APPROVAL.
        state: `open` or `waiting`; of a task the word of its file.
        since, last: the first and the newest day that say it; empty where no log does.
        days: on how many days it was written.
        due: the ISO date by which it is to be done, or empty.
        is_late: whether that is past.
        is_stale: whether no day has mentioned it for long.
        src: where it comes from, where that is outside: then it is no item of the agent's.
        tags: its tags.
        said: all entries that say it, the newest first; none of a task.
        slug: the task that it is, or is a step of; empty for any other.
    """

    __slots__ = (
        *("days", "due", "form", "is_late", "is_stale", "last", "line", "path", "ref", "said", "since", "slug"),
        *("src", "state", "tags", "text"),
    )

    def __init__(self, ref: str, text: str, path: str, line: int, *, form: str = LINE, state: str = "open") -> None:
        self.ref = ref
        self.text = text
        self.path = path
        self.line = line
        self.form = form
        self.state = state
        self.since = self.last = self.due = self.src = self.slug = ""
        self.days = 1
        self.is_late = self.is_stale = False
        self.tags: tuple[str, ...] = ()
        self.said: list[Entry] = []


class Open:
    """The open items. `rows` are the agent's own: those of `planning/notes/open_items.py` in its order, then those of
    the features. `outside` is what others wrote, which is no item of the agent's. `entries` are all that were read, by
    file; `closed` are those that were open, each with the entry that closed it.
    """

    __slots__ = ("closed", "entries", "notices", "outside", "rows")

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.outside: list[Row] = []
        self.notices: list[str] = []
        self.entries: list[list[Entry]] = []
        self.closed: dict[Entry, Entry] = {}
