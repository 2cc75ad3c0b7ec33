"""A workspace that is asked several questions in a row: what it holds is looked at once."""

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
    from agentws.storage.workspace.stores import Stores


class Searcher:
    """Answers questions about what the files held when it was made; `close` ends it."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._corpus = corpus.of(stores)
        self._lines: dict[str, list[str]] = {}

    def find(self, question: str, *, k: int = 10, now: str | None = None, among: Filter | None = None) -> Found:
        """Return the `k` best hits of a question, asked at the moment `now` (ISO)."""
        query = _query.parse(question, now=now or self._stores.here().day)
        found = self._found(query, k, among)
        if self._corpus.is_fresh:
            return found
        doubted = {hit.unit.path for hit in found.hits if not self._is_true(hit)}
        if doubted:
            self._again(doubted)
            found = self._found(query, k, among)
            found.hits = [hit for hit in found.hits if self._corpus.is_fresh or self._is_true(hit)]
        return found

    def tell_beside(self, found: Found, count: int) -> None:
        """Let each hit tell the `count` units before and behind it in its file."""
        for hit in found.hits:
            number = hit.unit.id
            around = [*range(number - count, number), *range(number + 1, number + count + 1)]
            near = [one for one in self._corpus.units(around) if one.path == hit.unit.path]
            hit.before = [one for one in near if one.id < number]
            hit.behind = [one for one in near if one.id > number]

    def close(self) -> None:
        """Ask nothing more."""
        self._corpus.close()

    def _found(self, query: _query.Query, k: int, among: Filter | None) -> Found:
        if not query.terms and not query.prefixes and among is not None:
            newest = [rank.Ranked(one, 0.0, []) for one in self._corpus.newest(among, k)]
            return Found(query, [Hit(one, query) for one in newest], 1.0, is_certain=True)
        stats = self._corpus.stats(query.terms)
        ranked = rank.rank(query, self._corpus.candidates(query, stats, among), stats)
        if among is not None:
            ranked = [one for one in ranked if among.accepts(one.unit)]
        sure = confidence.of(query, ranked, stats)
        return Found(query, [Hit(one, query) for one in ranked[:k]], sure, is_certain=sure >= confidence.LEAST)

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
