"""The bounds of recall: which hits are sure enough for an agent that did not ask, and which texts it has seen. Pure."""

from __future__ import annotations

from agentws.features.search.plan import terms
from agentws.features.search.plan.unit import DATA, HEADER, JOURNAL, ROOMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Protocol, TypeVar

    from agentws.features.search.plan.query import Query
    from agentws.features.search.plan.unit import Unit

    class Scored(Protocol):
        """A hit with its unit, its score, and the reasons of the score: (feature, value, contribution)."""

        unit: Unit
        score: float
        reasons: list[tuple[str, float, float]]

    Hit = TypeVar("Hit", bound=Scored)


LOOKED_IN = tuple(room for room in ROOMS if room not in (DATA, JOURNAL))
"""Events are not recalled: the prompt itself is one, and so are those before it. Nor is data, which is no memory."""
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


_WORDS = 3
_MOST = 0.7
"""The share of its shingles that shows a text to be in another one, which may have it cut or with marks between."""


def of(text: str) -> list[str]:
    """Return the shingles of a text: each three terms in a row; a shorter text has none."""
    parts = terms.of(text)
    return [" ".join(parts[end - _WORDS : end]) for end in range(_WORDS, len(parts) + 1)]


def is_in(own: Collection[str], others: Collection[str]) -> bool:
    """Return whether a text with `own` shingles is inside one with `others`; a text without shingles always is."""
    return sum(name in others for name in own) >= _MOST * len(own)
