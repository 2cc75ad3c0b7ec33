"""Text from outside: separated from the agent's own words by the marks of its lines, and quoted for boot. Pure.

Each quoted line becomes a quotation that begins with its origin.
"""

from __future__ import annotations

from agentws.core.markdown import escape, markdown
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


def outside_lines(text: str, *, in_code: bool = False) -> list[OutsideLines]:
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
    spans = outside_lines(text)
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
    """Marks within a fence, as if the fence were missing."""
    inside = unit.text.partition("\n")[2]
    for stretch in outside_lines(inside):
        yield OutsideLines(unit.line + stretch.start, unit.line + stretch.end, stretch.src)


_BOXES = ("[ ]", "[x]", "[X]", "[~]", "[-]", "☐", "⬜")


def quoted(text: str, *, day: str = "") -> tuple[str, frozenset[int]]:
    """Return `text` with all lines from outside quoted, and which lines these are, 0-based; each stays one line.

    `day` (ISO) is the day of a log: `> (tool:web, 11-20 09:14) text`.
    """
    stretches = outside_lines(text)
    if not stretches:
        return text, frozenset()
    lines = text.split("\n")
    for stretch in stretches:
        first = lines[stretch.start]
        indent = first[: len(first) - len(first.lstrip(" \t"))]
        is_quote = first.startswith(f"{indent}>")  # as a document holds what is from outside
        for at in range(stretch.start, stretch.end):
            if lines[at].strip():
                body = lines[at].strip().removeprefix(">") if is_quote else lines[at]
                lines[at] = indent + _quoted_line(body, stretch.src, day if at == stretch.start else "")
    return "\n".join(lines), frozenset(at for stretch in stretches for at in range(stretch.start, stretch.end))


def _quoted_line(line: str, src: str, day: str) -> str:
    body = line[markdown.marker(line) :].strip()
    at = body.rfind(f"(via {src})")
    if at >= 0:
        body = f"{body[:at].rstrip()}{body[at + len(src) + 6 :]}"
    time = body[:5] if _is_time(body[:6]) else ""
    when = " ".join(filter(None, (day[5:], time)))
    body = body[len(time) :].lstrip()
    if body.startswith((">", *_BOXES)):
        body = f"\\{body}"
    return f"> ({src}{', ' if when else ''}{when}) {escape.by(src, body)}".rstrip()


def _is_time(text: str) -> bool:
    return text[2:3] == ":" and (text[:2] + text[3:5]).isdecimal() and len(text) >= 5 and not text[5:].strip()
