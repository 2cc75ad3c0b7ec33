"""Similarity features: how near a unit is to a question in meaning, if there are vectors. Pure.

The ranking knows neither embedder nor store of the vectors: it only gets numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log1p

from agentws.core.formats import digest
from agentws.core.markdown import markdown
from agentws.features.search.plan import features, weights_vectors
from agentws.features.search.plan.features import Candidate, Field
from agentws.features.search.plan.unit import HEADER, RECORD

NAMES = (
    *("similarity", "similarity_of_best", "similarity_lead", "similarity_place", "similarity_beside"),
    "similarity_of_section",
)
"""The similarity features, in the order of a row; greater is better for each but `similarity_place`."""
NEAREST = 100
"""How many units are ranked because they are nearest by vectors, whatever their words."""
_WIDTH = 32
TABLES = [weights_vectors.TABLES[name] for name in (*features.NAMES, *NAMES)]
"""The weights of all features if there are vectors, those of the words first."""


def text(unit_text: str) -> str:
    """Return the part of a unit's text that is embedded for similarity: without mark and time of day."""
    value = unit_text[markdown.marker(unit_text) :].strip()
    is_timed = value[2:3] == ":" and value[5:6] == " " and (value[:2] + value[3:5]).isdecimal()
    return value[6:].lstrip() if is_timed else value


def key(unit_text: str) -> str:
    """Return the key of a unit's vector, by which its similarity is looked up: 32 hexadecimal digits."""
    return digest.quick(text(unit_text).encode("utf-8", "surrogatepass"))[:_WIDTH]


def has_vector(form: str, unit_text: str) -> bool:
    """Return whether a unit gets a vector, and so has a similarity."""
    return form not in (RECORD, HEADER, "heading") and bool(text(unit_text))


class Similarity:
    """How near each candidate is, compared with all others; `similarities` (-1 to 1) are by unit number.

    A new candidate without a vector counts as average.
    """

    def __init__(self, field: Field, similarities: Mapping[int, float]) -> None:
        self._told = similarities
        near = [candidate for candidate in field.ranked if candidate.unit.id in similarities]
        self.ranked = sorted(
            near, key=lambda candidate: (-similarities[candidate.unit.id], candidate.unit.path, candidate.unit.line)
        )
        self._places = {candidate.unit.id: place for place, candidate in enumerate(self.ranked)}
        self._best = max(similarities[self.ranked[0].unit.id], 1e-6) if self.ranked else 1.0
        self._usual = sum(similarities[candidate.unit.id] for candidate in near) / len(near) if near else 0.0
        self._sections: dict[object, float] = {}
        for candidate in self.ranked:
            self._sections.setdefault(candidate.section, similarities[candidate.unit.id])
        self._by_id = field.by_id

    def row(self, candidate: Candidate) -> list[float]:
        """Return the similarity features of a candidate, in the order of NAMES."""
        number = candidate.unit.id
        own = self._told.get(number, self._usual)
        return [
            own,
            own / self._best,
            own - self._usual,
            log1p(self._places.get(number, len(self._places) // 2)),
            max(self._beside(candidate, -1), self._beside(candidate, 1)),
            self._sections.get(candidate.section, self._usual),
        ]

    def _beside(self, candidate: Candidate, step: int) -> float:
        other = self._by_id.get(candidate.unit.id + step)
        is_near = other is not None and other.section == candidate.section
        return self._told.get(candidate.unit.id + step, 0.0) if is_near else 0.0
