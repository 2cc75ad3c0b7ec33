"""What compaction keeps of finished days and of the entries it kept before, within a budget. Pure.

The plan of `compact`: values in, values out. Nothing here knows of files; what leaves is said, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, overload

from agentws.formats import managed
from agentws.planning import tokens
from agentws.planning.compaction import (
    bundling,
    candidates,
    closed,
    copied,
    idle,
    leaving,
    overcome,
    scoring,
    shortlist,
)
from agentws.planning.compaction.counts import Counts
from agentws.planning.compaction.greedy import Greedy, Measure
from agentws.planning.compaction.units import Context, Day, Dropped, Entry, Unit

if TYPE_CHECKING:
    from agentws.ports import TokenCounter

REPLACED = leaving.REPLACED
TOLD = "told by another entry"
CROWDED = "crowded out"
_MOST_ROUNDS, _ROUNDS_TO_FILL = 40, 3

Render = Callable[[Sequence[Entry]], str]
"""The text that is to fit, with these entries in it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The `entries` that stay, the text of the managed section (`section`) with what it costs, and what was `dropped`.

    `tokens` is above the budget only where pinned entries alone are. `weighty`: how many decisions, lessons and
    preferences of new days were kept, of how many.
    """

    entries: tuple[Entry, ...]
    dropped: Sequence[Dropped]
    section: str
    tokens: int
    weighty: tuple[int, int] = (0, 0)


def select(
    units: Sequence[Unit],
    budget: int,
    counter: TokenCounter,
    *,
    context: Context | None = None,
    render: Render | None = None,
) -> Kept:
    """The best `units` within `budget` tokens, counted over what `render` makes of the entries (else the section)."""
    context = context or Context()
    around = candidates.besides(context.days, units)
    counts = Counts([*units, *around])
    scores = scoring.Scores(units, counts, context)
    yardstick = tokens.yardstick(counter)
    likely = shortlist.of(units, scores, budget * counter.units_per_token / yardstick)
    scores.weigh_consequences(likely)
    left = _leaving(units, around, counts, context, likely)
    greedy = Greedy(
        units, scores, counts, counter.units, among=likely, yardstick=yardstick, never=left, known=context.memory
    )
    entries, text = _fitted(
        greedy, units, scores.of, budget * counter.units_per_token, counter.units, render or _section
    )
    rest = _Rest(units, scores.of, greedy, left)
    weighty = [index for index, unit in enumerate(units) if unit.entry is None and unit.is_weighty]
    kept = len({*weighty} & {*greedy.chosen})
    return Kept(tuple(entries), rest, text, tokens.tokens(counter, text), (kept, len(weighty)))


def keep(
    days: Sequence[Day],
    entries: Sequence[Entry],
    budget: int,
    counter: TokenCounter,
    *,
    context: Context | None = None,
    render: Render | None = None,
) -> Kept:
    """What stays of `entries`, which compaction kept before, and of new finished `days`."""
    return select(
        [*candidates.of_entries(entries), *copied.of(days)],
        budget,
        counter,
        context=replace(context or Context(), logs=[day.text for day in days], log_days=[day.day for day in days]),
        render=render,
    )


def _leaving(
    units: Sequence[Unit], around: Sequence[Unit], counts: Counts, context: Context, likely: Sequence[int]
) -> dict[int, leaving.Leaving]:
    found = {index: leaving.Leaving(idle.EMPTY) for index in likely if idle.is_idle(units[index])}
    found |= overcome.find(units, around, counts, likely)
    found |= overcome.without_doubt(leaving.find(units, around, counts, context, likely), units)
    return found | closed.find(units, context, likely)


def _section(entries: Sequence[Entry]) -> str:
    return bundling.section(entries, managed.HEADING)


def _fitted(
    greedy: Greedy, units: Sequence[Unit], scores: Sequence[float], room: int, measure: Measure, render: Render
) -> tuple[list[Entry], str]:
    """Fill the room exactly: what headings and joined entries really cost is known when the text is made."""
    greedy.fill(room - measure(render([])))
    entries = bundling.entries(units, greedy.chosen, scores)
    text = render(entries)
    for turn in range(_MOST_ROUNDS):
        over = measure(text) - room
        before = len(greedy.chosen)
        if over > 0:
            greedy.give_back(over)
        elif turn < _ROUNDS_TO_FILL and -over > room // 100:
            greedy.fill(-over)
        if len(greedy.chosen) == before:
            break
        entries = bundling.entries(units, greedy.chosen, scores)
        text = render(entries)
    return entries, text


class _Rest(Sequence[Dropped]):
    """The units that were not kept, each told when it is asked for: there may be very many."""

    def __init__(
        self, units: Sequence[Unit], scores: Sequence[float], greedy: Greedy, left: dict[int, leaving.Leaving]
    ) -> None:
        kept = set(greedy.chosen)
        self._places = [index for index in range(len(units)) if index not in kept]
        self._units, self._scores = units, scores
        self._left, self._told = left, greedy.told

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Dropped: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Dropped]: ...
    def __getitem__(self, place: int | slice) -> Dropped | Sequence[Dropped]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        index = self._places[place]
        unit = self._units[index]
        reason, successor = self._left.get(index, leaving.Leaving(CROWDED))
        if reason == CROWDED and index in self._told:
            reason, successor = TOLD, leaving.told(self._units[self._told[index]])
        return Dropped(
            text=leaving.told(unit),
            day=unit.day,
            sources=unit.sources,
            score=round(self._scores[index], 4),
            reason=reason,
            successor=successor,
            was_entry=unit.entry is not None,
        )
