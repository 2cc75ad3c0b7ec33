"""memory/archive/superseded.md: entries that left MEMORY.md, for people. Specified in docs/format/sources.md."""

from __future__ import annotations

from collections.abc import Sequence

from agentws.core.formats import layout
from agentws.core.text import origin

PATH = layout.SUPERSEDED
HEAD = "# What left MEMORY.md\n\nReplaced entries, newest last. Nothing was deleted.\n"
"""How the document begins."""


def line(text: str, why: str) -> str:
    """Return the line of superseded.md about an entry that left MEMORY.md, ending in its origin if that is outside."""
    sentence = f"{' '.join(text.split())} {why}"
    return f"- {sentence}{origin.ending(origin.within(sentence))}"


def begins(text: str) -> str:
    """Return the beginning of a line of superseded.md, to find it again."""
    return f"- {' '.join(text.split())} "


def replaced_by(text: str, day: str) -> str:
    """Return the remark in superseded.md on an entry that held until this day and was replaced by another one."""
    return f"→ {' '.join(text.split())} (until {day})"


def with_lines(text: str, lines: Sequence[str], day: str) -> str:
    """Return superseded.md with these lines appended under the day on which they are written."""
    title = f"## {day}"
    before = text or HEAD
    head = "" if _last_title(before) == title else f"\n{title}\n\n"
    return before + ("" if before.endswith("\n") else "\n") + head + "\n".join(lines) + "\n"


def _last_title(text: str) -> str:
    """Return the day heading of the newest lines, which is not the latest day if the clock was set back."""
    return next((each for each in reversed(text.split("\n")) if each.startswith("## ")), "").strip()
