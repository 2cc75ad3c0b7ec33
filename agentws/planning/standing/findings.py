"""What stands over days, found in all lines at once, and the words in which boot says it. Pure."""

from __future__ import annotations

from agentws.formats import inset
from agentws.planning import lines as _lines
from agentws.planning import mark
from agentws.planning.standing import disagreeing, quiet, routine, rules, unfinished
from agentws.planning.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.lines import Line
    from agentws.planning.salience import Worth

OPEN, QUIET, RULES, ROUTINE = "open", "quiet", "rules", "routine"
TITLES = {
    OPEN: mark.heading("Open (since · ×days)"),
    QUIET: mark.heading("⚠ Went quiet, never marked done"),
    RULES: mark.heading("Rules said in the logs, newest wording"),
    ROUTINE: mark.heading("Routine (on most days)"),
}
DISAGREE_TITLE = mark.heading("⚠ Notes that disagree")
_LONGEST_CHARS = 280
_TELLING_WORDS = 5
_TELLING_HEADING = 3
_HALF_CHARS = 120
_LATELY = 2
_MOST_QUIET = 5
_MOST_RULES = 8
_MOST_DISAGREEING = 4
_FADES = 0.7
_OPEN_BONUS = 0.2
_HINT_BONUS = 0.12
_QUIET_BONUS = 0.2
_RULE_BONUS = 0.05
_OLD_BONUS = 0.01


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
        return place.bonus if place else _HINT_BONUS if index in self.hints else 0.0


NONE = Findings({}, frozenset(), frozenset(), [])


def find(
    lines: Sequence[Line],
    worth: Worth,
    *,
    today: str,
    own: str = "",
    names: Sequence[str] = (),
    kept: Sequence[Line] = (),
    kept_names: Sequence[str] = (),
) -> Findings:
    """What stands in `lines` as of `today` (ISO), for the agent called `own`; `names` are the paths of their shelves.

    `kept` are the lines of what is kept as true, which logs may disagree with, from the shelves `kept_names`.
    """
    whole = "\n".join([*(line.text for line in lines), *{step for line in lines for step in line.path}]).lower()
    may_be_open = any(hint in whole for hint in unfinished.HINTS)
    places = _open(lines, worth, today, own) if may_be_open else {}
    if any(hint in whole for hint in rules.HINTS):
        places = {**_rules(lines), **places}
    habits = [habit for habit in routine.find(lines) if habit.index not in places]
    folded = {index for habit in habits for index in habit.indices if index not in places}
    places.update({habit.index: _habit(habit, lines[habit.index]) for habit in habits})
    _children(lines, places)
    late = [index for index, line in enumerate(lines) if _is_late(line)] if may_be_open else []
    hints = frozenset(index for index in late if unfinished.may_be_open(lines[index]))
    return Findings(places, frozenset(folded - places.keys()), hints, _disagreements(lines, names, kept, kept_names))


def _open(lines: Sequence[Line], worth: Worth, today: str, own: str) -> dict[int, Place]:
    items = unfinished.find(lines, worth)
    silent = quiet.find(lines, worth, items)[:_MOST_QUIET]
    places: dict[int, Place] = {}
    for item in items:
        line = lines[item.index]
        if unfinished.is_past(line, today):
            continue
        if item.index in silent:
            places[item.index] = Place(QUIET, f"- {line.day[5:]} · {_said(line)}\n", bonus=_QUIET_BONUS)
        else:
            text = f"- {item.label(today)} · {_said(line)}\n"
            places[item.index] = Place(OPEN, text, bonus=_urgency(item, line), group=_group(item, line, own))
    return places


def _rules(lines: Sequence[Line]) -> dict[int, Place]:
    found = rules.find(lines)[:_MOST_RULES]
    return {rule.index: _rule(rule, lines[rule.index]) for rule in found}


def _rule(rule: rules.Rule, line: Line) -> Place:
    return Place(RULES, f"- {_days(rule.days)}{line.day[5:]} · {_said(line)}\n", bonus=_RULE_BONUS * rule.days)


def _habit(habit: routine.Habit, line: Line) -> Place:
    return Place(ROUTINE, inset.lines(f"- {_days(habit.days)}{_said(line)}\n"), bonus=0.0)


def _disagreements(
    lines: Sequence[Line], names: Sequence[str], kept: Sequence[Line], kept_names: Sequence[str]
) -> list[str]:
    both = [*(line for line in lines if line.age is not None), *(line for line in kept if line.age is None)]
    pairs = disagreeing.find(both)[:_MOST_DISAGREEING] if kept else []
    return [
        f"- {kept_names[both[pair.kept].shelf]}: {_lines.shortened(_lines.bare(both[pair.kept].text), _HALF_CHARS)} ≠ "
        f"{names[both[pair.noted].shelf]}: {_lines.shortened(_lines.bare(both[pair.noted].text), _HALF_CHARS)}\n"
        for pair in pairs
    ]


def _children(lines: Sequence[Line], places: dict[int, Place]) -> None:
    """What stands below a line goes where the line goes."""
    for index, line in enumerate(lines):
        above = places.get(line.parent) if line.parent is not None else None
        if above is not None and index not in places and not line.is_foreign:
            text = inset.lines(f"  - {_lines.shortened(_lines.bare(line.text), _LONGEST_CHARS)}\n")
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


def _group(item: unfinished.Item, line: Line, own: str) -> str:
    """Below which words it is listed: for whom it waits, or its heading where that tells more than that it is open."""
    if item.who and item.who.casefold() not in own.casefold().split():
        return f"Waiting on {item.who}"
    heading = line.path[-1] if line.path else ""
    return (
        _lines.shortened(heading, 80)
        if unfinished.is_open_heading(heading) and len(words(heading)) >= _TELLING_HEADING
        else ""
    )


def _said(line: Line) -> str:
    """What the line says; a few words alone get their heading before them."""
    text = _lines.shortened(_lines.bare(line.text), _LONGEST_CHARS)
    if len(line.words) < _TELLING_WORDS:
        heading = next((step for step in reversed(line.path) if not unfinished.is_open_heading(step)), "")
        if heading:
            return f"{_lines.shortened(heading, 60)} › {text}"
    return text


def _days(count: int) -> str:
    return f"×{count}, " if count > 1 else ""
