"""The closure of open items: their rows in a list, and changes that close one, a log line or a ticked box. Pure."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.documents import daily
from agentws.core.formats.journal import summary
from agentws.core.markdown import markdown, notes
from agentws.core.notes.entry import DONE, DROPPED, OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.formats.documents.task import Task
    from agentws.core.notes.entry import Entry

TASK, STEP, BOX, LINE, APPROVAL = "task", "step", "box", "line", "approval"
"""What is open: a task, a box in the file of one, a box in MEMORY.md, a line of a log, a question to a person."""
STALE_DAYS = 14
"""What no day has mentioned for longer is stale: only the list of `todo --stale` asks."""
_LONGEST_CHARS = 200
_CROSS = "❌"
_DRAWN, _TICKED = ("☐", "⬜"), "☑"


class Row(Result):
    """An open item that can be closed, as a row of `agentws todo`.

    Fields:
        ref: its reference, long enough to be unique.
        text: its text, in one line.
        path, line: where its newest wording is, 1-based.
        form: TASK, STEP, BOX, LINE or APPROVAL.
        state: `open` or `waiting`; for a task the status in its file.
        since, last: the first and the newest day of a log with it; empty without one.
        days: the number of days on which it was written.
        due: its due date (ISO), or empty.
        is_late: whether the due date is past.
        is_stale: whether no log has mentioned it for long.
        src: the origin of an item from outside, which is not the agent's.
        tags: its tags.
        said: all entries with it, newest first; empty for a task.
        slug: the task that it is, or is a step of; else empty.
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
    """The open items of a workspace that can be closed.

    `rows` are the agent's own: those of `core/notes/open_items.py` in its order, then those of the features. `outside`
    are items from outside, which are not the agent's. `entries` are all entries that were read, by file; `closed` are
    those that were open, each with the entry that closed it. `unread` says of each file that was not read why; the
    notices do so too.
    """

    __slots__ = ("closed", "entries", "notices", "outside", "rows", "unread")

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.outside: list[Row] = []
        self.notices: list[str] = []
        self.unread: list[str] = []
        self.entries: list[list[Entry]] = []
        self.closed: dict[Entry, Entry] = {}


def words(text: str, note: str) -> str:
    """Return the text of the log line for the closure of an item: the item, and the note about it."""
    shortened = summary.cut(text, _LONGEST_CHARS)
    return f"{shortened}: {note.strip()}" if note.strip() else shortened


def can_be_ticked(entry: Entry) -> bool:
    """Return whether an entry's closure is a tick: a check box of MEMORY.md or a task (docs/format/task.md)."""
    is_step = entry.path.startswith(f"{layout.TASKS}/")
    return not entry.day and notes.has_box(entry.first) and not (is_step and "[" not in entry.first)


def ticked(text: str, boxes: Sequence[Entry], kind: str) -> str | None:
    """Return the document with these closed entries' boxes ticked, or crossed if dropped; no other line changes.

    None if one of them is no longer in the document.
    """
    lines = text.split("\n")
    plain = [line.rstrip("\r") for line in lines]
    for entry in boxes:
        first, at = entry.first.rstrip("\r"), entry.line - 1
        if plain[at : at + 1] != [first]:
            if first not in plain:
                return None
            at = plain.index(first)
        lines[at] = _ticked(lines[at], kind)
        plain[at] = ""
    return "\n".join(lines)


def numbers(task: Task, boxes: Sequence[Entry]) -> list[int]:
    """Return the numbers (from 1) that the boxes of entries to close have in their task, without checked ones."""
    wanted = [entry.first[markdown.marker(entry.first) + 3 :].strip() for entry in boxes]
    return [number for number, (text, checked) in enumerate(task.boxes, 1) if not checked and text in wanted]


def _ticked(line: str, kind: str) -> str:
    at = markdown.marker(line)
    cross = f" {_CROSS}" if kind == daily.DROPPED else ""
    indent = len(line[at:]) - len(line[at:].lstrip())
    if line[at + indent :].startswith(_DRAWN):
        at += indent
        return f"{line[:at]}{_TICKED}{cross}{line[at + 1 :]}"
    return f"{line[:at]}[x]{cross}{line[at + 3 :]}"


def closed_items(files: Sequence[Sequence[Entry]], closed: dict[Entry, Entry]) -> list[Row]:
    """Return a row for each closed item, newest first.

    Place, day (`last`) and state of a row are those of the line that closed it. `closed` has the entries that were
    open, each with that line.
    """
    itself = [entry for entries in files for entry in entries if entry.state in OVER and not entry.closes]
    rows = []
    for entry, by in (*closed.items(), *zip(itself, itself, strict=True)):
        row = Row(entry.ref, entry.body.strip(), by.path, by.line, state=state_by(by))
        row.last = by.day
        row.said = [entry]
        rows.append(row)
    return sorted(rows, key=lambda row: row.last, reverse=True)


def state_by(closing: Entry) -> str:
    """Return the state of an item after its closure by this entry: `done` (also by a newer list), or `dropped`."""
    return DROPPED if closing.state == DROPPED else DONE
