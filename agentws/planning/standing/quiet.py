"""What went quiet: called urgent or top priority, never marked done, and never mentioned again."""

from __future__ import annotations

from agentws.formats.lazy import Pattern
from agentws.planning.lines import bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.lines import Line
    from agentws.planning.salience import Worth
    from agentws.planning.standing.unfinished import Item

_URGENT = Pattern(
    r"\b(?:TOP|HIGHEST|FIRST|#1|NUMBER ONE) PRIORITY\b|\b[Tt]op priority\b|\bP0\b|\bURGENT\b|\bASAP\b|\bCRITICAL\b|🚨"
    r"|\b(?:urgent|critical):|\bmust (?:be )?(?:fix|do|done|finish)",
)
_RED = "🔴"
"""Urgent on the line itself; on a heading it is a light that shows how things stand."""
_LEAST_AGE = 3
"""Logged days: what was said the day before yesterday has not gone quiet yet."""
_MENTIONED = 0.4
"""Share of what its words tell that a later line must share to be a mention of it."""
_IMPORTANT_FROM = 8
_COMMON_WORD = 0.02
_BEGINNING_CHARS = 120
_MOST_LINES = 300
"""Lines that share a word: where it is in more, it tells of no mention by itself."""


def find(lines: Sequence[Line], worth: Worth, items: Sequence[Item]) -> list[int]:
    """Indices of the open `items` among `lines` that went quiet, newest first."""
    urgent = [item.index for item in items if _is_old(lines[item.index]) and _is_urgent(lines[item.index])]
    if not urgent:
        return []
    using: dict[str, list[Line]] = {}
    for line in lines:
        for word in line.words if line.age is not None and not line.is_foreign else ():
            using.setdefault(word, []).append(line)  # the newest first
    found = [index for index in urgent if not _is_mentioned_later(lines[index], worth, using)]
    return sorted(found, key=lambda index: (lines[index].age or 0, index))


def _is_old(line: Line) -> bool:
    return line.age is not None and line.age >= _LEAST_AGE and len(line.words) >= 3


def _is_mentioned_later(line: Line, worth: Worth, using: dict[str, list[Line]]) -> bool:
    of = {word: worth.of.get(word, _COMMON_WORD) for word in line.words}
    enough = _MENTIONED * sum(of.values())
    later: dict[int, Line] = {}
    for word in of:
        for other in using.get(word, ())[:_MOST_LINES]:
            if (other.age or 0) < (line.age or 0):
                later[id(other)] = other
    return any(_is_mention(line, of, enough, other) for other in later.values())


def _is_mention(line: Line, of: dict[str, float], enough: float, other: Line) -> bool:
    shared = [weight for word, weight in of.items() if word in other.words]
    if len(shared) < 2 or sum(shared) < enough:
        return False
    return not other.exact or line.is_named_by(other)  # of another invoice, another server, it says nothing


def _is_urgent(line: Line) -> bool:
    if line.importance is not None and line.importance >= _IMPORTANT_FROM:
        return True
    text = bare(line.text)[:_BEGINNING_CHARS]
    if text.rstrip().endswith("?"):
        return False
    return _RED in text or bool(_URGENT.search(text)) or any(_URGENT.search(step) for step in line.path[-2:])
