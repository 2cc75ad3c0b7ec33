"""Confidence that the best hits answer a question, and the words of it that no entry contains. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp

from agentws.core.text.lazy import Pattern
from agentws.features.search.plan import features, terms, when
from agentws.features.search.plan.query import Query
from agentws.features.search.plan.rank import Ranked, Stats
from agentws.features.search.plan.weights import CERTAIN, LEAST

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


_WORD = Pattern(rf"[{terms.LETTER}'’./:@+#-]+\*?")
_EDGES = "'’./:@-*"
_FRAME = """
    actually again already always ask asked away back because bring brought came come did does done else ever every
    exactly few find found gave get give given gone got happen happened it's just keep kept kind let like list long look
    made make many may me mean meant might mention more most much must need never not now often once one only other
    others own people please put rather really recent reason remember remind right said same saw say see seen sent set
    shall should show still take taken tell thing think thought time together told took two until use used want way
    well went whether while whose without yet
    aber alle auch auf aus bei beim dann das dass dem den der des die diese doch ein eine einem einen einer er es für
    ganz ganze ganzen gab habe haben hat hatte hatten ich ihr im immer ist kein keine man mit nach nicht noch nur oder
    schon sie sind so über um und uns unser unsere vom von vor wann war waren warum was welche welchen welcher wem wen
    wer werden weshalb wie wieder wir wird wo wurde wurden zu zum zur
    como con cual cuando cuál cuándo cómo de del dónde el en era es esta este fue ha hay la las lo los nos para pero por
    porque que quien quién qué se sin son su sus un una y
    au aux avec ce ces cette comment dans des du elle est et il ils le les leur nous où ou par pas pour pourquoi quand
    que quel quelle qui quoi sa ses son sur une vous été
"""
_FRAME_TERMS = frozenset(terms.of(_FRAME))
"""Words that only frame a question."""


def unknown_words(query: Query, df: Mapping[str, int]) -> list[str]:
    """Return the unknown words of a question as they are written, each once: no entry holds any of their terms.

    `df` counts the entries of each term. Days that were understood, prefixes (`word*`) and words that only frame the
    question do not count.
    """
    has_days = bool(query.spans or query.anchor)
    by_terms: dict[frozenset[str], str] = {}
    for word, own in _content(query):
        if not any(df.get(term, 0) for term in own) and not (has_days and when.is_part(word)):
            by_terms.setdefault(own, word)
    return list(by_terms.values())


def asks_for_days_alone(query: Query) -> bool:
    """Return whether a question has days and frame words only, none to be unknown: "what happened on 3 May"."""
    return bool(query.spans) and not query.prefixes and all(when.is_part(word) for word, _ in _content(query))


def _content(query: Query) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each word of a question that is not a frame word, as it is written, with its terms."""
    asked = set(query.terms)
    for raw in _WORD.compiled.findall(query.text):
        word = raw.strip(_EDGES)
        own = asked.intersection(terms.of(word))
        if not raw.endswith("*") and len(word) > 1 and own and not own <= _FRAME_TERMS:
            yield word, frozenset(own)
