"""search: what the workspace holds about something. Reads only."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.operations.search import corpus
from agentws.operations.search.result import Found, Hit
from agentws.planning.search import confidence, rank
from agentws.planning.search import query as _query
from agentws.planning.search import unit as _unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.operations.search.filters import Filter
    from agentws.planning.search.rank import Ranked
    from agentws.storage.workspace.stores import Stores


class Searcher:
    """A workspace that is asked several questions in a row: what it holds is looked at once."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._corpus = corpus.of(stores)
        self._lines: dict[str, list[str]] = {}

    def find(self, question: str, *, k: int = 10, now: str | None = None, among: Filter | None = None) -> Found:
        """Return the `k` best hits of a question, asked at the moment `now` (ISO)."""
        query = _query.parse(question, now=now or self._stores.here().day)
        found = self._found(query, k, among)
        doubted = {hit.unit.path for hit in found.hits if not self._is_true(hit)}
        if doubted:
            self._again(doubted)
            found = self._found(query, k, among)
            found.hits = [hit for hit in found.hits if self._is_true(hit)]
        return found

    def _found(self, query: _query.Query, k: int, among: Filter | None) -> Found:
        stats = self._corpus.stats(query.terms)
        ranked: list[Ranked] = rank.rank(query, self._corpus.candidates(query, stats, among), stats)
        if among is not None:
            ranked = [one for one in ranked if among.accepts(one.unit)]
        sure = confidence.of(query, ranked, stats)
        return Found(query, [Hit(one) for one in ranked[:k]], sure, is_certain=sure >= confidence.LEAST)

    def _again(self, doubted: set[str]) -> None:
        """Let what is asked be read anew from these files."""
        self._corpus.close()
        self._corpus = corpus.of(self._stores, doubted=doubted)
        self._lines.clear()

    def _is_true(self, hit: Hit) -> bool:
        """Return whether the lines of a hit stand in the file now as they were indexed: no index is believed."""
        unit = hit.unit
        if unit.path not in self._lines:
            try:
                data = self._stores.files.read(unit.path)
            except AgentwsError:
                return False
            self._lines[unit.path] = _unit.plain(data.decode("utf-8", "surrogateescape")).split("\n")
        lines = self._lines[unit.path][unit.line - 1 : unit.end_line]
        return unit.line > 0 and "\n".join(lines).rstrip("\r") == unit.text


def search(stores: Stores, question: str, *, k: int = 10, now: str | None = None, among: Filter | None = None) -> Found:
    """Return what answers `question`, the best `k` first. Any text is a question; nothing is written."""
    found = Searcher(stores).find(question, k=k, now=now, among=among)
    found.notices = list(stores.notices)
    return found


def searcher(stores: Stores) -> Searcher:
    """Return what answers several questions in a row."""
    return Searcher(stores)
