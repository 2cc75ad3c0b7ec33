"""The bounds of recall: which hits are sure enough to be given to an agent that did not ask. Pure.

A wrong recall costs an agent more than a search of its own, so the bounds are high. How they were measured:
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
        """A hit with its unit, its score, and the reasons of the score: (feature, value, contribution)."""

        unit: Unit
        score: float
        reasons: list[tuple[str, float, float]]

    Hit = TypeVar("Hit", bound=Scored)


LOOKED_IN = tuple(room for room in ROOMS if room != JOURNAL)
"""Events are not recalled: the prompt itself is one, and so are those before it."""
CONFIDENT = 0.76
"""How sure the search must be of its best hits."""
MOST = 3
_LEAST_TERMS = 4
"""A prompt of fewer terms asks for nothing in particular: many entries contain "go on"."""
_COVERAGE, _COVERAGE_BESIDE = 0.6, 0.7
"""How much of the question the best hit must cover, and how much the others."""
_NEAR = 0.5
"""How near the others must come to the best score."""
_FORMS = ("heading", HEADER)


def sure(query: Query, hits: Sequence[Hit], confidence: float) -> list[Hit]:
    """Return the few hits that recall may give, the best first; `confidence` is that of the search."""
    is_sure = confidence >= CONFIDENT and len(query.terms) >= _LEAST_TERMS
    if not hits or not is_sure or not _tells(hits[0], _COVERAGE):
        return []
    best = hits[0]
    beside = [hit for hit in hits[1:MOST] if best.score - hit.score <= _NEAR and _tells(hit, _COVERAGE_BESIDE)]
    return [best, *beside]


def _tells(hit: Scored, coverage: float) -> bool:
    """Return whether a hit covers that much of the question and is no question, heading or header itself."""
    values = {name: value for name, value, _ in hit.reasons}
    return hit.unit.form not in _FORMS and not values.get("asks", 1.0) and values.get("coverage", 0.0) >= coverage
