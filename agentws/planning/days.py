"""What to show of the daily logs, and of what memory still has: the lines that the next day is likely to need.

Where all of it fits, all of it is shown. Else lines are chosen by planning/salience.py across all files at once, each
paying for the title and heading that it brings along, and a child for its parent. Lines that stand over days (open
items, rules, …) are shown in sections of their own instead of under their day.
"""

from __future__ import annotations

from agentws.planning import excerpt, salience
from agentws.planning import lines as _lines
from agentws.planning.standing import findings as _findings
from agentws.planning.words import words as _words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.excerpt import Excerpt, Measure
    from agentws.planning.lines import Shelf

_LONGEST_LINE_CHARS = 280
_MORE = " …"
_TIMES = " ×9"
_NEWEST_BONUS = 0.02
_FIRST_BONUS = 0.5
_WANTED_BONUS = 0.1


class Pool:
    """All lines of `shelves` (logs newest first, then the rest), what their words tell, and what stands over days.

    `known` are lines that are shown anyway, which makes their words less telling. Without `today` (ISO) nothing is
    looked for that stands over days. `own` is the agent's name; `kept` are the files that logs may disagree with; lines
    with one of the tags `wanted` (`#garden`, `#task:move`) come sooner.
    """

    __slots__ = ("_first", "_wanted", "findings", "known", "lines", "shelves", "worth")

    def __init__(
        self,
        shelves: Sequence[Shelf],
        *,
        known: Sequence[str] = (),
        today: str | None = None,
        own: str = "",
        kept: Sequence[Shelf] = (),
        wanted: Sequence[str] = (),
    ) -> None:
        self._wanted = wanted
        self.shelves = shelves
        self.lines = _lines.of(shelves)
        self.known = [_words(line) for line in known]
        self.worth = salience.worth(self.lines, self.known)
        self.findings = _findings.NONE
        if today is not None:
            self.findings = _findings.find(
                self.lines,
                self.worth,
                today=today,
                own=own,
                names=[shelf.name for shelf in shelves],
                kept=_lines.of(kept),
                kept_names=[shelf.name for shelf in kept],
            )
            self._let_stand_alone()
        self._first = self._likeliest_of_newest_day()

    def bonus(self, index: int) -> float:
        """What is added to the likelihood of a line because of what it is: of the newest day, one is told anyhow."""
        if index == self._first:
            return _FIRST_BONUS
        line = self.lines[index]
        is_newest = line.age == 0 and index not in self.findings.places
        is_wanted = not line.is_foreign and any(tag in line.text for tag in self._wanted)
        return (
            self.findings.bonus(index)
            + salience.weight_of_kind(line)
            + (_NEWEST_BONUS if is_newest else 0.0)
            + (_WANTED_BONUS if is_wanted else 0.0)
        )

    def _likeliest_of_newest_day(self) -> int | None:
        places = self.findings.places
        newest = [
            index
            for index, line in enumerate(self.lines)
            if line.age == 0 and line.parent is None and index not in places and not (line.is_label or line.is_foreign)
        ]
        return max(newest, key=lambda index: salience.likely(self.lines[index], self.worth), default=None)

    def _let_stand_alone(self) -> None:
        """A line that is shown in a section of its own needs no parent there, unless that one is shown with it."""
        places = self.findings.places
        for index, line in enumerate(self.lines):
            if index in places and line.parent is not None:
                above = places.get(line.parent)
                if above is None or above.section != places[index].section:
                    line.parent = None


class Chosen:
    """What is shown: an excerpt a shelf, the `sections` of what stands over days, and their `units`."""

    __slots__ = ("excerpts", "sections", "units")

    def __init__(self, excerpts: list[Excerpt], sections: list[str], units: int) -> None:
        self.excerpts = excerpts
        self.sections = sections
        self.units = units


def choose(pool: Pool, room: int, measure: Measure, *, line: int) -> Chosen:
    """What to show within `room` units in all, titles included; `line` is what a usual line costs."""
    prices = _Prices(pool, measure)
    chosen, times = salience.choose(
        pool.lines,
        pool.worth,
        room=room,
        yardstick=line,
        mark=measure(_TIMES),
        price=prices.price,
        take=prices.take,
        bonus=pool.bonus,
        shown=pool.known,
        never=pool.findings.folded,
    )
    sections = _sections(pool, chosen)
    of_shelf: list[list[int]] = [[] for _ in pool.shelves]
    for index, one in enumerate(pool.lines):
        of_shelf[one.shelf].append(index)
    excerpts = [
        _excerpt(pool, shelf, indices, prices, chosen, times, measure)
        for shelf, indices in zip(pool.shelves, of_shelf, strict=True)
    ]
    return Chosen(excerpts, sections, sum(measure(text) for text in sections))


def standing(pool: Pool, room: int, measure: Measure, *, older_than_days: int) -> list[str]:
    """The sections of what stands over days, within `room` units, for logs that are shown whole anyway.

    What was written in the last `older_than_days` logged days is plain to see there, and not told twice.
    """
    prices = _Prices(pool, measure)
    chosen: set[int] = set()
    for index, place in pool.findings.places.items():
        line = pool.lines[index]
        is_plain = line.age is not None and line.age < older_than_days
        if is_plain or place.section == _findings.ROUTINE or (line.parent is not None and line.parent not in chosen):
            continue
        price = prices.price(index)
        if price <= room:
            room -= price
            chosen.add(index)
            prices.take(index)
    return _sections(pool, chosen)


def disagreements(pool: Pool, room: int, measure: Measure) -> str:
    """The section of notes that disagree within `room` units, empty where there are none."""
    text = ""
    for line in pool.findings.disagreeing:
        longer = (text or _findings.DISAGREE_TITLE) + line
        if measure(longer + "\n") <= room:
            text = longer
    return text + "\n" if text else ""


class _Prices:
    """What a line costs given what was taken already: its own text, its parent's, and the headings it brings along."""

    __slots__ = ("_costs", "_leads", "_measure", "_open", "_parents", "_pool", "_taken")

    def __init__(self, pool: Pool, measure: Measure) -> None:
        self._pool = pool
        self._measure = measure
        self._open: set[tuple[object, ...]] = set()
        self._taken: set[int] = set()
        self._leads: dict[str, int] = {}
        self._parents = {line.parent for line in pool.lines}
        self._costs: dict[int, int] = {}

    def text(self, index: int) -> str:
        """The line as it is shown under its day."""
        return _lines.shortened(self._pool.lines[index].text.rstrip(), _LONGEST_LINE_CHARS)

    def _own(self, index: int) -> int:
        if index not in self._costs:
            place = self._pool.findings.places.get(index)
            # A first line may have to say that there is more below it.
            more = _MORE if index in self._parents else ""
            self._costs[index] = self._measure(place.text if place else f"{self.text(index)}{more}\n")
        return self._costs[index]

    def price(self, index: int) -> int:
        """Units that taking the line would cost now."""
        price = self._own(index)
        parent = self._pool.lines[index].parent
        if parent is not None and parent not in self._taken:
            price += self._own(parent)
        return price + sum(self._cost(key) for key in self._keys(index) if key not in self._open)

    def take(self, index: int) -> None:
        """Note that the line is shown."""
        self._taken.add(index)
        self._open.update(self._keys(index))

    def _keys(self, index: int) -> list[tuple[object, ...]]:
        """What has to be printed before the line, unless it is printed already."""
        place = self._pool.findings.places.get(index)
        if place is not None:
            return [("section", place.section), ("group", place.group)]
        line = self._pool.lines[index]
        entry = self._pool.shelves[line.shelf].entries[line.entry]
        group = (line.shelf, entry.group)
        return [("shelf", line.shelf), ("lead", *group, entry.lead), ("head", *group, entry.head)]

    def _cost(self, key: tuple[object, ...]) -> int:
        kind, last = key[0], key[-1]
        if kind == "shelf":
            return self._pool.shelves[int(str(last))].frame
        text = str(last)
        if kind == "section":
            text = _findings.TITLES[text] + "\n"
        elif kind == "group":
            text = _group(text)
        if text not in self._leads:
            self._leads[text] = self._measure(text) if text else 0
        return self._leads[text]


def _group(words: str) -> str:
    return f"### {words}\n" if words else ""


def _sections(pool: Pool, chosen: set[int]) -> list[str]:
    """The text of each section that shows any of `chosen`: what stands below no words first, questions last."""
    places = pool.findings.places
    order = {index: number for number, index in enumerate(places)}

    def place(index: int) -> tuple[bool, int, int]:
        parent = pool.lines[index].parent
        above = index if parent is None else parent
        return places[above].text.rstrip().endswith("?"), order[above], index

    found = []
    for section, title in _findings.TITLES.items():
        shown = sorted((index for index in places if index in chosen and places[index].section == section), key=place)
        if not shown:
            continue
        groups = dict.fromkeys(["", *(places[index].group for index in shown)])
        text = "".join(
            _group(group) + "".join(places[index].text for index in shown if places[index].group == group)
            for group in groups
            if any(places[index].group == group for index in shown)
        )
        found.append(f"{title}{text}\n")
    return found


def _excerpt(
    pool: Pool,
    shelf: Shelf,
    indices: Sequence[int],
    prices: _Prices,
    chosen: set[int],
    times: dict[int, int],
    measure: Measure,
) -> Excerpt:
    ours: dict[int, list[int]] = {}
    elsewhere: dict[int, str] = {}
    total: dict[int, int] = {}
    for index in indices:
        line = pool.lines[index]
        is_here = index not in pool.findings.places
        total[line.entry] = total.get(line.entry, 0) + is_here
        if index in chosen and is_here:
            ours.setdefault(line.entry, []).append(index)
        elif index in chosen:
            elsewhere[line.entry] = elsewhere.get(line.entry, "") + line.text + "\n"
    here: dict[int, str] = {}
    for entry, chosen_here in ours.items():
        shown = [prices.text(index) + (f" ×{times[index]}" if index in times else "") for index in chosen_here]
        if len(shown) < total[entry] and not shown[0].endswith("…"):
            shown[0] += _MORE
        here[entry] = "\n".join(shown) + "\n"
    return excerpt.of(shelf.entries, here, measure, elsewhere=elsewhere)
