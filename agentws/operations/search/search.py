"""search: what the workspace holds about something. Reads only."""

from __future__ import annotations

from agentws.operations.search.result import Found, Hit
from agentws.operations.search.scan import Scan
from agentws.planning.search import confidence, rank
from agentws.planning.search import query as _query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores


class Searcher:
    """A workspace that is asked several questions in a row: what it holds is looked at once."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._corpus = Scan(stores)

    def find(self, question: str, *, k: int = 10, now: str | None = None) -> Found:
        """Return the `k` best hits of a question, asked at the moment `now` (ISO)."""
        query = _query.parse(question, now=now or self._stores.here().day)
        stats = self._corpus.stats(query.terms)
        ranked = rank.rank(query, self._corpus.candidates(query, stats), stats)
        sure = confidence.of(query, ranked, stats)
        return Found(query, [Hit(one) for one in ranked[:k]], sure, is_certain=sure >= confidence.LEAST)


def search(stores: Stores, question: str, *, k: int = 10, now: str | None = None) -> Found:
    """Return what answers `question`, the best `k` first. Any text is a question; nothing is written."""
    found = Searcher(stores).find(question, k=k, now=now)
    found.notices = list(stores.notices)
    return found


def searcher(stores: Stores) -> Searcher:
    """Return what answers several questions in a row."""
    return Searcher(stores)
