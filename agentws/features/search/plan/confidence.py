"""How sure it is that the best units answer a question: calibrated by taking the answers out. Pure."""

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
"""What is looked at, in the order of `signs`."""
_LOOKED_AT = 5
_FARTHEST = 10
_SHOWN = ("bm25", "coverage", "rarest", "rare_coverage", "pair", "window", "names", "feedback_density")
_AT = [features.NAMES.index(name) for name in _SHOWN]


def of(query: Query, ranked: Sequence[Ranked], stats: Stats) -> float:
    """Return 0 to 1; 0 where nothing was found."""
    found = signs(query, ranked, stats)
    if not found:
        return 0.0
    total = CERTAIN[0] + sum(weight * value for weight, value in zip(CERTAIN[1:], found, strict=True))
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


def signs(query: Query, ranked: Sequence[Ranked], stats: Stats) -> list[float]:
    """Return what tells whether the best of these answer, in the order of NAMES; nothing where there are none."""
    if not ranked or not ranked[0].row:
        return []
    bm25, coverage, rarest, rare, pair, window, names, feedback = (ranked[0].row[at] for at in _AT)
    scores = sorted((one.tried for one in ranked[:_FARTHEST]), reverse=True)
    if len(scores) == 1:
        scores.append(min(0.0, scores[0]))  # alone it leads by all that it has
    known = sum(stats.df.get(term, 0) > 0 for term in query.terms) / max(1, len(query.terms))
    return [
        scores[0],
        scores[0] - scores[1],
        scores[0] - scores[-1],
        bm25,
        coverage,
        max(one.coverage for one in ranked[:_LOOKED_AT]),
        rarest,
        rare,
        pair,
        window,
        names if query.names else coverage,
        feedback,
        known,
    ]
