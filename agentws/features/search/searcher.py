"""The Searcher: answers several questions in a row over one corpus, and checks each hit against its file."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.secrets import secrets
from agentws.core.text import origin
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.search import corpus, verify_hit
from agentws.features.search.plan import confidence, query as _query, rank, ranked_hits, unit as _unit
from agentws.features.search.result import Found, Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agentws.core.formats.journal.retraction import Retractions
    from agentws.core.stores.stores import Stores
    from agentws.core.stores.writer_trust import Trust
    from agentws.features.search.filters import Filter
    from agentws.features.search.indexed import Progress
    from agentws.features.search.plan.unit import Unit
    from agentws.features.search.reading import Reader
    from agentws.features.search.remembered import Known

_FOLDERS = (layout.DAYS, layout.TASKS, layout.HANDOFFS, layout.CONTEXTS, layout.JOURNAL)
_OPEN = ("open", "waiting")
_UNLISTED = ("", "")
"""State and closing place of an item that `todo` does not list and no known line closes."""
_WEEKS, _YEARS = 60, 600
"""How many archived logs are read first for the line that closed an item, and how many next."""
_AROUND = 3
"""How many of the first hits get their `context`."""


class Searcher(Result):
    """A searcher: answers questions about the files as they were when it was made; with `by_words` without vectors."""

    def __init__(self, stores: Stores, *, progress: Progress | None = None, by_words: bool = False) -> None:
        self._stores = stores
        self._corpus = corpus.of(stores, progress=progress)
        self._vectors = None if by_words else corpus.vectors(stores)
        self._lines: dict[str, list[str]] = {}
        self._read: dict[str, list[tuple[Any, ...]]] = {}
        self._states: dict[tuple[str, int], tuple[str, str]] | None = None
        self._archived: set[tuple[str, int]] = set()
        self._remembered: Known | None = None
        self._strangers: Trust | None = None
        self._retractions: Retractions | None = None

    def find(self, question: str, *, k: int = 10, now: str | None = None, among: Filter | None = None) -> Found:
        """Search for a question, asked at the moment `now` (ISO); return its `k` best hits, checked in the files."""
        query = _query.parse(question, now=now or self._stores.here().day)
        result = self._asked(query, k, among)
        for afresh in (False, True):
            doubted = {hit.unit.path for hit in result.hits if not self._is_true(hit.unit)}
            if not doubted:
                break
            self._again(doubted, afresh=afresh)
            result = self._asked(query, k, among)
        result.hits = [hit for hit in result.hits if self._is_true(hit.unit)]
        for hit in result.hits:
            hit.also = [unit for unit in hit.also if self._is_true(unit)]
        self._tell_states(result.hits)
        return result

    def _tell_states(self, hits: Sequence[Hit]) -> None:
        """Give hits that are marked open or waiting the state that `todo` gives them, none if it does not list them."""
        asking = [hit for hit in hits if hit.unit.state in _OPEN]
        archived = {hit.place for hit in asking if hit.path.startswith(f"{layout.ARCHIVE}/")}
        if asking and (self._states is None or archived - self._archived):
            self._archived |= archived
            self._states = self._item_states()
        for hit in asking:
            hit.state, hit.closed_by = (self._states or {}).get(hit.place, _UNLISTED)

    def _item_states(self) -> dict[tuple[str, int], tuple[str, str]]:
        """Return the states of the items of `todo`, and of archived items among the hits.

        An archived item that `todo` neither lists nor sees closed was closed by a line of a later archived log. There
        may be ten years of them, but most items are closed within weeks.
        """
        from agentws.features.tasks.todo import items

        stores = self._stores.visible_to()
        states = items.item_states(stores, sorted({path for path, _ in self._archived}))
        unlisted = {place for place in self._archived if states.get(place) == _UNLISTED}
        later = self._archived_since(min(_name(path) for path, _ in unlisted)) if unlisted else []
        for most in (_WEEKS, _YEARS, len(later)):
            closed = items.item_states(stores, later[:most]) if unlisted else {}
            states.update({place: closed[place] for place in unlisted & closed.keys()})
            unlisted = {place for place in unlisted if states[place] == _UNLISTED} if most < len(later) else set()
        return states

    def _archived_since(self, oldest: str) -> list[str]:
        """Return the paths of the archived logs from the name `oldest` on, in order."""
        from agentws.features.search import sources

        rooms = sources.of(self._stores).items()
        logs = [path for path, (room, _) in rooms if room == _unit.LOGS and path.startswith(f"{layout.ARCHIVE}/")]
        return sorted((path for path in logs if _name(path) >= oldest), key=_name)

    def unread(self) -> list[str]:
        """Return a notice for each file or folder that is not searched: not readable, UTF-16, or memory with an
        unresolved merge conflict.
        """
        try:
            paths = self._corpus.without_units()
        except self._corpus.failures:
            paths = []  # destroyed meanwhile: the hits are found
        notices = [notice for folder in _FOLDERS for notice in self._unlisted(folder)]
        if not (doubtful := [path for path in paths if self._is_doubtful(path)]):
            return notices
        from agentws.core.disk.lenient import LenientReader

        reader = LenientReader(self._stores.files)
        for path in doubtful:
            reader.document(path)
        return notices + reader.notices

    def _unlisted(self, folder: str) -> list[str]:
        """Return why a folder's files are not searched; nothing if they are."""
        files = self._stores.files
        try:
            return [] if files.unsorted(folder) else files.in_place_of(folder)
        except AgentwsError as error:
            return [error.message]

    def _is_doubtful(self, path: str) -> bool:
        """Return whether a file without units is perhaps no text or in conflict, and not just empty."""
        try:
            data = self._stores.files.read(path)
        except AgentwsError as error:
            return not isinstance(error, MissingFileError)
        return b"\0" in data or b"<<<<<<<" in data

    def tell_beside(self, result: Found, count: int) -> None:
        """Set `before` and `behind` of each hit to the `count` units on either side of it in its file."""
        for hit in result.hits:
            number = hit.unit.id
            around = [*range(number - count, number), *range(number + 1, number + count + 1)]
            try:
                near = [
                    unit for unit in self._corpus.units(around) if unit.path == hit.unit.path and self._is_true(unit)
                ]
            except self._corpus.failures:
                return  # destroyed meanwhile: the hits are found
            hit.before = [unit for unit in near if unit.id < number]
            hit.behind = [unit for unit in near if unit.id > number]

    def tell_around(self, result: Found) -> None:
        """Set `context` of the best few hits, if short, to the units around them in their section that are not hits."""

        shown = {hit.unit.id for hit in result.hits}
        for hit in result.hits[:_AROUND]:
            try:
                near = ranked_hits.siblings(hit.unit, self._corpus.units)
            except self._corpus.failures:
                return  # destroyed meanwhile: the hits are found
            hit.context = [unit for unit in near if unit.id not in shown and self._is_true(unit)]

    def close(self) -> None:
        """End the searches; the corpus is kept open for the next search of the same workspace."""
        corpus.keep(self._stores, self._corpus)
        if self._vectors is not None:
            self._vectors.close()

    def _asked(self, query: _query.Query, k: int, among: Filter | None) -> Found:
        """Return what the corpus finds; if the index breaks meanwhile, search a new one, then the files themselves."""
        for is_last in (False, True):
            try:
                return self._search(query, k, among)
            except self._corpus.failures:
                if is_last:
                    self._corpus.close()
                    self._corpus = corpus.scanned(self._stores)
                else:
                    self._again(set(), afresh=True)
        return self._search(query, k, among)

    def _search(self, query: _query.Query, k: int, among: Filter | None) -> Found:
        if not query.terms and not query.prefixes and among is not None:
            newest = [rank.Ranked(unit, 0.0, []) for unit in self._corpus.newest(among, k)]
            return Found(query, [Hit(hit, query, {}) for hit in newest], 1.0, is_certain=True)
        if query.anchor is not None:
            self._understand(query)
        stats = self._corpus.stats(query.terms)
        units = self._corpus.candidates(query, stats, among)
        ranked = by_words = rank.rank(query, units, stats)
        if self._vectors is not None:
            units, similar = self._vectors.near(query.text, self._corpus, units, among)
            ranked = rank.rank(query, units, stats, similar) if similar else by_words
        is_by_words = ranked is by_words
        if among is not None:
            units = [unit for unit in units if among.accepts(unit)]
            ranked = [hit for hit in ranked if among.accepts(hit.unit)]
        is_of_days = confidence.asks_for_days_alone(query)
        if is_of_days:
            ranked = [hit for hit in ranked if any(first <= hit.unit.day <= last for first, last in query.spans)]
        exact = [hit for hit in ranked if rank.is_exact(hit.unit, query)] if query.phrases or query.prefixes else []
        ranked, also = ranked_hits.joined(exact or ranked, units)
        ranked = self._believed(ranked, k)
        # The confidence was calibrated on the ranking by words.
        sure = confidence.of(query, ranked if is_by_words else by_words, stats)
        weights = rank.weights(query, stats)
        best = ranked_hits.newest_first(
            ranked, query, stats, lambda unit: self._day(unit, also.get(unit.id, ())), most=k
        )
        hits = [Hit(hit, query, weights, also.get(hit.unit.id, ())) for hit in best]
        lacking = confidence.unknown_words(query, stats.df)
        is_certain = bool(hits) if is_of_days else sure >= confidence.LEAST and not lacking
        if query.phrases or query.prefixes:
            asked = {term for phrase in query.phrases for term in phrase}
            is_certain = bool(exact) and (is_certain or asked.issuperset(query.terms))
        result = Found(query, hits, sure, is_certain=is_certain)
        result.unknown_words = lacking
        return result

    def _day(self, unit: Unit, also: Sequence[Unit]) -> str:
        """Return the newest day on which a unit was written; for an entry of MEMORY.md the first, if known."""
        if layout.usual(unit.path) != layout.MEMORY:
            return max(unit.day, *(each.day for each in also)) if also else unit.day
        if self._remembered is None:
            from agentws.features.search import remembered

            self._remembered = remembered.Known(self._stores)
        return self._remembered.day(unit) or ""

    def _understand(self, query: _query.Query) -> None:
        """Add the days that "two weeks before the launch" means to a query, if an entry tells when the launch was."""
        event = _query.parse(query.anchor[2] if query.anchor else "", now=query.now)
        stats = self._corpus.stats(event.terms)
        rank.take_anchor(query, rank.rank(event, self._corpus.candidates(event, stats), stats))

    def _believed(self, ranked: list[rank.Ranked], k: int) -> list[rank.Ranked]:
        """Return the hits with events of unknown writers marked as foreign, or left out if the workspace hides them.

        Handoffs that no known writer recorded are marked, too.
        """
        self._mark_handoffs([hit.unit for hit in ranked[:k] if hit.unit.room == _unit.HANDOFFS])
        if not any(hit.unit.room == _unit.JOURNAL for hit in ranked[:k]):
            return ranked
        if self._strangers is None:
            from agentws.core.stores import writer_trust

            self._strangers = writer_trust.of(self._stores)
        ranked = self._counting(ranked, self._strangers.known)
        unknown = self._strangers.unknown
        hits = []
        for hit in ranked if unknown else ():
            writer = hit.unit.path.split("/")[1] if hit.unit.room == _unit.JOURNAL else ""
            if writer in unknown:
                if self._strangers.hides:
                    continue
                hit.unit.src, hit.unit.kind, hit.unit.importance = _strange(hit.unit), "", 0
            hits.append(hit)
        return hits if unknown else ranked

    def _counting(self, ranked: list[rank.Ranked], writers: Sequence[str]) -> list[rank.Ranked]:
        """Return the hits without retracted events."""
        from agentws.core.journal import retractions

        files = self._stores.whole.files
        if self._retractions is None:
            self._retractions = retractions.of(files, self._stores.cache, writers)
        if not self._retractions:
            return ranked
        units = [hit.unit for hit in ranked if hit.unit.room == _unit.JOURNAL]
        first = {path: retractions.first_seq(files, path) for path in {unit.path for unit in units}}
        places = {unit.id: (unit.path.split("/")[1], first[unit.path] + unit.line - 1) for unit in units}
        return [hit for hit in ranked if not self._retractions.holds(*places.get(hit.unit.id, ("", 0)))]

    def _mark_handoffs(self, units: list[Unit]) -> None:
        if not units or not self._stores.adopted:
            return
        from agentws.features.handoff import handoff_origin

        strange = handoff_origin.unwritten(self._stores, sorted({unit.path for unit in units}))
        for unit in units:
            if unit.path in strange and not unit.src:
                unit.src, unit.kind, unit.state, unit.importance = origin.OTHER, "", "", 0

    @property
    def _reader(self) -> Reader:
        from agentws.features.search import reading  # only for events, and if an index is doubted

        return reading.Reader(self._stores)

    def _again(self, doubted: set[str], *, afresh: bool) -> None:
        """Open the corpus again, with the `doubted` files read again, or all."""
        self._corpus.close()
        self._corpus = corpus.of(self._stores, doubted=doubted, afresh=afresh)
        self._lines.clear()
        self._read.clear()
        self._states = None

    def _is_true(self, unit: Unit) -> bool:
        """Return whether the file still has the lines and marks of an indexed unit; a scanned one is not checked."""
        if self._corpus.is_fresh or not verify_hit.is_well_formed(unit):
            return self._corpus.is_fresh
        if unit.path not in self._lines:
            from agentws.features.search import sources

            try:
                data = sources.content(self._stores.files, unit.path, unit.room)
            except AgentwsError:
                return False
            self._lines[unit.path] = _unit.plain(data.decode("utf-8", "surrogateescape")).split("\n")
        text = "\n".join(self._lines[unit.path][unit.line - 1 : unit.end_line])
        if unit.room == _unit.JOURNAL:
            read = self._reader.units(unit.path, unit.room, text.encode())
            return any(verify_hit.is_same_event(unit, passage, stranger=_strange(unit)) for passage in read)
        if text.rstrip("\r") != unit.text:
            # The lines of a unit with a placeholder differ from those of the file, which holds the secret.
            return secrets.has_placeholder(unit.text) and verify_hit.is_among(unit, self._rows(unit))
        return verify_hit.is_backed(unit, self._lines[unit.path]) or verify_hit.is_among(unit, self._rows(unit))

    def _rows(self, unit: Unit) -> list[tuple[Any, ...]]:
        """Return the rows of the units that the file of `unit` has now."""
        if unit.path not in self._read:
            data = "\n".join(self._lines[unit.path]).encode()
            self._read[unit.path] = list(self._reader.rows(unit.path, unit.room, data))
        return self._read[unit.path]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _strange(event: Unit) -> str:
    """Return the origin that marks an event of an unknown writer."""
    return f"{origin.OTHER}:{event.path.split('/')[1]}"
