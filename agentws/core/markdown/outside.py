"""Separates text from outside from the agent's own words in a log, by the marks of its lines. Pure."""

from __future__ import annotations

from agentws.core.markdown import markdown
from agentws.core.text import origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


_MARKS = tuple(f"(via {word}" for word in origin.OUTSIDE)


class OutsideLines:
    """Lines of a log that come from outside: `start` to before `end`, both 0-based, with their source `src`."""

    __slots__ = ("end", "src", "start")

    def __init__(self, start: int, end: int, src: str) -> None:
        self.start = start
        self.end = end
        self.src = src


def stretches(text: str, *, in_code: bool = False) -> list[OutsideLines]:
    """Return the lines of `text` that come from outside: whole items, paragraphs, or lines of an item.

    In a fence marks do not count, except with `in_code`.
    """
    if "(via " not in text or not any(map(text.__contains__, _MARKS)):
        return []
    return [
        outside for unit in markdown.units(text) if "(via " in unit.text for outside in _of_unit(unit, in_code=in_code)
    ]


def without(text: str) -> str:
    """Return `text` with each line from outside emptied: every other line keeps its number."""
    spans = stretches(text)
    if not spans:
        return text
    lines = text.split("\n")
    for outside in spans:
        lines[outside.start : outside.end] = [""] * (outside.end - outside.start)
    return "\n".join(lines)


def _of_unit(unit: markdown.Unit, *, in_code: bool) -> Iterator[OutsideLines]:
    if unit.kind == markdown.FENCE:
        yield from _of_fence(unit) if in_code else ()
        return
    lines = unit.text.rstrip("\n").split("\n")
    is_one = unit.kind == markdown.PARAGRAPH
    sources = [origin.of_all(lines)] * len(lines) if is_one else origin.of_item(lines)
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or sources[at] != sources[start]:
            if sources[start]:
                yield OutsideLines(unit.line - 1 + start, unit.line - 1 + at, sources[start])
            start = at


def _of_fence(unit: markdown.Unit) -> Iterator[OutsideLines]:
    """What is marked within a fence, as if its lines stood without it."""
    inside = unit.text.partition("\n")[2]
    for stretch in stretches(inside):
        yield OutsideLines(unit.line + stretch.start, unit.line + stretch.end, stretch.src)
