"""Siblings of a short entry: the entries beside it below the same heading, which often give its reason. Pure.

An entry that begins with a time has none: it and its neighbours are moments of their own.
"""

from __future__ import annotations

from agentws.core.markdown import notes
from agentws.features.search.plan import unit as _unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.features.search.plan.unit import Unit

_MOST_CHARS = 400
_SHORT_CHARS = 200
_FARTHEST = 8
_BEGINNING = 40
_FORMS = ("item", "row")


def of(unit: Unit, units: Callable[[list[int]], list[Unit]]) -> list[Unit]:
    """Return the siblings of a unit: its list if small, else the two beside it; none if it is long, lone or timed.

    `units` returns units by their numbers.
    """
    if unit.room == _unit.JOURNAL or unit.form not in _FORMS or "\n" in unit.text or len(unit.text) > _SHORT_CHARS:
        return []
    if not unit.headings or notes.time_in(unit.text[:_BEGINNING]):
        return []
    by_id = {passage.id: passage for passage in units([*range(unit.id - _FARTHEST, unit.id), *_behind(unit.id)])}
    before = _row(unit, [by_id.get(unit.id - step) for step in range(1, _FARTHEST + 1)])[::-1]
    behind = _row(unit, [by_id.get(unit.id + step) for step in range(1, _FARTHEST + 1)])
    is_whole = max(len(before), len(behind)) < _FARTHEST
    if is_whole and sum(len(passage.text) for passage in (*before, *behind)) <= _MOST_CHARS:
        return [*before, *behind]
    return [passage for passage in (*before[-1:], *behind[:1]) if len(passage.text) <= _SHORT_CHARS]


def _behind(number: int) -> range:
    return range(number + 1, number + _FARTHEST + 1)


def _row(unit: Unit, others: Sequence[Unit | None]) -> list[Unit]:
    """Return the first of `others`, as far as they are in the unit's list."""
    kept: list[Unit] = []
    for passage in others:
        if (
            passage is None
            or passage.path != unit.path
            or passage.headings != unit.headings
            or passage.form != unit.form
        ):
            break
        kept.append(passage)
    return kept
