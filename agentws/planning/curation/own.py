"""A person's own lines of MEMORY.md in little room: what they say already is not proposed again. Pure."""

from __future__ import annotations

from agentws.formats import markdown
from agentws.planning.curation import likeness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.planning.curation.candidates import Candidate
    from agentws.planning.curation.likeness import Line
    from agentws.planning.notes.entry import Entry

_FORMS = (markdown.ITEM, markdown.PARAGRAPH, markdown.ROW)
_LEAST_LIKE = 1.0
"""The words that a line shares with a candidate, each counted the less the more lines have it."""
_LEAST_SHARE = 0.4
_FEWEST_COMMON = 3
_MOST_CHARS = 80
_MOST_HEADING_CHARS = 40


class Own:
    """The lines, and how rare each word is among them."""

    __slots__ = ("_rare", "lines")

    def __init__(self, entries: Sequence[Entry]) -> None:
        kept = [one for one in entries if one.form in _FORMS and not one.is_label and one.words]
        self.lines = [likeness.Line(one) for one in kept]
        counts: dict[str, int] = {}
        for line in self.lines:
            for word in line.words:
                counts[word] = counts.get(word, 0) + 1
        self._rare = {word: 1 / count for word, count in counts.items()}

    def nearest(self, one: Candidate) -> Line | None:
        """The line that speaks most likely of the same as a candidate; None where none does."""
        best: tuple[float, Line] | None = None
        ours = one.line
        if ours is None:
            return None
        for line in self.lines:
            if likeness.has_other_value(ours, line):
                return line
            like = self._like(ours, line)
            least = max(_FEWEST_COMMON, _LEAST_SHARE * min(len(ours.words), len(line.words)))
            is_near = like >= _LEAST_LIKE and len(ours.words & line.words) >= least
            if is_near and (best is None or like > best[0]):
                best = (like, line)
        return best[1] if best else None

    def by_use(self, offered: Sequence[Candidate]) -> list[Line]:
        """All lines: first those that share most with what is offered, then the first of each heading."""
        places: dict[tuple[str, ...], int] = {}
        keys: dict[Line, tuple[int, int]] = {}
        for line in self.lines:
            place = places[line.entry.headings] = places.get(line.entry.headings, -1) + 1
            like = max((self._like(one.line, line) for one in offered if one.line), default=0.0)
            keys[line] = (-int(like), place)
        return sorted(self.lines, key=lambda line: keys[line])

    def _like(self, one: Line, line: Line) -> float:
        return sum(self._rare[word] for word in one.words & line.words)


def page(
    lines: Sequence[Line], shown: Callable[[str, int], str], cost: Callable[[str], int], room: int
) -> tuple[str, int]:
    """(the lines that there is room for in the order of the file, each heading once; how many found none).

    `lines` come in the order in which they are wanted. `shown` is a text on one line, cut to so many characters;
    `cost` the tokens of a text.
    """
    rows: dict[tuple[str, ...], list[Line]] = {}
    count = 0
    for line in lines:
        headings = line.entry.headings
        price = cost(f" · {shown(line.entry.said, _MOST_CHARS)}")
        price += 0 if headings in rows else cost(f"{_title(headings, shown)}\n")
        if price <= room:
            room -= price
            count += 1
            rows.setdefault(headings, []).append(line)
    text = ""
    for each in sorted((sorted(each, key=_place) for each in rows.values()), key=lambda each: _place(each[0])):
        said = " · ".join(shown(line.entry.said, _MOST_CHARS) for line in each)
        text += f"{_title(each[0].entry.headings, shown)}{said}\n"
    return text, len(lines) - count


def _place(line: Line) -> int:
    return line.entry.line


def _title(headings: Sequence[str], shown: Callable[[str, int], str]) -> str:
    return f"- {shown(headings[-1], _MOST_HEADING_CHARS)}: " if headings else "- "
