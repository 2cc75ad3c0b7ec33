"""Which hits are sure enough to be told to an agent that did not ask for them. Pure.

What an agent is told wrongly costs more than what it has to search for, so the bounds are high. How they were measured:
docs/benchmarks.md.
"""

from __future__ import annotations

from agentws.features.search.plan.unit import HEADER, JOURNAL, ROOMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol, TypeVar

    from agentws.features.search.plan.query import Query
    from agentws.features.search.plan.unit import Unit

    class Scored(Protocol):
        """A hit: its unit, its score, and the reasons of that: (feature, value, contribution)."""

        unit: Unit
        score: float
        reasons: list[tuple[str, float, float]]

    Hit = TypeVar("Hit", bound=Scored)


LOOKED_IN = tuple(room for room in ROOMS if room != JOURNAL)
"""Events are not told: the prompt itself is one, and those before it."""
CONFIDENT = 0.76
"""How sure the search must be of its best hits."""
MOST = 3
_LEAST_TERMS = 4
"""A prompt of fewer words asks for nothing in particular: "go on" has stood in many an entry."""
_COVERAGE, _COVERAGE_BESIDE = 0.6, 0.7
"""How much of the question the best hit must name, and others beside it."""
_NEAR = 0.5
"""How near to the best score those must come."""
_FORMS = ("heading", HEADER)


def sure(query: Query, hits: Sequence[Hit], confidence: float) -> list[Hit]:
    """Return the few of these hits, the best first, that may be told; `confidence` is that of the search."""
    is_sure = confidence >= CONFIDENT and len(query.terms) >= _LEAST_TERMS
    if not hits or not is_sure or not _tells(hits[0], _COVERAGE):
        return []
    best = hits[0]
    beside = [one for one in hits[1:MOST] if best.score - one.score <= _NEAR and _tells(one, _COVERAGE_BESIDE)]
    return [best, *beside]


def _tells(hit: Scored, coverage: float) -> bool:
    """Return whether a hit names so much of the question and is no question itself."""
    values = {name: value for name, value, _ in hit.reasons}
    return hit.unit.form not in _FORMS and not values.get("asks", 1.0) and values.get("coverage", 0.0) >= coverage
