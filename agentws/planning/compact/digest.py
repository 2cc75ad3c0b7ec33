"""memory/digest.md: what folded days said, by ISO week, the newest first. Specified in docs/format/memory.md. Pure.

Each line of it that compaction wrote is known by its digest, as entries of MEMORY.md are. All other lines stay.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from agentws.formats import layout
from agentws.formats.documents import managed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

PATH = layout.DIGEST
OPEN = "Open"
"""The title of what is open in archived days; it stands above the weeks."""
NOT_SHOWN = "Not shown"
"""The title of how many lines the page has no room for."""
PLACE = "digest/"
"""What the sub-heading of a line that left begins with in memory/sources.jsonl, where it left this page."""
TITLE = "# Digest of the logs"
HEAD = f"{TITLE}\n\nChosen by agentws from compacted days; not reviewed. Newest week first.\n"
_HEADS = (
    HEAD.strip(),
    f"{TITLE}\n\nChosen by agentws from folded days; nobody has vouched for it. Newest week first.",
)
"""How a page without a line of its own reads: as it is written now, and as it was written once."""
_BOX, _TICKED, _CROSS = "[ ] ", ("[x] ", "[X] "), "❌ "


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
        self.is_crossed = self.is_ticked and text[len(_BOX) :].startswith(_CROSS)
        self.unticked = _BOX + text[len(_BOX) :].removeprefix(_CROSS) if self.is_ticked else text
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
    if not body and "\n".join(head).strip() in _HEADS:
        return ""
    return "\n".join([*_trimmed(head), *body]) + "\n"


def week(day: str) -> str:
    """Return the ISO week of a day: `2026-W41`."""
    year, number, _ = date.fromisoformat(day).isocalendar()
    return f"{year:04d}-W{number:02d}"


def _titled(text: str) -> Iterator[tuple[str, str]]:
    """(title above, line) of each line of the page."""
    title = ""
    for line in text.split("\n"):
        if line.startswith("## "):
            title = line[3:].strip()
        yield title, line


def _order(title: str) -> tuple[int, ...]:
    """Weeks from the newest on, behind what is open; titles of others at the end."""
    number = title.replace("-W", "")
    if title == OPEN:
        return (0, 0)
    return (1, -int(number)) if number.isdigit() and number.isascii() else (2, 0)


def _part(title: str, below: Sequence[str]) -> Iterable[str]:
    # The newest day of a week comes first; the sort is stable, so lines of a day stay in their order.
    ours = [line for line in below if line.startswith("- ")]
    rest = _trimmed([line for line in below if not line.startswith("- ")])
    if not ours and not rest:
        return []
    ours.sort(key=_day, reverse=True)
    return ["", f"## {title}", "", *ours, *rest]


def _day(line: str) -> str:
    text = line[2:].removeprefix(_BOX)
    return text[:10] if layout.is_day(text[:10]) else ""


def _trimmed(found: Sequence[str]) -> list[str]:
    kept = list(found)
    while kept and not kept[-1].strip():
        kept.pop()
    while kept and not kept[0].strip():
        kept.pop(0)
    return kept
