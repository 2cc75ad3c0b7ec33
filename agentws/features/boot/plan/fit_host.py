"""Fits the start-up context to a host that limits its texts: one text, or several parts. Pure."""

from __future__ import annotations

from itertools import accumulate
from math import prod

from agentws.core.markdown import markdown
from agentws.core.markdown.inset import inline
from agentws.core.text.sanitize import one_line
from agentws.features.boot.plan import assemble, frame_mark
from agentws.features.boot.plan.section import largest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from agentws.core.notes.request import Request
    from agentws.core.ports import TokenCounter
    from agentws.features.boot.plan.assemble import Context

    _Measure = Callable[[str], int]


_MOST_PARTS = 999
_LONGEST_TITLE = "Thu 2026-11-19, yesterday · Frost in the glasshouse"
"""No title in the heading of a part is longer than this by any measure; more is cut."""
_SPARES = (1, 2, 4)
_SECTION, _HEADING_LINE, _INSIDE = 2, 3, 9
"""The levels of the headings that a piece of a text begins with; _INSIDE of a piece without one."""


class Cap:
    """The limit of one text for a host, `most` by `size`; `in_all` limits all texts together, 0 for no limit."""

    def __init__(self, most: int, size: _Measure, *, in_all: int = 0) -> None:
        self.most = min(most, in_all or most)
        self.size = size
        self.in_all = in_all


class Limited:
    """A counter that keeps a text within several `limits` of a host, each (measure, most), in one number.

    The first limit is the budget itself, in any measure of which its `most` is a multiple of the budget. Name and trust
    are those of the request's counter; its units have no other meaning.
    """

    def __init__(self, request: Request, limits: Sequence[tuple[_Measure, int]]) -> None:
        counter = request.counter
        self.name, self.exact, self.trust = counter.name, counter.exact, counter.trust
        room = prod(most for _, most in limits)
        self.units_per_token = room // request.budget
        self._weights = [(measure, room // most) for measure, most in limits]

    def units(self, text: str) -> int:
        """Return the units that `text` takes of the host's limit that it comes closest to."""
        return max([measure(text) * weight for measure, weight in self._weights])


def in_one(request: Request, cap: Cap | None) -> Context:
    """Fit the context to a host in one text: return the best one within the budget and `cap`."""
    if cap is None:
        return assemble.fit(request)
    budget_units = request.budget * request.counter.units_per_token
    return assemble.fit(request, under=Limited(request, [(request.counter.units, budget_units), (cap.size, cap.most)]))


def in_parts(request: Request, cap: Cap | None) -> tuple[Context, list[str]]:
    """Fit the context to a host in parts: return the best one within the budget, and its texts, each within `cap`.

    Of several texts, each begins with a line that says which part it is, the heading of the section that it continues,
    and an empty line: they may reach the reader in any order. Without these lines they are the context's text; with
    them they keep the budget.
    """
    if cap is None:
        made = assemble.fit(request)
        return made, [made.text]
    continued = frame_mark.heading(f"{_LONGEST_TITLE} (continued)")
    widest = _heading(request.name, _MOST_PARTS, _MOST_PARTS, frame_mark.BLANK, continued)
    for spare in _SPARES:
        made = assemble.fit(request, under=_counter_of_parts(request, cap, widest, spare))
        bodies = [made.text]
        if cap.size(made.text) > cap.most:
            bodies = split_at_cap(made.text, most=cap.most - cap.size(widest), size=cap.size)
        texts = _texts(request, bodies, made.marks, cap)
        if _keeps(texts, request, cap):
            break
    return made, texts


def _counter_of_parts(request: Request, cap: Cap, heading: str, spare: int) -> Limited:
    """The counter for a text that is split into parts, all but the first with a `heading`.

    All parts together keep budget and cap, headings included. `spare` multiplies what is set aside for headings.
    """
    counter, size = request.counter, cap.size
    room = cap.most - size(heading)
    # `split_at_cap` fills two neighbours to more than one part, so there are at most 2 x size / room headings. Two
    # tokens more for each: within a line, counts do not add up exactly.
    twice = 2 * spare
    heading_units = counter.units(heading) + 2 * counter.units_per_token

    def with_headings(text: str) -> int:
        return counter.units(text) * room + twice * heading_units * size(text)

    limits: list[tuple[_Measure, int]] = [(with_headings, request.budget * counter.units_per_token * room)]
    if cap.in_all:
        limits.append((size, max(1, cap.in_all * room // (room + twice * size(heading)))))
    return Limited(request, limits)


def _texts(request: Request, bodies: list[str], marks: Sequence[str], cap: Cap) -> list[str]:
    if len(bodies) == 1:
        return bodies
    ends = tuple(f" [{mark}]" for mark in marks)
    texts, section = [], ""
    for number, body in enumerate(bodies, start=1):
        lines = body.split("\n")
        continued = "" if lines[0].startswith("## ") else _continued(section, request.counter, cap)
        texts.append(_heading(request.name, number, len(bodies), marks[0], continued) + body)
        section = next((line for line in reversed(lines) if line.startswith("## ") and line.endswith(ends)), section)
    return texts


def _continued(section: str, counter: TokenCounter, cap: Cap) -> str:
    """Return the heading of a section that another text begins, its title no larger than _LONGEST_TITLE."""
    if not section:
        return ""
    title, mark = frame_mark.says(section), frame_mark.of(section)
    while counter.units(title) > counter.units(_LONGEST_TITLE) or cap.size(title) > cap.size(_LONGEST_TITLE):
        title = title[:-1]
    return frame_mark.signed(frame_mark.heading(f"{title} (continued)"), mark)


def _keeps(texts: list[str], request: Request, cap: Cap) -> bool:
    units = sum(map(request.counter.units, texts))
    size = sum(map(cap.size, texts))
    return units <= request.budget * request.counter.units_per_token and size <= (cap.in_all or size)


def _heading(name: str, part: int, of: int, stable_mark: str, continued: str) -> str:
    says = f"{inline(one_line(name)[:60]) or 'Agent'} · start-up context, part {part} of {of}"
    return frame_mark.signed(frame_mark.heading(says, level=1), stable_mark) + continued + "\n"


def split_at_cap(text: str, *, most: int, size: _Measure) -> list[str]:
    """Return `text` split into parts for a host, each at most `most` by `size`; joined they are `text` again."""
    pieces = list(_pieces(text, most, size))
    sizes, levels = [size(piece) for piece, _ in pieces], [level for _, level in pieces]
    result: list[str] = []
    at = 0
    while at < len(pieces):
        end, filled = at + 1, sizes[at]
        while end < len(pieces) and filled + sizes[end] <= most:
            filled += sizes[end]
            end += 1
        while end > at + 1 and size("".join(piece for piece, _ in pieces[at:end])) > most:
            end -= 1
        if end < len(pieces):
            # The last place that a reader would choose, unless the part would be too empty.
            used = [*accumulate(sizes[at:end])]
            full = [place for place in range(end, at, -1) if used[place - at - 1] * 4 >= most * 3]
            nicer = (place for most_level in (_SECTION, _HEADING_LINE) for place in full if levels[place] <= most_level)
            end = next(nicer, end)
        result.append("".join(piece for piece, _ in pieces[at:end]))
        at = end
    return result


def _pieces(text: str, most: int, size: _Measure) -> Iterator[tuple[str, int]]:
    """Yield the pieces of `text` that stay whole, each with its level: blocks, cut where one is larger than `most`."""
    for block, level in _blocks(text):
        if size(block) <= most:
            yield block, level
            continue
        lines = (piece for line in markdown.lines_of(block) for piece in _of_line(line, most, size))
        for place, piece in enumerate(lines):
            yield piece, _INSIDE if place else level


def _blocks(text: str) -> Iterator[tuple[str, int]]:
    """The blocks of `text` with the level of their heading: a heading goes with what follows, as does a table's head,
    and an empty line with what it follows.
    """
    held, level, waits = "", _INSIDE, False
    for block in markdown.blocks(text):
        if held and not waits and block.kind != markdown.BLANK:
            yield held, level
            held, level = "", _INSIDE
        if block.kind == markdown.HEADING and not held:
            level = block.level
        if block.kind != markdown.BLANK:
            waits = block.kind in (markdown.HEADING, markdown.TABLE_HEAD)
        held += block.text
    if held:
        yield held, level


def _of_line(line: str, most: int, size: _Measure) -> Iterator[str]:
    while len(line) > most or size(line) > most:
        end = _longest(line[:most], most, size)
        end = line.rfind(" ", 0, end) + 1 or end
        yield line[:end]
        line = line[end:]
    if line:
        yield line


def _longest(line: str, most: int, size: _Measure) -> int:
    """Return how many characters of a line are at most `most` by `size`; never none."""
    return largest(1, len(line), lambda count: size(line[:count]) <= most)
