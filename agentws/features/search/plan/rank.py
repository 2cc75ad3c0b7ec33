"""The ranking of candidates by how well they answer a question, each with the reasons of its score. Pure."""

from __future__ import annotations

from bisect import bisect_left

from agentws.core.notes import dates
from agentws.features.search.plan import features, terms, unit as _unit, when
from agentws.features.search.plan.weights import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentws.features.search.plan.query import Query
    from agentws.features.search.plan.unit import Unit

_MOST = 150
"""How many candidates, the best by BM25, are measured in full; the others follow in the order of BM25."""
_BEHIND = -1000.0
_TABLES = [TABLES[name] for name in features.NAMES]
_COVERAGE, _AGE, _AGE_SHARE = map(features.NAMES.index, ("coverage", "age", "age_share"))
# No training set has these marks, so they only decide between units that answer nearly alike.
_STANDING = 0.15
_IMPORTANCE = 0.05
_USUAL_IMPORTANCE = 5
_EVENT = -0.3
_ONLY_HEADING = -1.5
_PHRASE = 2.0
_PREFIX = 1.0
# Training questions hold words that no entry has; a person who remembers words of a line asks with these alone.
_WHOLE = "all of it"
_AGELESS = "ageless"
_HALF = 0.5
_ALL_OF_IT = 2.0
_TOLD = 0.9
"""The least share of an event's name that an entry must hold to date the event."""


class Stats:
    """Counts for ranking: how many units there are, their average length in terms, and how many hold each query term.

    `counts` returns the number of units for any other terms.
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
    """A ranked unit: its score, and how much of the question it covers; `row` and `marks` make up the score."""

    __slots__ = ("coverage", "marks", "row", "score", "unit")

    def __init__(
        self,
        unit: Unit,
        score: float,
        row: Sequence[float],
        coverage: float = 0.0,
        marks: Sequence[tuple[str, float]] = (),
    ) -> None:
        self.unit = unit
        self.score = score
        self.row = row
        self.coverage = coverage
        self.marks = marks

    @property
    def tried(self) -> float:
        """The score of a ranked unit without the marks for covering most of the question and for being ageless.

        The confidence was calibrated without these.
        """
        return self.score - sum(adds for name, adds in self.marks if name in (_WHOLE, _AGELESS))

    @property
    def reasons(self) -> list[tuple[str, float, float]]:
        """(feature, value, contribution) of each part of a ranked unit's score."""
        names: tuple[str, ...] = features.NAMES
        if len(self.row) > len(names):
            from agentws.features.search.plan import similarity

            names += similarity.NAMES
        rows = zip(names, self.row, _added(self.row), strict=True) if self.row else ()
        return [*rows, *((name, 1.0, adds) for name, adds in self.marks)]


def rank(query: Query, units: Sequence[Unit], stats: Stats, similar: Mapping[int, float] | None = None) -> list[Ranked]:
    """Rank the units that match the query, the best first; `units` also has the neighbours of candidates.

    Of units with the same text (a day and its copy in the archive) only the best is returned. `similar` maps numbers of
    units to their similarity to the question, if there are vectors.
    """
    field = features.Field(query, units, stats.units, stats.average_length, stats.df, stats.counts)
    candidates = [candidate for candidate in field.ranked if field.names(candidate)]
    if similar:
        hits = _by_meaning(field, candidates, similar)
    else:
        hits = [_measured(field, candidate) for candidate in candidates[:_MOST]]
        hits += [_behind(candidate) for candidate in candidates[_MOST:]]
    hits.sort(key=lambda hit: (hit.unit.path, hit.unit.line))
    hits.sort(key=lambda hit: (hit.score, hit.unit.day), reverse=True)
    best: dict[str, Ranked] = {}
    for hit in hits:
        best.setdefault(hit.unit.text, hit)
    return list(best.values())


def weights(query: Query, stats: Stats) -> dict[str, float]:
    """Return the weight (idf) of each term of a query, as the ranking uses it."""
    return {term: features.idf(max(stats.units, 1), stats.df.get(term, 0)) for term in query.terms}


def take_anchor(query: Query, ranked: Sequence[Ranked]) -> None:
    """Add to a query's days those that are its anchor's distance from an event ("two weeks before the launch").

    `ranked` are the entries about the event; its day is the date in the first one that names it, else that entry's day.
    """
    if query.anchor is None:
        return
    days, tolerance, _ = query.anchor
    unit = next((hit.unit for hit in ranked if hit.coverage >= _TOLD and hit.unit.day), None)
    if unit is not None:
        span = when.around(dates.of(unit.text, day=unit.day) or unit.day, days, tolerance)
        query.spans += [span] if span else []


def _by_meaning(
    field: features.Field, candidates: Sequence[features.Candidate], similar: Mapping[int, float]
) -> list[Ranked]:
    """Return the candidates measured by words and vectors; the nearest by vectors are included in any case."""
    from agentws.features.search.plan import similarity

    near = similarity.Similarity(field, similar)
    looked_at = dict.fromkeys((*candidates[:_MOST], *near.ranked[: similarity.NEAREST]))
    hits = [_measured(field, candidate, near.row(candidate)) for candidate in looked_at]
    return hits + [_behind(candidate) for candidate in candidates[_MOST:] if candidate not in looked_at]


def _measured(field: features.Field, candidate: features.Candidate, nearness: Sequence[float] = ()) -> Ranked:
    row = [*field.row(candidate), *nearness]
    marks = _marks(field.query, candidate.unit)
    if row[_COVERAGE] > _HALF and candidate.unit.room != _unit.JOURNAL:  # a prompt repeats the words of the question
        marks.append((_WHOLE, _ALL_OF_IT * ((row[_COVERAGE] - _HALF) / _HALF) ** 2))
    added = _added(row)
    if candidate.unit.is_standing:  # its age does not count, as far as it has the words of the question
        row_of_today = [*row]
        row_of_today[_AGE], row_of_today[_AGE_SHARE] = 0.0, 1.0
        marks.append((_AGELESS, row[_COVERAGE] * max(0.0, sum(_added(row_of_today)) - sum(added))))
    score = sum(added) + sum(adds for _, adds in marks)
    return Ranked(candidate.unit, score, row, row[_COVERAGE], marks)


def _added(row: Sequence[float]) -> list[float]:
    tables = _TABLES
    if len(row) > len(tables):
        from agentws.features.search.plan import similarity

        tables = similarity.TABLES
    return [values[bisect_left(bounds, value)] for value, (bounds, values) in zip(row, tables, strict=True)]


def _behind(candidate: features.Candidate) -> Ranked:
    """Return a candidate that was not measured in full, behind all that were."""
    return Ranked(candidate.unit, _BEHIND + candidate.bm25, (), 0.0, (("behind", _BEHIND), ("bm25", candidate.bm25)))


def _marks(query: Query, unit: Unit) -> list[tuple[str, float]]:
    """Return the (name, contribution) of a unit's marks, and of phrases and prefixes that it matches."""
    marks = []
    if unit.is_standing:
        marks.append(("standing", _STANDING))
    elif unit.room == _unit.JOURNAL:
        marks.append(("event", _EVENT))
    if unit.importance:
        marks.append(("importance", _IMPORTANCE * (unit.importance - _USUAL_IMPORTANCE)))
    if unit.form == "heading":
        marks.append(("only a heading", _ONLY_HEADING))
    marks += [("phrase", _PHRASE) for phrase in query.phrases if _holds(unit.terms, phrase)]
    marks += [("prefix", _PREFIX) for prefix in query.prefixes if terms.begins(unit.text, (prefix,))]
    return marks


def is_exact(unit: Unit, query: Query) -> bool:
    """Return whether a ranked unit matches exactly: it holds each phrase of a question, and each prefix."""
    return all(_holds(unit.terms, phrase) for phrase in query.phrases) and all(
        terms.begins(unit.text, (prefix,)) for prefix in query.prefixes
    )


def _holds(terms: Sequence[str], phrase: Sequence[str]) -> bool:
    """Return whether a text's terms contain the phrase's terms in a row."""
    count = len(phrase)
    return bool(count) and any(
        term == phrase[0] and tuple(terms[at : at + count]) == tuple(phrase) for at, term in enumerate(terms)
    )
