"""search: answers one question with hits from the workspace. Reads only."""

from __future__ import annotations

from agentws.errors import UsageError
from agentws.features.search import asked
from agentws.features.search.searcher import Searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.core.stores.stores import Stores
    from agentws.features.search.indexed import Progress
    from agentws.features.search.plan.unit import Unit
    from agentws.features.search.result import Found

MOST_HITS = 1000


def search(
    stores: Stores,
    question: str = "",
    *,
    k: int = 10,
    since: str | None = None,
    until: str | None = None,
    kinds: str | Sequence[str] = (),
    tags: str | Sequence[str] = (),
    task: str | None = None,
    rooms: str | Sequence[str] = (),
    audience: str | None = None,
    budget: int | None = None,
    context: int = 0,
    now: str | None = None,
    fits: Callable[[Unit], bool] | None = None,
    progress: Progress | None = None,
) -> Found:
    """Return the best `k` hits for `question`, the best first; any text is a question, and no file is changed.

    Other arguments limit the search: moments `since` and `until`, `kinds`, `tags`, a `task`, `rooms`
    (features/search/plan/unit.py), and what an `audience` may hear. Without a question the newest entries are returned.
    `fits` decides for each unit (features/search/plan/unit.py) whether it is searched.
    `budget` is how many tokens the hits may have, `context` how many entries before and after each are returned.
    `progress` is called with (bytes read for the index, bytes in all).
    """
    if not 0 < k <= MOST_HITS:
        raise UsageError(f"-k must be 1 to {MOST_HITS}, not {k}.")
    heard = stores.visible_to(audience)
    among = asked.among(heard, since=since, until=until, kinds=kinds, tags=tags, task=task, rooms=rooms, fits=fits)
    if not question.strip() and among is None:
        raise UsageError("Missing QUERY.", hint='agentws search "why SQLite"')
    searcher = Searcher(heard, progress=progress)
    try:
        result = searcher.find(question, k=k, now=now, among=among)
        if context:
            searcher.tell_beside(result, context)
        elif question.strip() and budget is None:
            searcher.tell_around(result)
        result.unread = searcher.unread()
        result.notices = [*stores.notices, *result.unread]
    finally:
        searcher.close()
    if budget is not None:
        asked.fit(stores, result, budget)
    if among is not None and not result.hits:
        result.notices.append(f"Searched only within these limits: {among.told()}.")
    if heard is not stores:
        result.notices += heard.not_told()
    return result


def searcher(stores: Stores, *, audience: str | None = None) -> Searcher:
    """Return a Searcher for several questions in a row, over what an `audience` may hear."""
    return Searcher(stores.visible_to(audience))
