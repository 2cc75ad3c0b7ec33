"""Candidates in the order in which they answer a question, each with why. Pure."""

from __future__ import annotations

from collections import Counter
from math import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.planning.search.query import Query
    from agentws.planning.search.unit import Unit

_K1, _B = 1.2, 0.75


class Stats:
    """How many units there are, their average length in terms, and how many of them hold each term of the question."""

    __slots__ = ("average_length", "df", "units")

    def __init__(self, units: int, average_length: float, df: Mapping[str, int]) -> None:
        self.units = units
        self.average_length = average_length
        self.df = df


class Ranked:
    """A unit, its score, and the reasons: (feature, value, contribution)."""

    __slots__ = ("reasons", "score", "unit")

    def __init__(self, unit: Unit, score: float, reasons: list[tuple[str, float, float]]) -> None:
        self.unit = unit
        self.score = score
        self.reasons = reasons


def idf(term: str, stats: Stats) -> float:
    """Return how much a term tells."""
    count = stats.df.get(term, 0)
    return log(1 + (stats.units - count + 0.5) / (count + 0.5))


def rank(query: Query, units: Sequence[Unit], stats: Stats) -> list[Ranked]:
    """Return the units that answer, the best first; those beside them are among `units` too, for their neighbours."""
    found = []
    for unit in units:
        score = _bm25(query, unit, stats)
        if score > 0:
            found.append(Ranked(unit, score, [("bm25", score, score)]))
    found.sort(key=lambda one: (one.unit.path, one.unit.line))
    found.sort(key=lambda one: (one.score, one.unit.day), reverse=True)
    return found


def _bm25(query: Query, unit: Unit, stats: Stats) -> float:
    counts = Counter(unit.terms)
    length = 1 - _B + _B * len(unit.terms) / (stats.average_length or 1)
    total = 0.0
    for term in query.terms:
        if count := counts[term]:
            total += idf(term, stats) * count * (_K1 + 1) / (count + _K1 * length)
    for prefix in query.prefixes:
        if any(term.startswith(prefix) for term in counts):
            total += 1.0
    return total
