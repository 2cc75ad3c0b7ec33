"""The lines of logs and memory in which is looked for what stands and what matters: text, when, where, what it says."""

from __future__ import annotations

import re

from agentws.formats import markdown
from agentws.planning.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.excerpt import Entry

_LONGEST_LABEL_CHARS = 100
_NUMBER = re.compile(r"\d+")
_CLOCK = re.compile(r"^\s*[-*+]?\s*(?:\*\*)?\[?\d\d?:\d\d\b")
_DATE = re.compile(r"\b(20\d\d-[01]\d-[0-3]\d)\b")
_DRESS = re.compile(r"^(?:\s|[-*+>|]|#+(?=\s)|\d+[.)](?=\s)|\[[ xX~-]\]|\*\*|__)+")


class Line:
    """One line that may be shown.

    `text` as it stands in the file; `day` (ISO, empty where nothing says when) and `age`, how many logged days ago
    that was (None without a day); `path` are the headings above it, a label such as `**Next:**` among them; `parent`
    is the index of the line it stands under and cannot be shown without, None where it stands alone; `form` as in
    formats/markdown.py, `done` as in formats/notes.py; `words` as in planning/words.py.
    """

    __slots__ = (
        *("age", "day", "done", "entry", "form", "importance", "kind"),
        *("numbers", "parent", "path", "shelf", "text", "words"),
    )

    def __init__(
        self,
        text: str,
        *,
        age: int | None,
        day: str = "",
        path: tuple[str, ...] = (),
        parent: int | None = None,
        done: bool | None = None,
        kind: str | None = None,
        importance: int | None = None,
        form: str = markdown.ITEM,
        shelf: int = 0,
        entry: int = 0,
    ) -> None:
        self.text = text
        self.age = age
        self.day = day
        self.path = path
        self.parent = parent
        self.done = done
        self.kind = kind
        self.importance = importance
        self.form = form
        self.shelf = shelf
        self.entry = entry
        self.words = words(text)
        self.numbers = frozenset(_NUMBER.findall(_CLOCK.sub("", text, count=1)))

    @property
    def is_label(self) -> bool:
        """True for a line such as `**Next:**`, which only says what is below it."""
        return len(self.text) <= _LONGEST_LABEL_CHARS and self.text.rstrip().rstrip("*_").endswith(":")


class Shelf:
    """A file whose lines may be shown: its `entries` in order, what its title costs, its `day` (ISO) if it is a log."""

    __slots__ = ("day", "entries", "frame", "name")

    def __init__(self, entries: Sequence[Entry], *, frame: int, day: str = "", name: str = "") -> None:
        self.name = name
        self.entries = entries
        self.frame = frame
        self.day = day


def bare(line: str) -> str:
    """What a line says, without marks of lists, boxes and strong emphasis."""
    text = _DRESS.sub("", line).strip()
    return text if "`" in text else text.replace("**", "")


def of(shelves: Sequence[Shelf]) -> list[Line]:
    """The lines of all `shelves`, in order. A date in a heading beats the place where it stands."""
    ages = _ages(shelves)
    found: list[Line] = []
    for number, shelf in enumerate(shelves):
        label, group = "", -1
        for place, entry in enumerate(shelf.entries):
            parts = [part for part in entry.full.split("\n") if part.strip()]
            if entry.form != markdown.ITEM or entry.group != group:
                label, group = "", entry.group
            path = (*entry.path, label) if label else entry.path
            day = shelf.day or _dated(entry.path)
            parent: int | None = None
            for at, part in enumerate(parts):
                found.append(
                    Line(
                        part,
                        age=ages.get(day),
                        day=day,
                        path=path if not at else (*path, bare(parts[0])[:80]),
                        parent=parent,
                        done=entry.done if not at else _box(part),
                        kind=entry.kind if not at else None,
                        importance=entry.importance,
                        form=entry.form,
                        shelf=number,
                        entry=place,
                    )
                )
                parent = len(found) - 1 if not at else parent
            if entry.form != markdown.ITEM and len(parts) == 1 and found[-1].is_label:
                label = bare(parts[0]).rstrip("*_: ")
    return found


def _box(line: str) -> bool | None:
    body = line.lstrip(" \t-*+")
    return {"[ ]": False, "[x]": True, "[X]": True}.get(body[:3], True if "✅" in line or "~~" in line else None)


def _dated(path: tuple[str, ...]) -> str:
    for step in reversed(path):
        found = _DATE.findall(step)
        if found:
            return str(found[-1])
    return ""


def _ages(shelves: Sequence[Shelf]) -> dict[str, int]:
    """ISO day → how many logged days ago it was, every day that a log or a heading names counting as one."""
    days = {shelf.day for shelf in shelves if shelf.day}
    days.update(day for shelf in shelves if not shelf.day for entry in shelf.entries if (day := _dated(entry.path)))
    return {day: age for age, day in enumerate(sorted(days, reverse=True))}
