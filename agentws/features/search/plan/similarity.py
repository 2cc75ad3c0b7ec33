"""How near the meaning of a unit is to that of a question, as vectors tell: more features, where there are any. Pure.

What makes the vectors and where they are kept is nothing of the ranking: it is given numbers.
"""

from __future__ import annotations

from math import log1p

from agentws.core.formats import digest
from agentws.core.markdown import markdown
from agentws.features.search.plan import features, weights_vectors
from agentws.features.search.plan.unit import HEADER, RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.features.search.plan.features import Candidate, Field

NAMES = (
    *("similarity", "similarity_of_best", "similarity_lead", "similarity_place", "similarity_beside"),
    "similarity_of_section",
)
"""The features, in the order of a row; each means more where it is greater, but `similarity_place`."""
NEAREST = 100
"""How many units are looked at because they are nearest, whatever words they have."""
_WIDTH = 32
TABLES = [weights_vectors.TABLES[name] for name in (*features.NAMES, *NAMES)]
"""What each feature adds where there are vectors, those of the words first."""


def text(unit_text: str) -> str:
    """Return what of a unit is made a vector of: neither its mark nor the time of day, which differ from day to day."""
    found = unit_text[markdown.marker(unit_text) :].strip()
    is_timed = found[2:3] == ":" and found[5:6] == " " and (found[:2] + found[3:5]).isdecimal()
    return found[6:].lstrip() if is_timed else found


def key(unit_text: str) -> str:
    """Return by what the vector of a unit is known: 32 hexadecimal digits."""
    return digest.quick(text(unit_text).encode("utf-8", "surrogatepass"))[:_WIDTH]


def has_vector(form: str, unit_text: str) -> bool:
    """Return whether a unit is made a vector of."""
    return form not in (RECORD, HEADER, "heading") and bool(text(unit_text))


class Similarity:
    """How near each candidate is, against all others; `told` by the number of the unit, from -1 to 1.

    One without a vector, since it is new, counts as neither near nor far.
    """

    def __init__(self, field: Field, told: Mapping[int, float]) -> None:
        self._told = told
        near = [one for one in field.ranked if one.unit.id in told]
        self.ranked = sorted(near, key=lambda one: (-told[one.unit.id], one.unit.path, one.unit.line))
        self._places = {one.unit.id: place for place, one in enumerate(self.ranked)}
        self._best = max(told[self.ranked[0].unit.id], 1e-6) if self.ranked else 1.0
        self._usual = sum(told[one.unit.id] for one in near) / len(near) if near else 0.0
        self._sections: dict[object, float] = {}
        for one in self.ranked:
            self._sections.setdefault(one.section, told[one.unit.id])
        self._by_id = field.by_id

    def row(self, one: Candidate) -> list[float]:
        """Return the features of a candidate, in the order of NAMES."""
        number = one.unit.id
        own = self._told.get(number, self._usual)
        return [
            own,
            own / self._best,
            own - self._usual,
            log1p(self._places.get(number, len(self._places) // 2)),
            max(self._beside(one, -1), self._beside(one, 1)),
            self._sections.get(one.section, self._usual),
        ]

    def _beside(self, one: Candidate, step: int) -> float:
        other = self._by_id.get(one.unit.id + step)
        is_near = other is not None and other.section == one.section
        return self._told.get(one.unit.id + step, 0.0) if is_near else 0.0
