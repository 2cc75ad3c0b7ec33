"""What stands over days, found in all lines at once, and the words in which boot says it. Pure."""

from __future__ import annotations

from agentws.planning import lines as _lines
from agentws.planning.standing import disagreeing, quiet, routine, rules, unfinished
from agentws.planning.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.lines import Line
    from agentws.planning.salience import Worth

OPEN, QUIET, RULES, ROUTINE = "open", "quiet", "rules", "routine"
TITLES = {
    OPEN: "## Open (since · ×days)\n",
    QUIET: "## ⚠ Went quiet, never marked done\n",
    RULES: "## Rules said in the logs, newest wording\n",
    ROUTINE: "## Routine, nearly every day\n",
}
DISAGREE_TITLE = "## ⚠ Notes that disagree\n"
_LONGEST_CHARS = 280
_TELLING_WORDS = 5
_TELLING_HEADING = 3
_LATELY = 2
_MOST_QUIET = 5
_MOST_RULES = 8
_MOST_DISAGREEING = 4
_FADES = 0.7
_OPEN_BONUS = 0.3
_OLD_BONUS = 0.02


class Place:
    """Where a line is shown instead of under its day: the `section`, the `text` there (line end at the end), the
    words it is listed below (`group`, else empty), and what is `bonus` to its likelihood.
    """

    __slots__ = ("bonus", "group", "section", "text")

    def __init__(self, section: str, text: str, *, bonus: float, group: str = "") -> None:
        self.section = section
        self.text = text
        self.bonus = bonus
        self.group = group


class Findings:
    """What was found: `places` by index of line, `folded` lines that others stand for, `disagreeing` as ready lines.

    `hints` are lines that stay under their day but have to do with what is open now.
    """

    __slots__ = ("disagreeing", "folded", "hints", "places")

    def __init__(
        self, places: dict[int, Place], folded: frozenset[int], hints: frozenset[int], disagreeing: list[str]
    ) -> None:
        self.places = places
        self.folded = folded
        self.hints = hints
        self.disagreeing = disagreeing

    def bonus(self, index: int) -> float:
        """What is added to the likelihood of a line because of what it is."""
        place = self.places.get(index)
        return place.bonus if place else _OPEN_BONUS if index in self.hints else 0.0


NONE = Findings({}, frozenset(), frozenset(), [])


def find(lines: Sequence[Line], worth: Worth, *, today: str, names: Sequence[str]) -> Findings:
    """What stands in `lines` as of `today` (ISO); `names` are the paths of their shelves."""
    places: dict[int, Place] = {}
    items = unfinished.find(lines, worth)
    silent = quiet.find(lines, worth, items)[:_MOST_QUIET]
    for item in items:
        if item.index in silent:
            text = f"- {lines[item.index].day[5:]} · {_said(lines[item.index])}\n"
            places[item.index] = Place(QUIET, text, bonus=0.2)
        else:
            text = f"- {item.label(today)} · {_said(lines[item.index])}\n"
            places[item.index] = Place(
                OPEN, text, bonus=_urgency(item, lines[item.index]), group=_group(item, lines[item.index])
            )
    for rule in rules.find(lines)[:_MOST_RULES]:
        text = f"- {_days(rule.days)}{lines[rule.index].day[5:]} · {_said(lines[rule.index])}\n"
        places.setdefault(rule.index, Place(RULES, text, bonus=0.05 * rule.days))
    folded: set[int] = set()
    for habit in routine.find(lines):
        if habit.index not in places:
            text = f"- {_days(habit.days)}{_said(lines[habit.index])}\n"
            places[habit.index] = Place(ROUTINE, text, bonus=0.0)
            folded.update(index for index in habit.indices if index != habit.index and index not in places)
    _children(lines, places)
    hints = frozenset(index for index, line in enumerate(lines) if _is_late(line) and unfinished.may_be_open(line))
    pairs = disagreeing.find(lines)[:_MOST_DISAGREEING]
    return Findings(places, frozenset(folded), hints, [_disagreement(lines, pair, names) for pair in pairs])


def _children(lines: Sequence[Line], places: dict[int, Place]) -> None:
    """What stands below a line goes where the line goes."""
    for index, line in enumerate(lines):
        above = places.get(line.parent) if line.parent is not None else None
        if above is not None and index not in places:
            text = f"  - {_short(_lines.bare(line.text))}\n"
            places[index] = Place(above.section, text, bonus=0.0, group=above.group)


def _is_late(line: Line) -> bool:
    return line.age is not None and line.age < _LATELY


def _urgency(item: unfinished.Item, line: Line) -> float:
    """Open items of the last two logged days must not be missed; older ones fade, less so when they were carried."""
    if line.age is None:
        return 0.02
    if _is_late(line):
        return _OPEN_BONUS
    return _OLD_BONUS * _FADES ** (line.age - _LATELY) * item.days


def _disagreement(lines: Sequence[Line], pair: disagreeing.Disagreement, names: Sequence[str]) -> str:
    kept, noted = lines[pair.kept], lines[pair.noted]
    ours, theirs = _short(_lines.bare(kept.text), 120), _short(_lines.bare(noted.text), 120)
    return f"- {names[kept.shelf]}: {ours} ≠ {names[noted.shelf]}: {theirs}\n"


def _group(item: unfinished.Item, line: Line) -> str:
    """Below which words it is listed: for whom it waits, or its heading where that tells more than that it is open."""
    if item.who:
        return f"Waiting on {item.who}"
    heading = line.path[-1] if line.path else ""
    return (
        _short(heading, 80) if unfinished.is_open_heading(heading) and len(words(heading)) >= _TELLING_HEADING else ""
    )


def _said(line: Line) -> str:
    """What the line says; a few words alone get their heading before them."""
    text = _short(_lines.bare(line.text))
    if len(line.words) < _TELLING_WORDS:
        heading = next((step for step in reversed(line.path) if not unfinished.is_open_heading(step)), "")
        if heading:
            return f"{_short(heading, 60)} › {text}"
    return text


def _short(text: str, most: int = _LONGEST_CHARS) -> str:
    return text if len(text) <= most else text[:most].rpartition(" ")[0].rstrip() + " …"


def _days(count: int) -> str:
    return f"×{count}, " if count > 1 else ""
