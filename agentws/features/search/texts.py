"""search texts: ranks any texts for a question, as `search` ranks entries. Reads no file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentws.core.stores.stores import Stores
from agentws.features.search.plan import query, rank
from agentws.features.search.plan.unit import DOCUMENTS, Unit


def texts(stores: Stores, question: str, texts: Sequence[str]) -> list[tuple[int, float]]:
    """Return the numbers of the texts that hold words of `question`, each with its score, the best first."""
    parsed = query.parse(question, now=stores.here().day)
    units: list[Unit] = []
    same: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        same.setdefault(text, []).append(number)
        if len(same[text]) == 1:
            unit = Unit(2 * number, str(number), 1, 1, text)  # no other has a number beside it
            unit.room = DOCUMENTS
            units.append(unit)
    counts = Counter(term for unit in units for term in unit.indexed)
    length = sum(len(unit.terms) for unit in units) / max(len(units), 1)
    stats = rank.Stats(len(units), length, counts, lambda terms: {term: counts[term] for term in terms})
    wanted = set(parsed.terms)
    matches = [unit for unit in units if wanted & unit.indexed or _begins(unit, parsed.prefixes)]
    ranked = rank.rank(parsed, matches, stats)
    return [(number, hit.score) for hit in ranked for number in same[hit.unit.text]]


def _begins(unit: Unit, prefixes: Sequence[str]) -> bool:
    return bool(prefixes) and any(term.startswith(tuple(prefixes)) for term in unit.indexed)
