"""Freshness in boot: marks entries of MEMORY.md whose file has changed since they were written. Pure."""

from __future__ import annotations

from agentws.core.formats.documents import managed
from agentws.core.markdown import escape, markdown
from agentws.core.text import origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_CHARS = 120


def marked(memory: str, doubtful: Mapping[str, tuple[str, str]]) -> str:
    """Return MEMORY.md with freshness (state and path) added to the first line of each doubtful entry.

    `doubtful` is (state, path) by the digest of the entry. No line is added.
    """
    lines = memory.split("\n")
    for unit in markdown.units(memory) if doubtful else ():
        pair = doubtful.get(managed.of_unit(unit))
        if pair is not None:
            line, (state, path) = lines[unit.line - 1], pair
            at = _end_of_words(line)
            shown = escape.by(origin.NET, path if len(path) <= _MOST_CHARS else f"…{path[-_MOST_CHARS:]}")
            lines[unit.line - 1] = f"{line[:at]} ({state}: {shown}){line[at:]}"
    return "\n".join(lines)


def _end_of_words(line: str) -> int:
    """Return where the words of a line end: before tags, importance, reference, origin and comment."""
    end = len(line.rstrip())
    while True:
        words = line[:end]
        at = words.rfind(" ") + 1
        last = words[at:]
        if last[:1] in ("!", "#", "^") and len(last) > 1 and at:
            begin = at
        elif last.endswith(")") and words[:at].endswith("(via "):
            begin = at - len("(via ")
        elif last == "-->" and "<!--" in words:
            begin = words.rfind("<!--")
        else:
            return end
        if not line[:begin].strip(" \t-*+"):
            return end
        end = len(line[:begin].rstrip())
