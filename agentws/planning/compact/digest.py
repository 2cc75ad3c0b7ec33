"""memory/digest.md: what is open in archived logs, and their newest next list. See docs/format/memory.md. Pure.

Earlier versions also wrote what else the logs said, by ISO week (`2026-W41`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats import layout
from agentws.formats.documents import managed
from agentws.formats.markdown import markdown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

PATH = layout.DIGEST
OPEN = "Open"
"""The title of the items that are open in archived logs."""
NOT_SHOWN = "Not shown"
"""The title of how many lines a page of an earlier version had no room for."""
PLACE = "digest/"
"""What the sub-heading of a line that left begins with in memory/sources.jsonl, where it left this page."""
TITLE = "# Digest of the logs"
HEAD = f"{TITLE}\n\nFrom archived logs: the open items, and the newest list of next steps.\n"
_HEADS = (
    HEAD.strip(),
    f"{TITLE}\n\nChosen by agentws from compacted days; not reviewed. Newest week first.",
    f"{TITLE}\n\nChosen by agentws from folded days; nobody has vouched for it. Newest week first.",
)
"""How a page without a line of its own reads: as it is written now, and as earlier versions wrote it."""
WAITING = "[waiting] "
BOX = "[ ] "
_TICKED, _CROSS = ("[x] ", "[X] "), "❌ "


class Line:
    """A bullet of the page: its `text`, its `digest`, the `title` above it, its `number` (1-based).

    `is_ticked`: somebody ticked its box; `is_crossed`: as dropped. `unticked` is its text before that.
    """

    __slots__ = ("digest", "is_crossed", "is_ticked", "number", "text", "title", "unticked")

    def __init__(self, text: str, title: str, number: int = 0) -> None:
        self.number = number
        self.text = text
        self.title = title
        self.is_ticked = text.startswith(_TICKED)
        self.is_crossed = self.is_ticked and text[len(BOX) :].startswith(_CROSS)
        self.unticked = BOX + text[len(BOX) :].removeprefix(_CROSS) if self.is_ticked else text
        self.digest = managed.of_text(self.unticked)


def is_ours(text: str) -> bool:
    """Return whether a document is the page, or may become it: nobody else has written one of this name."""
    return not text.strip() or text.removeprefix("\ufeff").startswith(TITLE)


def lines(text: str) -> list[Line]:
    """Return the bullets of the page, in order."""
    every = enumerate(_titled(text), 1)
    return [Line(line[2:].rstrip("\r"), title, at) for at, (title, line) in every if line.startswith("- ")]


def rewritten(text: str, *, leaving: Collection[str] = (), joining: Sequence[tuple[str, str]] = ()) -> str:
    """Return the page without the lines whose digests are `leaving`, and with those `joining`: (title, text).

    Without any line of ours it is empty, unless somebody wrote something else into it.
    """
    head: list[str] = []
    parts: dict[str, list[str]] = {}
    for title, line in _titled(text or HEAD):
        if not title:
            head.append(line)
        elif not line.startswith("## ") and not (line.startswith("- ") and Line(line[2:], title).digest in leaving):
            parts.setdefault(title, []).append(line)
    for title, words in joining:
        parts.setdefault(title, []).append(f"- {words}")
    body = [part for title in sorted(parts, key=_order) for part in _part(title, parts[title])]
    if "\n".join(head).strip() in _HEADS:
        if not body:
            return ""
        head = HEAD.split("\n")
    return "\n".join([*_trimmed(head), *body]) + "\n"


def with_next(text: str, title: str, lines: Sequence[str]) -> str:
    """Return the page with these lines as its next list, in the place of another one; without `lines` with none.

    The title is that of the list in its log, with the day of the log behind it: `Next steps (2026-10-03)`.
    """
    rest = "\n".join(line for above, line in _titled(text or HEAD) if not next_day_in(above))
    if lines:
        rest = f"{rest.rstrip()}\n\n## {title}\n\n" + "\n".join(map(_demoted, lines))
    return rewritten(f"{rest.rstrip()}\n")


def next_day(text: str) -> str:
    """Return the day (ISO) of the next list of the page; empty where it has none."""
    titles = dict.fromkeys(title for title, _ in _titled(text))
    return next(filter(None, map(next_day_in, titles)), "")


def next_day_in(title: str) -> str:
    """Return the day that the title of a next list ends in; empty for any other title."""
    day = title.rpartition(" (")[2].removesuffix(")")
    return day if title.endswith(")") and layout.is_day(day) else ""


def without_weeks(text: str) -> str:
    """Return the page without what earlier versions wrote by week; as it is where there is nothing of that."""
    lines = list(_titled(text))
    rest = [line for title, line in lines if not (_is_week(title) or title == NOT_SHOWN)]
    return text if len(rest) == len(lines) else rewritten("\n".join(rest).rstrip() + "\n")


def _is_week(title: str) -> bool:
    year, _, week = title.partition("-W")
    return len(year) == 4 and len(week) == 2 and f"{year}{week}".isdecimal()


def _titled(text: str) -> Iterator[tuple[str, str]]:
    """(title above, line) of each line of the page."""
    title = ""
    for line in text.split("\n"):
        if line.startswith("## "):
            title = line[3:].strip()
        yield title, line


def _order(title: str) -> tuple[int, int]:
    """Open items, the next list, weeks of earlier versions from the newest on, then titles of others."""
    if title == OPEN:
        return (0, 0)
    if next_day_in(title):
        return (1, 0)
    return (2, -int(title.replace("-W", ""))) if _is_week(title) else (3, 0)


def _part(title: str, below: Sequence[str]) -> Iterable[str]:
    if next_day_in(title):  # a list of somebody's, as it stood in its log
        rest = _trimmed(below)
        return ["", f"## {title}", "", *rest] if rest else []
    # The newest day comes first; the sort is stable, so lines of a day stay in their order.
    ours = [line for line in below if line.startswith("- ")]
    rest = _trimmed([line for line in below if not line.startswith("- ")])
    if not ours and not rest:
        return []
    ours.sort(key=_day, reverse=True)
    return ["", f"## {title}", "", *ours, *rest]


def _day(line: str) -> str:
    text = line[2:].removeprefix(BOX).removeprefix(WAITING)
    return text[:10] if layout.is_day(text[:10]) else ""


def _demoted(row: str) -> str:
    """A line of a list; a heading in it is one below the title of the list."""
    level = markdown.heading_level(row)
    return "#" * max(0, 3 - level) + row if level else row


def _trimmed(found: Sequence[str]) -> list[str]:
    kept = list(found)
    while kept and not kept[-1].strip():
        kept.pop()
    while kept and not kept[0].strip():
        kept.pop(0)
    return kept
