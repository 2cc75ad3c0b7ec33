"""Counters for a text that has to keep a budget and what its reader allows besides. Pure.

A boot that is fitted under one of them is cut to the best text within all limits at once, by a single rule: what is
granted to its stable part depends on the limits alone, as under any other counter.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.ports import TokenCounter

    Measure = Callable[[str], int]


class Limited:
    """A counter under which a text keeps the budget exactly where each of `limits` holds: (measure, most).

    The first limit is the budget itself, in whatever measure its `most` is a multiple of `budget`. Its name and trust
    are those of `counter`; its units are of no meaning beside that.
    """

    def __init__(self, counter: TokenCounter, budget: int, limits: Sequence[tuple[Measure, int]]) -> None:
        self.name = counter.name
        self.exact = counter.exact
        self.trust = counter.trust
        room = 1
        for _, most in limits:
            room *= most
        self.units_per_token = room // budget
        self._weights = [(measure, room // most) for measure, most in limits]

    def units(self, text: str) -> int:
        """What `text` takes of the limit that it comes nearest to."""
        return max([measure(text) * weight for measure, weight in self._weights])


def one_text(counter: TokenCounter, budget: int, *, size: Measure, most: int) -> TokenCounter:
    """The counter for one text of at most `budget` tokens and at most `most` by `size`."""
    return Limited(counter, budget, [(counter.units, budget * counter.units_per_token), (size, most)])


def in_parts(
    counter: TokenCounter, budget: int, *, size: Measure, most: int, heading: str, in_all: int = 0, spare: int = 1
) -> TokenCounter:
    """The counter for a text that is split into parts of at most `most` by `size`, all but the first with a `heading`.

    All parts together keep the `budget`, headings included, and are at most `in_all` by `size` where that is not 0.
    `spare` multiplies what is set aside for headings.
    """
    room = most - size(heading)
    # `parts.split` fills two neighbours to more than one part, so there are at most 2 x size / room headings. Two
    # tokens more for each: within a line, counts do not add up exactly.
    twice = 2 * spare
    heading_units = counter.units(heading) + 2 * counter.units_per_token

    def with_headings(text: str) -> int:
        return counter.units(text) * room + twice * heading_units * size(text)

    limits: list[tuple[Measure, int]] = [(with_headings, budget * counter.units_per_token * room)]
    if in_all:
        limits.append((size, max(1, in_all * room // (room + twice * size(heading)))))
    return Limited(counter, budget, limits)
