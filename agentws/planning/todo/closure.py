"""What closing an item changes: the line that says so, and the box that is ticked."""

from __future__ import annotations

from agentws.formats import layout
from agentws.formats.documents import daily
from agentws.formats.journal import summary
from agentws.formats.markdown import markdown, notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.documents.task import Task
    from agentws.planning.notes.entry import Entry

_LONGEST_CHARS = 200
_CROSS = "❌"
_DRAWN, _TICKED = ("☐", "⬜"), "☑"


def words(text: str, note: str) -> str:
    """What the line in the log says: the item, and what is noted about it."""
    said = summary.cut(text, _LONGEST_CHARS)
    return f"{said}: {note.strip()}" if note.strip() else said


def can_be_ticked(entry: Entry) -> bool:
    """Return whether an entry is a box of MEMORY.md or of a task, whose steps have brackets (docs/format/task.md)."""
    is_step = entry.path.startswith(f"{layout.TASKS}/")
    return not entry.day and notes.has_box(entry.first) and not (is_step and "[" not in entry.first)


def ticked(text: str, boxes: Sequence[Entry], kind: str) -> str | None:
    """The document with the boxes of these entries ticked, and crossed where they are dropped; no other line changes.

    None where one of them does not stand there any more.
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


def numbers(one: Task, boxes: Sequence[Entry]) -> list[int]:
    """The numbers, from 1, that the boxes of these entries have in their task; none that is checked already."""
    wanted = [entry.first[markdown.marker(entry.first) + 3 :].strip() for entry in boxes]
    return [number for number, (text, checked) in enumerate(one.boxes, 1) if not checked and text in wanted]


def _ticked(line: str, kind: str) -> str:
    at = markdown.marker(line)
    cross = f" {_CROSS}" if kind == daily.DROPPED else ""
    indent = len(line[at:]) - len(line[at:].lstrip())
    if line[at + indent :].startswith(_DRAWN):
        at += indent
        return f"{line[:at]}{_TICKED}{cross}{line[at + 1 :]}"
    return f"{line[:at]}[x]{cross}{line[at + 3 :]}"
