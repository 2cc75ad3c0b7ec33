"""How sure it is that the best units answer the question. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.search.query import Query
    from agentws.planning.search.rank import Ranked, Stats

LEAST = 0.0
"""Below this nothing certain was found."""


def of(query: Query, ranked: Sequence[Ranked], stats: Stats) -> float:
    """Return 0 to 1; 0 where nothing was found."""
    del query, stats
    return 1.0 if ranked else 0.0
