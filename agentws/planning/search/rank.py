"""Candidates in the order in which they answer a question, each with why. Pure."""

from __future__ import annotations

from bisect import bisect_left

from agentws.planning.search import features
from agentws.planning.search import unit as _unit
from agentws.planning.search.weights import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentws.planning.search.query import Query
    from agentws.planning.search.unit import Unit

_MOST = 150
"""How many candidates, the best by BM25, are measured in full; the others stand behind them in that order."""
_BEHIND = -100.0
_TABLES = [TABLES[name] for name in features.NAMES]
# No set to train on has these marks; they only decide between what answers nearly alike.
_STANDING = 0.15
_IMPORTANCE = 0.05
_USUAL_IMPORTANCE = 5
_EVENT = -0.3
_ONLY_HEADING = -1.5
_PHRASE = 2.0
_PREFIX = 1.0


class Stats:
    """How many units there are, their average length in terms, and how many of them hold each term of the question.

    `counts` tells the last of other terms, too.
    """

    __slots__ = ("average_length", "counts", "df", "units")

    def __init__(
        self,
        units: int,
        average_length: float,
        df: Mapping[str, int],
        counts: Callable[[Sequence[str]], Mapping[str, int]] | None = None,
    ) -> None:
        self.units = units
        self.average_length = average_length
        self.df = df
        self.counts = counts


class Ranked:
    """A unit, its score, the reasons: (feature, value, contribution), and the `coverage` of the question by it."""

    __slots__ = ("coverage", "reasons", "score", "unit")

    def __init__(
        self, unit: Unit, score: float, reasons: list[tuple[str, float, float]], coverage: float = 0.0
    ) -> None:
        self.unit = unit
        self.score = score
        self.reasons = reasons
        self.coverage = coverage


def rank(query: Query, units: Sequence[Unit], stats: Stats) -> list[Ranked]:
    """Return the units that answer, the best first; those beside them are among `units` too, for their neighbours.

    The same text found twice (a day and its copy in the archive) is one answer.
    """
    field = features.Field(query, units, stats.units, stats.average_length, stats.df, stats.counts)
    found = [_measured(field, one) for one in field.ranked[:_MOST] if _may_answer(query, one)]
    behind = [one for one in field.ranked[_MOST:] if _may_answer(query, one)]
    found += [Ranked(one.unit, _BEHIND + one.bm25 / field.best, [("bm25", one.bm25, one.bm25)]) for one in behind]
    found.sort(key=lambda one: (one.unit.path, one.unit.line))
    found.sort(key=lambda one: (one.score, one.unit.day), reverse=True)
    said: set[str] = set()
    return [one for one in found if not (one.unit.text in said or said.add(one.unit.text))]


def _may_answer(query: Query, one: features.Candidate) -> bool:
    """Return whether anything of a question stands in a unit, beside it or above it."""
    return True


def _measured(field: features.Field, one: features.Candidate) -> Ranked:
    row = field.row(one)
    reasons = [
        (name, value, values[bisect_left(bounds, value)])
        for name, value, (bounds, values) in zip(features.NAMES, row, _TABLES, strict=True)
    ]
    reasons += [(name, 1.0, adds) for name, adds in _marks(field.query, one.unit)]
    return Ranked(one.unit, sum(adds for _, _, adds in reasons), reasons, row[features.NAMES.index("coverage")])


def _marks(query: Query, unit: Unit) -> list[tuple[str, float]]:
    """What marks of a unit add, and what is asked for exactly."""
    found = []
    if unit.room == _unit.MEMORY:
        found.append(("standing", _STANDING))
    elif unit.room == _unit.JOURNAL:
        found.append(("event", _EVENT))
    if unit.importance:
        found.append(("importance", _IMPORTANCE * (unit.importance - _USUAL_IMPORTANCE)))
    if unit.form == "heading":
        found.append(("only a heading", _ONLY_HEADING))
    found += [("phrase", _PHRASE) for phrase in query.phrases if _holds(unit.terms, phrase)]
    found += [("prefix", _PREFIX) for prefix in query.prefixes if any(map(prefix.__eq__, _begun(unit, prefix)))]
    return found


def _begun(unit: Unit, prefix: str) -> list[str]:
    return [prefix for term in unit.terms if term.startswith(prefix)][:1]


def _holds(terms: Sequence[str], phrase: Sequence[str]) -> bool:
    """Return whether terms stand in a text in this order, one right behind the other."""
    count = len(phrase)
    return bool(count) and any(
        term == phrase[0] and tuple(terms[at : at + count]) == tuple(phrase) for at, term in enumerate(terms)
    )
