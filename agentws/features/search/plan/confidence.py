"""Confidence that the best hits answer a question, calibrated on questions with their answers removed. Pure."""

from __future__ import annotations

from math import exp

from agentws.features.search.plan import features
from agentws.features.search.plan.weights import CERTAIN, LEAST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.features.search.plan.query import Query
    from agentws.features.search.plan.rank import Ranked, Stats

__all__ = ["LEAST", "NAMES", "of", "signs"]
NAMES = (
    *("score", "lead", "lead_of_ten", "bm25", "coverage", "best_coverage", "rarest", "rare_coverage", "pair"),
    *("window", "names", "feedback", "known"),
)
"""The signs that confidence is computed from, in the order of `signs`."""
_LOOKED_AT = 5
_FARTHEST = 10
_SHOWN = ("bm25", "coverage", "rarest", "rare_coverage", "pair", "window", "names", "feedback_density")
_AT = [features.NAMES.index(name) for name in _SHOWN]


def of(query: Query, ranked: Sequence[Ranked], stats: Stats) -> float:
    """Return the confidence in the ranked hits, 0 to 1; 0 without hits."""
    values = signs(query, ranked, stats)
    if not values:
        return 0.0
    total = CERTAIN[0] + sum(weight * value for weight, value in zip(CERTAIN[1:], values, strict=True))
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


def signs(query: Query, ranked: Sequence[Ranked], stats: Stats) -> list[float]:
    """Return the signs of confidence in the ranked hits, in the order of NAMES; nothing without hits."""
    if not ranked or not ranked[0].row:
        return []
    bm25, coverage, rarest, rare, pair, window, names, feedback = (ranked[0].row[at] for at in _AT)
    scores = sorted((hit.tried for hit in ranked[:_FARTHEST]), reverse=True)
    if len(scores) == 1:
        scores.append(min(0.0, scores[0]))  # a single hit leads by its whole score
    known = sum(stats.df.get(term, 0) > 0 for term in query.terms) / max(1, len(query.terms))
    return [
        scores[0],
        scores[0] - scores[1],
        scores[0] - scores[-1],
        bm25,
        coverage,
        max(hit.coverage for hit in ranked[:_LOOKED_AT]),
        rarest,
        rare,
        pair,
        window,
        names if query.names else coverage,
        feedback,
        known,
    ]
