"""What a search found."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.planning.search.query import Query
    from agentws.planning.search.rank import Ranked
    from agentws.planning.search.unit import Unit


class Hit:
    """One place that answers.

    Fields:
        unit: what stands there (planning/search/unit.py).
        score: how well it answers; greater is better.
        reasons: (feature, value, contribution) of the score.
        text: its lines as they stand in the file now.
    """

    __slots__ = ("reasons", "score", "text", "unit")

    def __init__(self, ranked: Ranked) -> None:
        self.unit: Unit = ranked.unit
        self.score = ranked.score
        self.reasons = ranked.reasons
        self.text = ranked.unit.text

    @property
    def at(self) -> str:
        """Its day, with its time where it names one."""
        return f"{self.unit.day}T{self.unit.time}" if self.unit.day and self.unit.time else self.unit.day


class Found:
    """What a search found: `hits`, the best first, `confidence` from 0 to 1, and whether that `is_certain`."""

    __slots__ = ("confidence", "hits", "is_certain", "notices", "query")

    def __init__(self, query: Query, hits: list[Hit], confidence: float, *, is_certain: bool) -> None:
        self.query = query
        self.hits = hits
        self.confidence = confidence
        self.is_certain = is_certain
        self.notices: list[str] = []
