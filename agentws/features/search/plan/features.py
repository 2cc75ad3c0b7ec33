"""The features of candidates for the ranking: how a unit and its neighbours match a question in words. Pure."""

from __future__ import annotations

from collections import Counter
from datetime import date
from math import exp, log, log1p

from agentws.core.text.lazy import Pattern
from agentws.features.search.plan import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from agentws.features.search.plan.query import Query
    from agentws.features.search.plan.unit import Unit

NAMES = (
    *("bm25", "bm25_of_best", "place", "coverage", "rare_coverage", "rarest", "pair", "window", "heading", "speaker"),
    *("names", "numbers", "date", "beside", "section", "section_of_best", "day", "length", "feedback"),
    *("feedback_density", "feedback_beside", "asks", "asks_the_same", "age", "age_share", "begins"),
    *("density", "most_of_term", "section_sum", "day_of_best", "before", "behind", "is_first"),
)
"""The features, in the order of a row; greater is better for each but `length`, `place`, `age` and `asks`."""
_K1, _B = 1.5, 0.75
_WINDOW = 30
"""The number of terms in a row in which most of the question is looked for."""
_BEGINNING = 25
_FEEDBACK_UNITS = 8
_FEEDBACK_TERMS = 20
_FEEDBACK_ASKED = 60
_MOST_TERMS = 6
_LONG_AGO_DAYS = 400
_OF_DAYS = 100
_DAYS_NEAR = 3
_SPEAKER = Pattern(r"\s*(?:[-*+]\s*)?(?:\d\d:\d\d\s+)?\*\*([^*\n]{1,40}?):?\*\*")


class Candidate:
    """A candidate unit with its matches of the question's terms, from which its features are computed.

    Fields:
        held: how often the unit holds each term of the question.
        bm25: its score by these; `feedback`: its score by further terms of the best units.
        section: its path and headings, which its neighbours share.
        day: the ordinal of its day, 0 if it has none.
    """

    __slots__ = ("bm25", "day", "feedback", "held", "length", "section", "unit")

    def __init__(self, unit: Unit, wanted: Mapping[str, float]) -> None:
        self.unit = unit
        every = unit.terms
        self.length = len(every)
        self.held = _counted(every, wanted)
        self.section = (unit.path, unit.headings)
        self.day = ordinal(unit.day)
        self.bm25 = self.feedback = 0.0

    @property
    def hits(self) -> list[tuple[int, str]]:
        """(place, term) of each match of the question in the unit, in order."""
        return [(place, term) for place, term in enumerate(self.unit.terms) if term in self.held]


def _counted(every: Sequence[str], wanted: Mapping[str, float]) -> dict[str, int]:
    """Return how often each wanted term is in `every`, in the order of `wanted`."""
    held = wanted.keys() & every
    return {term: every.count(term) for term in wanted if term in held} if held else {}


def ordinal(day: str) -> int:
    """Return the ordinal of an ISO day, for features of age and date; 0 if the text is not a day."""
    try:
        return date.fromisoformat(day[:10]).toordinal() if day else 0
    except ValueError:
        return 0


def idf(units: int, count: int) -> float:
    """Return the inverse document frequency of a term that `count` of all units hold: its weight in the features."""
    return log(1 + max(0.0, units - count + 0.5) / (count + 0.5))


class Field:
    """The field of all candidates of a question: computes their features, which often compare them."""

    def __init__(
        self,
        query: Query,
        units: Iterable[Unit],
        total: int,
        average_length: float,
        df: Mapping[str, int],
        counts: Callable[[Sequence[str]], Mapping[str, int]] | None = None,
    ) -> None:
        self.query = query
        self.total = max(total, 1)
        self.average_length = average_length or 1.0
        self.weights = {term: idf(self.total, df.get(term, 0)) for term in query.terms}
        self.candidates = [Candidate(unit, self.weights) for unit in units]
        self.by_id = {candidate.unit.id: candidate for candidate in self.candidates}
        for candidate in self.candidates:
            candidate.bm25 = self._bm25(candidate.held, candidate.length, self.weights)
        self._measure_question(df)
        self._expand(counts)
        self._measure_sections()
        self.today = ordinal(query.now)
        self.first_day = min((candidate.day for candidate in self.candidates if candidate.day), default=self.today)

    def _bm25(self, held: Mapping[str, int], length: int, weights: Mapping[str, float]) -> float:
        norm = _K1 * (1 - _B + _B * length / self.average_length)
        return sum(weights[term] * count * (_K1 + 1) / (count + norm) for term, count in held.items())

    def _measure_question(self, df: Mapping[str, int]) -> None:
        weights = self.weights
        known = [weights[term] for term in weights if df.get(term, 0)]
        heaviest = sorted(weights.values(), reverse=True)
        self.mass = sum(known) or 1.0
        self.scale = min(self.mass, sum(heaviest[:_MOST_TERMS])) * 2 or 1.0
        self.heaviest = heaviest[0] if heaviest and heaviest[0] else 1.0
        by_weight = sorted(weights, key=lambda term: (-weights[term], term))
        self.rare = by_weight[: max(1, min(3, (len(by_weight) + 1) // 2))]
        self.rare_mass = sum(weights[term] for term in self.rare) or 1.0
        self.names_asked = [term for term in self.query.terms if term in self.query.names]
        self.name_mass = sum(weights[term] for term in self.names_asked)
        self.ranked = sorted(
            self.candidates, key=lambda candidate: (-candidate.bm25, candidate.unit.path, candidate.unit.line)
        )
        self.best = (self.ranked[0].bm25 if self.ranked else 0.0) or 1.0
        self.places = {candidate.unit.id: place for place, candidate in enumerate(self.ranked)}

    def _expand(self, counts: Callable[[Sequence[str]], Mapping[str, int]] | None) -> None:
        """Score every candidate by the further terms of the best ones (pseudo-relevance feedback)."""
        self.best_feedback = 1.0
        term_weights: dict[str, float] = {}
        for candidate in self.ranked[:_FEEDBACK_UNITS]:
            weight = candidate.bm25 / self.best / (candidate.length**0.5 + 5)
            for term, count in Counter(candidate.unit.terms).items():
                if term not in self.weights and len(term) > 1:
                    term_weights[term] = term_weights.get(term, 0.0) + weight * min(count, 3)
        if not term_weights or counts is None:
            return
        df = counts(sorted(term_weights, key=lambda term: (-term_weights[term], term))[: _FEEDBACK_ASKED * 4])
        scores = {
            term: term_weights[term] * idf(self.total, count)
            for term, count in df.items()
            if 1 < count < self.total * 0.2
        }
        chosen = sorted(scores, key=lambda term: (-scores[term], term))[:_FEEDBACK_TERMS]
        if not chosen:
            return
        most = scores[chosen[0]] or 1.0
        weights = {term: scores[term] / most * idf(self.total, df[term]) for term in chosen}
        for candidate in self.candidates:
            held = _counted(candidate.unit.terms, weights)
            candidate.feedback = self._bm25(held, candidate.length, weights) if held else 0.0
        self.best_feedback = max((candidate.feedback for candidate in self.candidates), default=0.0) or 1.0

    def _measure_sections(self) -> None:
        sections: dict[object, list[float]] = {}
        self.days: dict[str, float] = {}
        for candidate in self.candidates:
            sections.setdefault(candidate.section, []).append(candidate.bm25)
            self.days[candidate.unit.path] = max(candidate.bm25, self.days.get(candidate.unit.path, 0.0))
        self.sections = {
            section: (max(scores), sum(sorted(scores, reverse=True)[:4])) for section, scores in sections.items()
        }
        self.best_section = max((together for _, together in self.sections.values()), default=0.0) or 1.0
        self.day_sums: dict[str, float] = {}
        for candidate in self.ranked[:_OF_DAYS]:
            self.day_sums[candidate.unit.path] = self.day_sums.get(candidate.unit.path, 0.0) + candidate.bm25
        self.best_day = max(self.day_sums.values(), default=0.0) or 1.0
        self.heading_terms: dict[tuple[str, ...], float] = {}

    def names(self, candidate: Candidate) -> bool:
        """Return whether a unit or its headings match the question in any term, or its day is one that is named."""
        is_begun = self.query.prefixes and terms.begins(candidate.unit.text, self.query.prefixes)
        return (
            bool(candidate.held or is_begun or self._heading(candidate.unit.headings)) or self._date(candidate) == 1.0
        )

    def row(self, candidate: Candidate) -> list[float]:
        """Return the features of a candidate by words, in the order of NAMES."""
        weights = self.weights
        seen = [term for term in weights if term in candidate.held]
        coverage = sum(map(weights.__getitem__, seen)) / self.mass
        hits = candidate.hits
        pair, window = self._near_each_other(hits)
        highest, together = self.sections[candidate.section]
        near = [self._beside(candidate, step) for step in (-1, 1, -2, 2)]
        asks = candidate.unit.text.rstrip().endswith(("?", "？"))
        return [
            candidate.bm25 / self.scale,
            candidate.bm25 / self.best,
            log1p(self.places[candidate.unit.id]),
            coverage,
            sum(weights[term] for term in self.rare if term in candidate.held) / self.rare_mass,
            max(map(weights.__getitem__, seen), default=0.0) / self.heaviest,
            pair / self.mass,
            window / self.mass,
            self._heading(candidate.unit.headings),
            self._speaker(candidate),
            sum(weights[term] for term in self.names_asked if term in candidate.held) / (self.name_mass or 1.0),
            sum(term in candidate.held for term in self.query.numbers) / (len(self.query.numbers) or 1),
            self._date(candidate),
            (max(near[0][0], near[1][0]) + 0.5 * max(near[2][0], near[3][0])) / self.scale,
            highest / self.scale,
            together / self.best_section,
            self.days[candidate.unit.path] / self.scale,
            log1p(candidate.length),
            candidate.feedback / self.best_feedback,
            candidate.feedback / self.scale,
            max(near[0][1], near[1][1]) / self.best_feedback,
            float(asks),
            coverage if asks else 0.0,
            log1p(max(0, self.today - candidate.day) if self.today and candidate.day else _LONG_AGO_DAYS),
            (candidate.day - self.first_day) / max(1, self.today - self.first_day)
            if candidate.day and self.today
            else 0.5,
            sum(weights[term] for term in {term: 0 for place, term in hits if place < _BEGINNING}) / self.mass,
            len(seen) / max(1, candidate.length) ** 0.5,
            max((weights[term] * count for term, count in candidate.held.items()), default=0.0) / self.heaviest,
            together / self.scale,
            self.day_sums.get(candidate.unit.path, 0.0) / self.best_day,
            near[0][0] / self.scale,
            near[1][0] / self.scale,
            float(candidate.unit.is_first),
        ]

    def _near_each_other(self, hits: Sequence[tuple[int, str]]) -> tuple[float, float]:
        """Return how much of the question the unit holds as pairs in the same order, and how much within one window."""
        pair = best = within = 0.0
        behind = 0
        held: dict[str, int] = {}
        last_place, last = -9, ""
        for place, term in hits:
            if place - last_place <= 2 and (last, term) in self.query.pairs:
                pair += self.weights[last] + self.weights[term]
            last_place, last = place, term
            count = held.get(term, 0)
            if not count:
                within += self.weights[term]
            held[term] = count + 1
            while place - hits[behind][0] > _WINDOW:
                left = hits[behind][1]
                held[left] -= 1
                if not held[left]:
                    within -= self.weights[left]
                behind += 1
            best = max(best, within)
        return pair, best

    def _beside(self, candidate: Candidate, step: int) -> tuple[float, float]:
        """Return (bm25, feedback) of the unit `step` places behind in the same section."""
        other = self.by_id.get(candidate.unit.id + step)
        return (other.bm25, other.feedback) if other is not None and other.section == candidate.section else (0.0, 0.0)

    def _heading(self, headings: tuple[str, ...]) -> float:
        known = self.heading_terms.get(headings)
        if known is None:
            held = dict.fromkeys(term for term in terms.of(" ".join(headings)) if term in self.weights)
            known = self.heading_terms[headings] = sum(self.weights[term] for term in held) / self.mass
        return known

    def _speaker(self, candidate: Candidate) -> float:
        """Return how much of the question names the speaker of the turn: `**Name:**`."""
        if "**" not in candidate.unit.text[:60] or not candidate.held:
            return 0.0
        match = _SPEAKER.match(candidate.unit.text)
        held = dict.fromkeys(term for term in terms.of(match[1]) if term in self.weights) if match else ()
        return sum(self.weights[term] for term in held) / self.mass

    def _date(self, candidate: Candidate) -> float:
        """Return 1 for a unit of a day that the question names, less near such a day."""
        if not self.query.spans or not candidate.day:
            return 0.0
        distance = min(
            max(0, ordinal(first) - candidate.day, candidate.day - ordinal(last)) for first, last in self.query.spans
        )
        return 1.0 if not distance else 0.8 * exp(-distance / _DAYS_NEAR)
