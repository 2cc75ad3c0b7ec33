"""memory/digest.md: open items of archived logs, and their newest next list. See docs/format/memory.md. Pure.

Earlier versions also wrote other lines of the logs there, by ISO week (`2026-W41`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.documents import managed
from agentws.core.markdown import markdown, notes
from agentws.core.notes.entry import OVER, STANDING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set

    from agentws.core.notes.entry import Entry
    from agentws.core.notes.open_items import NextList, OpenItem, OpenItems

PATH = layout.DIGEST
OPEN = "Open"
"""The title of the open items in the digest."""
NOT_SHOWN = "Not shown"
"""The title under which earlier versions counted the lines that had no room."""
TITLE = "# Digest of the logs"
HEAD = f"{TITLE}\n\nFrom archived logs: the open items, and the newest list of next steps.\n"
_HEADS = (
    HEAD.strip(),
    f"{TITLE}\n\nChosen by agentws from compacted days; not reviewed. Newest week first.",
    f"{TITLE}\n\nChosen by agentws from folded days; nobody has vouched for it. Newest week first.",
)
"""The head of a digest that holds nothing else: as it is written now, and as earlier versions wrote it."""
_SIGNS = dict.fromkeys(map(ord, "()[]<>^~!#*`|✅☑✔❌⏳⌛🔴☐⬜☒\ufe0f"), " ")
"""What a topic is without, since it could be a mark of the line."""
_WAITING_MARK, _TODO_MARK, _BOX = "[waiting] ", "[todo] ", "[ ] "
_TICKED, _CROSS = ("[x] ", "[X] "), "❌ "


class Line(Result):
    """A bullet of the digest: its `text`, its `digest`, the `title` above it, its `number` (1-based).

    `is_ticked`: somebody ticked its box; `is_crossed`: as dropped. `unticked` is its text before that.
    """

    __slots__ = ("digest", "is_crossed", "is_ticked", "number", "text", "title", "unticked")

    def __init__(self, text: str, title: str, number: int = 0) -> None:
        self.number = number
        self.text = text
        self.title = title
        self.is_ticked = text.startswith(_TICKED)
        self.is_crossed = self.is_ticked and text[len(_BOX) :].startswith(_CROSS)
        self.unticked = _BOX + text[len(_BOX) :].removeprefix(_CROSS) if self.is_ticked else text
        self.digest = managed.of_text(self.unticked)


@dataclass(frozen=True, slots=True)
class OpenLine:
    """A line of memory/digest.md about an open item: its `text`, and the log entries that it comes from (`lines`)."""

    text: str
    lines: Sequence[Entry]


@dataclass(frozen=True, slots=True)
class Page:
    """memory/digest.md after a run: its `text`, the open items that are `new`, and how many lines are `gone`.

    `is_reduced`: the weeks of an earlier version were removed.
    """

    text: str
    new: Sequence[OpenLine] = ()
    gone: int = 0
    is_reduced: bool = False

    @property
    def next_day(self) -> str:
        """The day (ISO) of the digest's next list, empty if it has none."""
        return next_day(self.text)


def is_ours(text: str) -> bool:
    """Return whether a document is agentws's digest, or empty, so that a digest may be written there."""
    return not text.strip() or text.removeprefix("\ufeff").startswith(TITLE)


def lines(text: str) -> list[Line]:
    """Return the bullets of the digest, in order."""
    rows = enumerate(_titled(text), 1)
    return [Line(row[2:].rstrip("\r"), title, number) for number, (title, row) in rows if row.startswith("- ")]


def rewritten(text: str, *, leaving: Collection[str] = (), joining: Iterable[tuple[str, str]] = ()) -> str:
    """Return the digest without the lines whose digests are `leaving`, and with those `joining`: (title, text).

    It is empty if no line of agentws's is left, unless somebody wrote something else into it.
    """
    head: list[str] = []
    parts: dict[str, list[str]] = {}
    for title, row in _titled(text or HEAD):
        if not title:
            head.append(row)
        elif not row.startswith("## ") and not (row.startswith("- ") and Line(row[2:], title).digest in leaving):
            parts.setdefault(title, []).append(row)
    for title, words in joining:
        parts.setdefault(title, []).append(f"- {words}")
    body = [row for title in sorted(parts, key=_order) for row in _part(title, parts[title])]
    if "\n".join(head).strip() in _HEADS:
        if not body:
            return ""
        head = HEAD.split("\n")
    return "\n".join([*_trimmed(head), *body]) + "\n"


def without_next(text: str) -> str:
    """Return the digest without its next list."""
    return rewritten("\n".join(row for title, row in _titled(text) if not _is_next(title)))


def next_day(text: str) -> str:
    """Return the day (ISO) of the digest's next list, empty if it has none."""
    return next(filter(None, (layout.without_day(title)[1] for title, _ in _titled(text))), "")


def held(items: OpenItems, moving: Set[str]) -> set[str]:
    """Return the logs that must not be archived yet, because a file that stays needs one of their lines.

    Such a line closes an item of that file, gives it another state, or shows that a reference was closed for another
    item.
    """
    gone = moving - {path for path, _ in _of_shared_references(items)}
    while staying := {
        closer.path for entry, closer in items.closed.items() if closer.path in gone and entry.path not in {*gone, PATH}
    } | {
        item.entry.path
        for item in items.open
        if item.entry.path in gone
        and any(entry.day and entry.path not in gone and entry.state != item.state for entry in item.said)
    }:
        gone -= staying
    return {*moving} - gone


def _of_shared_references(items: OpenItems) -> set[tuple[str, int]]:
    """Return (path, line) of each closed entry whose reference an open item has too."""
    from agentws.core.notes import reference

    refs = {item.ref for item in items.open}
    return {(entry.path, entry.line) for entry in items.closed if reference.written(entry.text) in refs}


def after(text: str, items: OpenItems, moving: Collection[str], logs: Mapping[str, str]) -> Page:
    """Return the digest, now of this `text`, once the logs at the paths `moving` are archived.

    `items` are those of all files together, the digest among them; `logs` are the texts of the logs that move, by path.
    """
    from agentws.core.notes.open_items import OpenItem  # not what a sync loads

    steps = items.next if items.next is not None and items.next.path == PATH else None
    listed = {line.number: line for line in lines(text) if line.title == OPEN}
    closed = {entry.line for entry in items.closed if entry.path == PATH}
    needed = {
        closer.line
        for entry, closer in items.closed.items()
        if closer.path == PATH and entry.path not in moving and entry.path != PATH
    } | {line for path, line in _of_shared_references(items) if path == PATH}
    leaving = {line.digest for at, line in listed.items() if (at in closed or line.is_ticked) and at not in needed}
    gone = _left_out(items.next, items.closed) if items.next else set()
    moved = items.next if items.next is not None and items.next.path in moving else None
    is_left = moved and any(entry.line not in gone and entry.form != markdown.HEADING for entry in moved.entries)
    copied = ["", *_copied(moved, logs[moved.path], gone)] if moved and is_left else []
    gone = gone - needed if steps else set()
    kept = {entry for entry in steps.entries if entry.line not in gone} if steps else set()
    new = []
    replaced = set()
    for item in items.open:
        entries = [entry for entry in item.said if entry.path != PATH or entry.line in listed or entry in kept]
        left = OpenItem(stays, "") if (stays := [entry for entry in entries if entry.path not in moving]) else None
        is_known = left is not None and item.ref.startswith(left.ref)
        if left is None or not is_known or (left.since, left.due, left.state) != (item.since, item.due, item.state):
            new.append(_line(item, "" if is_known else item.ref))
            replaced |= {listed[entry.line].digest for entry in entries if entry.path == PATH and entry.line in listed}
    rows = list(enumerate(_titled(text if text.strip() else HEAD), 1))
    is_reduced = any(_is_old(title) for _, (title, _) in rows)
    if steps and not (gone or is_reduced or leaving or new):
        return Page(text)
    over = {title for _, (title, _) in rows if _is_old(title) or (_is_next(title) and not steps)}
    stay = [row for at, (title, row) in rows if at not in gone and title not in over]
    joining = [(OPEN, line.text) for line in new]
    page = rewritten("\n".join([*stay, *copied]), leaving=leaving | replaced, joining=joining)
    return Page(page, new, len(leaving), is_reduced)


def ticked_alone(before: str, after: str, logs: Iterable[Entry]) -> list[tuple[Line, Entry, str]]:
    """Return the items that only their box in the digest `before` closes, and that the digest `after` no longer holds.

    Each with its entry and its reference (or empty). An item that a line of the `logs` closes by its reference stays
    closed without the box; any other would be open again.
    """
    from agentws.core.notes import reading, reference  # not what a sync loads

    stays = {line.text for line in lines(after)}
    gone = [line for line in lines(before) if line.is_ticked and line.text not in stays]
    closed = {ref for entry in logs for ref in entry.closes} if gone else ()
    entries = [(line, reading.read(f"## {line.title}\n- {line.unticked}\n", path=PATH)[-1]) for line in gone]
    ticked = [(line, entry, reference.written(entry.text) or "") for line, entry in entries]
    return [(line, entry, ref) for line, entry, ref in ticked if not (ref and ref in closed)]


def _line(item: OpenItem, ref: str) -> OpenLine:
    """Return the digest's line for an item: day, topic, words, when it is due, marks, this reference."""
    from agentws.core.formats.secrets import secrets  # a sync needs this page too, but must not load that

    entry = item.entry
    text = secrets.hide(entry.body)[0].strip()
    is_open_in_box = notes.state(f"- {_BOX}{text}") == notes.OPEN  # beside a box, a sign in the text wins
    mark = _WAITING_MARK if item.state == notes.WAITING else _BOX if is_open_in_box else _TODO_MARK
    importance = [f"!{entry.importance}"] if entry.importance else []
    tags = [f"#{tag}" for tag in entry.tags]
    due = [f"📅 {item.due}"] if item.due not in entry.body else []
    topic = " ".join(item.heading.translate(_SIGNS).replace(": ", " – ").split())
    since = f"{item.since}, {secrets.hide(topic)[0]}:" if topic else item.since
    words = [since, text, *due, *importance, *tags, ref and f"^{ref}"]
    return OpenLine(mark + " ".join(filter(None, words)), [line for line in item.said if line.day])


def _copied(steps: NextList, text: str, gone: Collection[int]) -> list[str]:
    """Return the lines of a next list as in its log, without those `gone`, with headings below the list's own."""
    from textwrap import dedent

    from agentws.core.formats.secrets import secrets

    title = f"## {' · '.join(steps.headings)} ({steps.day})"
    every = text.replace("\r\n", "\n").split("\n")
    rows = [every[at - 1] for at in range(steps.start(every), steps.end_line + 1) if at not in gone]
    rows = dedent("\n".join(rows)).split("\n")
    levels = map(markdown.heading_level, rows)
    rows = ["#" * (level and max(0, 3 - level)) + row for row, level in zip(rows, levels, strict=True)]
    return [secrets.hide(row)[0] for row in (title, "", *rows)]


def _left_out(steps: NextList, closed: Collection[Entry]) -> set[int]:
    """Return the lines of a next list that its copy is without: open items, and what is over, with all below it.

    An open item with a remark below it stays.
    """
    gone: set[int] = set()
    for at, entry in enumerate(steps.entries):
        below = [*takewhile(partial(_is_below, entry), steps.entries[at + 1 :])]
        is_over = entry.state in OVER or entry in closed
        if is_over or (entry.state in STANDING and all(each.state for each in below)):
            for each in (entry, *(below if is_over else ())):
                gone.update(range(each.line, each.end_line + 1))
    return gone


def _is_below(entry: Entry, other: Entry) -> bool:
    """Return whether the other entry, which comes later, is nested in this one."""
    indents = [len(row) - len(row.lstrip()) for row in (entry.text.expandtabs(4), other.text.expandtabs(4))]
    return other.parent is not None and indents[0] < indents[1]


def _is_next(title: str) -> bool:
    """Return whether a title is that of a next list."""
    return bool(layout.without_day(title)[1])


def _week(title: str) -> int | None:
    """Return the year and week in a title of an earlier version as a number, None for another title."""
    year, _, week = title.partition("-W")
    return int(year + week) if len(year) == 4 and len(week) == 2 and f"{year}{week}".isdecimal() else None


def _is_old(title: str) -> bool:
    """Return whether only earlier versions wrote a title: that of a week, or of the lines without room."""
    return title == NOT_SHOWN or _week(title) is not None


def _titled(text: str) -> Iterator[tuple[str, str]]:
    """Yield (title above, line) for each line of the digest."""
    title = ""
    for row in text.split("\n"):
        if row.startswith("## "):
            title = row[3:].strip()
        yield title, row


def _order(title: str) -> tuple[int, int]:
    """Return the sort key of a title: open items, next list, weeks from the newest on, then titles of others."""
    if title == OPEN:
        return (0, 0)
    if _is_next(title):
        return (1, 0)
    week = _week(title)
    return (3, 0) if week is None else (2, -week)


def _part(title: str, below: Sequence[str]) -> Iterable[str]:
    bullets: list[str] = []
    if not _is_next(title):  # a next list keeps the order of its log
        # The newest day comes first; the sort is stable, so lines of a day stay in their order.
        bullets = sorted((row for row in below if row.startswith("- ")), key=_day, reverse=True)
        below = [row for row in below if not row.startswith("- ")]
    rows = [*bullets, *_trimmed(below)]
    return ["", f"## {title}", "", *rows] if rows else []


def _day(row: str) -> str:
    text = row[2:].removeprefix(_BOX).removeprefix(_TODO_MARK).removeprefix(_WAITING_MARK)
    return text[:10] if layout.is_day(text[:10]) else ""


def _trimmed(rows: Sequence[str]) -> list[str]:
    """Return the rows without empty ones at both ends."""
    filled = [at for at, row in enumerate(rows) if row.strip()]
    return list(rows[filled[0] : filled[-1] + 1]) if filled else []
