"""Merge plain text that is no prose (code, tables, data) by lines, unless both sides changed the same place."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from agentws.core.markdown import markdown
from agentws.features.sync.plan.units import alignment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.features.sync.plan.units.rules import Rules


def merge(base: str | None, ours: str, theirs: str, _: Rules) -> str | None:
    """Return the merged plain text; None if there is no base, or both sides changed the same place."""
    if base is None:
        return None
    before, one, other = (markdown.lines_of(side) for side in (base, ours, theirs))
    made: list[str] = []
    for places in pairwise(_stable(before, one, other)):
        part = _part(
            *([*side[first + 1 : last]] for side, first, last in zip((before, one, other), *places, strict=True))
        )
        if part is None:
            return None
        made += part
        made += before[places[1][0] : places[1][0] + 1]
    return "".join(made)


def _part(base: list[str], ours: list[str], theirs: list[str]) -> list[str] | None:
    if theirs in (ours, base):
        return ours
    return theirs if ours == base else None


def _stable(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the places of the lines that neither side changed, between one before all lines and one behind them."""
    one, other = _in_order(base, ours), _in_order(base, theirs)
    both = [(at, one[at], other[at]) for at in range(len(base)) if at in one and at in other]
    return [(-1, -1, -1), *both, (len(base), len(ours), len(theirs))]


def _in_order(base: Sequence[str], side: Sequence[str]) -> alignment.Pairs:
    pairs = sorted(alignment.align(base, side).items())
    return dict(alignment.longest([place for _, place in pairs], [at for at, _ in pairs]))
