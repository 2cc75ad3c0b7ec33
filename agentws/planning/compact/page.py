"""The digest after a run: what is still open in archived logs, and their newest next list. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.formats.documents import managed
from agentws.formats.markdown import markdown, notes
from agentws.formats.secrets import secrets
from agentws.planning.compact import digest
from agentws.planning.notes.entry import WAITING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.open_items import NextList, OpenItem, OpenItems


@dataclass(frozen=True, slots=True)
class OpenLine:
    """A line of the digest about an open item: its `text`, and the entries of the logs that say it (`lines`)."""

    text: str
    lines: Sequence[Entry]

    @property
    def digest(self) -> str:
        """The digest by which the line is known."""
        return managed.of_text(self.text)


@dataclass(frozen=True, slots=True)
class Page:
    """The digest after a run: its `text`, the open items that are `new` in it, and how many lines left it (`gone`).

    `is_reduced` tells whether the weeks of an earlier version left it.
    """

    text: str
    new: Sequence[OpenLine] = ()
    gone: int = 0
    is_reduced: bool = False

    @property
    def next_day(self) -> str:
        """The day (ISO) of the next list; empty where there is none."""
        return digest.next_day(self.text)


def held(items: OpenItems, moving: Collection[str]) -> set[str]:
    """Return which of the logs that are to be moved stay: they close an item of a file that stays."""
    staying: set[str] = set()
    while True:
        more = {
            closer.path
            for entry, closer in items.closed.items()
            if closer.path in moving
            and closer.path not in staying
            and entry.path != digest.PATH
            and (entry.path not in moving or entry.path in staying)
        }
        if not more:
            return staying
        staying |= more


def after(text: str, items: OpenItems, moving: Collection[str], logs: Mapping[str, str]) -> Page:
    """Return the page of this `text` once the logs at the paths `moving` are archived.

    `items` are those of all files together, the page among them; `logs` are the texts of the logs that move, by path.
    """
    steps = items.next if items.next is not None and items.next.path == digest.PATH else None
    shown = digest.without_weeks(_ticked(text, steps, items.closed) if steps else text)
    stands = {line.number: line for line in digest.lines(text) if line.title == digest.OPEN}
    on_page = {entry.line for entry in items.closed if entry.path == digest.PATH}
    needed = {
        closer.line
        for entry, closer in items.closed.items()
        if closer.path == digest.PATH and entry.path not in moving and entry.path != digest.PATH
    }
    leaving = {
        line.digest for number, line in stands.items() if (number in on_page or line.is_ticked) and number not in needed
    }
    new = []
    for item in items.open:
        places = {(entry.path, entry.line) for entry in item.said}
        is_listed = any(path == digest.PATH and (line in stands or steps) for path, line in places)
        if not is_listed and all(path in moving or path == digest.PATH for path, _ in places):
            new.append(_line(item))
    if items.next is not None and items.next.path in moving:
        shown = digest.with_next(
            shown,
            f"{items.next.heading} ({items.next.day})",
            _copied(items.next, logs[items.next.path], items.closed),
        )
    elif not steps:
        shown = digest.with_next(shown, "", ())
    if leaving or new:
        shown = digest.rewritten(shown, leaving=leaving, joining=[(digest.OPEN, line.text) for line in new])
    return Page(shown, new, len(leaving), is_reduced=digest.without_weeks(text) != text)


def _line(item: OpenItem) -> OpenLine:
    """The line of an item: since when it is open, its words, its marks, its reference."""
    entry = item.entry
    mark = digest.WAITING if item.state == WAITING else digest.BOX
    importance = [f"!{entry.importance}"] if entry.importance else []
    tags = [f"#{tag}" for tag in entry.tags]
    words = [item.since, *secrets.hide(entry.body)[0].split(), *importance, *tags, f"^{item.ref}"]
    return OpenLine(mark + " ".join(filter(None, words)), [line for line in item.said if line.day])


def _copied(steps: NextList, text: str, closed: Mapping[Entry, Entry]) -> list[str]:
    """The lines of a next list as they stand in its log; what a later line closes is ticked."""
    rows = _ticked(text.replace("\r\n", "\n"), steps, closed).split("\n")[steps.first_line - 1 : steps.end_line]
    return [secrets.hide(row)[0] for row in rows]


def _ticked(text: str, steps: NextList, closed: Mapping[Entry, Entry]) -> str:
    """A text with those items of a next list ticked, or struck, that another line closes: that one may be archived."""
    rows = text.split("\n")
    for entry in steps.entries:
        if entry in closed:
            row = rows[entry.line - 1]
            at = markdown.marker(row)
            is_box = notes.has_box(row)
            rows[entry.line - 1] = row.replace("[ ]", "[x]", 1) if is_box else f"{row[:at]}~~{row[at:].rstrip()}~~"
    return "\n".join(rows)
