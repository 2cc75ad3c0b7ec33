"""The indexed corpus: opens the index of a workspace, updates it from changed files, and takes candidates from it."""

from __future__ import annotations

import os
import sqlite3
import sys

from agentws.core.disk import cache
from agentws.core.formats import digest, layout
from agentws.errors import AgentwsError
from agentws.features.search import sources
from agentws.features.search.plan import candidates, unit
from agentws.features.search.plan.rank import Stats
from agentws.features.search.store import database, refresh, schema
from agentws.features.search.store.index import Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Any

    from agentws.core.disk.cache import Cache
    from agentws.core.ports import VectorStore
    from agentws.core.stores.stores import Stores
    from agentws.features.search.filters import Filter
    from agentws.features.search.plan.query import Query
    from agentws.features.search.plan.unit import Unit
    from agentws.features.search.vectors.places import Places

    Progress = Callable[[int, int], None]

_MADE_BY = (
    *("features/search/plan/terms.py", "features/search/plan/unit.py"),
    *("core/notes/reading.py", "core/notes/entry.py", "core/notes/vocabulary.py"),
    *("vocabulary/words.json", "features/search/reading.py"),
    "features/search/masking.py",
)
_SECRETS = "core/formats/secrets/"
_MOST_KNOWN = 20_000


class Indexed:
    """A corpus over an open index, up to date unless another process was writing it for long."""

    is_fresh = False
    """Its units come from the index, so they must be compared with the files."""
    failures = (sqlite3.Error, ValueError, TypeError, AttributeError, OverflowError)
    """Errors that reading a damaged index may raise."""

    def __init__(self, index: Index, made_by: str, present: Present | None = None) -> None:
        self.index = index
        self._known: dict[int, Unit] = {}
        self._made_by = made_by
        self._present = present
        self._process = os.getpid()
        self._file = _inode(index.path)
        self._newest: list[tuple[int, int]] = []
        self._places: Places | None = None
        index.is_unchanged()

    def is_current(self, stores: Stores) -> bool:
        """Return whether this is still the newest index of these stores, and matches their files.

        Units that were handed out are dropped: the marks that a search puts on them belong to it alone.
        """
        self._known.clear()
        if self._present is None or self._process != os.getpid() or stores.cache.folder is None:
            return False
        try:
            is_same = database.newest(stores.cache.folder) == self.index.path and _inode(self.index.path) == self._file
            if not self.index.is_unchanged():
                self._newest = []
                return False  # another process wrote it: its units may be those of other files
            is_same = is_same and version(stores) == self._made_by
        except self.failures:
            return False
        return is_same and sources.of(stores) == self._present.files

    def stats(self, terms: Iterable[str]) -> Stats:
        """Return the counts of the index for these terms, as ranking needs them."""
        count, length = self.index.totals()
        return Stats(count, length / count if count else 0.0, self.index.counts(terms), self.index.counts)

    def candidates(self, query: Query, stats: Stats, among: Filter | None = None) -> list[Unit]:
        """Return the units of the index to rank for a query, and those beside them."""
        allowed = None if among is None else self._allowed(among)

        def kept(numbers: Iterable[int]) -> Iterable[int]:
            return numbers if allowed is None else (number for number in numbers if number in allowed)

        chosen = candidates.chosen(
            query,
            units=stats.units,
            df=stats.df,
            postings=lambda term: kept(self.index.postings(term)),
            on_days=lambda first, last: kept(self.index.on_days(first, last)),
            files=self._files,
        )
        units = candidates.ordered(self.units(list(chosen)), chosen)
        return units + self.units(candidates.beside(units))

    def newest(self, among: Filter, most: int) -> list[Unit]:
        """Return the newest indexed units that pass a filter."""
        return self.units(candidates.newest(self._allowed(among), self._files(), most))

    def _files(self) -> list[tuple[int, int]]:
        if not self._newest:
            self._newest = candidates.newest_files(self.index.places())
        return self._newest

    def _allowed(self, among: Filter) -> set[int]:
        rows = self.index.marked(among.rooms, among.since, among.until, among.task)
        result = {number for number, kind, tags in rows if among.has_marks(kind, tags.split())}
        if among.fits is None:
            return result
        return {passage.id for passage in self.units(sorted(result)) if among.accepts(passage)}

    def without_units(self) -> list[str]:
        """Return the paths of the files that have content but no unit."""
        return self.index.without_units()

    def nearest(self, vector: Any, store: VectorStore, among: Filter | None, cache: Cache) -> list[int]:
        """Return the numbers of the indexed units nearest to a vector, the nearest first."""
        from agentws.features.search.vectors import places

        if self._places is None:
            self._places = places.places(self.index, cache)
        return places.in_index(self._places, vector, store, None if among is None else self._allowed(among))

    def every(self) -> Iterator[Unit]:
        """Yield all units of the index, those of the newest files first."""
        for first, behind in self._files():
            rows = list(self.index.rows(range(first, behind)))
            yield from (unit.restored(number, path, row) for number, path, row in reversed(rows))

    def units(self, numbers: list[int]) -> list[Unit]:
        """Return the indexed units with these numbers; missing ones are left out."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        lacking = [number for number in numbers if number not in self._known]
        for number, path, row in self.index.rows(lacking):
            self._known[number] = unit.restored(number, path, row)
        return [self._known[number] for number in numbers if number in self._known]

    def close(self) -> None:
        """Close the index."""
        self.index.close()


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def opened(
    stores: Stores, *, afresh: bool = False, doubted: Collection[str] = (), progress: Progress | None = None
) -> Indexed | None:
    """Return the index, brought up to date; None if there can be none. `doubted` files are read in any case.

    An index that is damaged or of another version is made again, with `afresh` any. If another process writes it for
    long, it is returned as it is. `progress` is called with (bytes read, bytes in all).
    """
    folder = stores.cache.folder
    if folder is None or stores.files.is_view:
        return None
    for is_last in (False, True):
        try:
            return _opened(stores, folder, afresh=afresh or is_last, doubted=doubted, progress=progress)
        except sqlite3.OperationalError as error:
            if "no such module" in str(error):
                return None
        except (sqlite3.Error, ValueError):
            pass  # damaged: rebuilt, or a scan answers
        except (OSError, database.BusyError):
            return None
    return None


def version(stores: Stores) -> str:
    """Return a digest of all that an indexed unit depends on beside its file: code, schema, vocabulary, time zone, what
    is kept out.
    """
    program = sys.modules["agentws"]
    base = (program.__file__ or "").removesuffix("__init__.py")
    secrets = sorted(_SECRETS + name for name in os.listdir(base + _SECRETS) if name.endswith(".py"))
    stamps = cache.stamps(base + path for path in (*_MADE_BY, *secrets))
    words = sorted((key, str(value)) for key, value in stores.manifest.vocabulary.items())
    parts = (schema.VERSION, program.__version__, sys.hexversion, stamps, words, stores.manifest.timezone)
    kept_out = stores.whole.files.stamps([layout.KEPT_OUT])
    return digest.quick(repr((*parts, kept_out)).encode())


def _opened(
    stores: Stores, folder: str, *, afresh: bool, doubted: Collection[str], progress: Progress | None
) -> Indexed:
    wanted = version(stores)
    path = None if afresh else database.newest(folder)
    present = Present(stores)
    if path is not None:
        index = Index(database.connect(path), path)
        try:
            if index.version() == wanted and not doubted and not present.differing(index.stamps()):
                return Indexed(index, wanted, present)
        except BaseException:
            index.close()
            raise
        index.close()
    try:
        with database.Writing(folder, patience_s=stores.environment.patience_s):
            path = _brought(stores, folder, wanted, _Change(stores, present, doubted, progress), afresh=afresh)
    except database.BusyError:
        if path is None:
            raise
    return Indexed(Index(database.connect(path), path), wanted)


def _brought(stores: Stores, folder: str, wanted: str, change: _Change, *, afresh: bool) -> str:
    """Bring the index up to date, or make it; return its path. The caller holds the write lock."""
    path = None if afresh else database.newest(folder)
    if path is not None:
        connection = database.connect(path, writes=True)
        try:
            index = Index(connection, path)
            if index.version() == wanted:
                connection.execute("BEGIN IMMEDIATE")
                change.write(connection)
                connection.execute("COMMIT")
                return path
        finally:
            connection.close()
    making = database.Making(folder)
    with making as connection:
        refresh.make(connection, wanted)
        change.write(connection)
        connection.execute("COMMIT")
    return making.path


class _Change:
    """The changes that make an index match the `present` files."""

    def __init__(self, stores: Stores, present: Present, doubted: Collection[str], progress: Progress | None) -> None:
        self._stores = stores
        self._present = present.files
        self._doubted = doubted
        self._progress = progress

    def write(self, connection: sqlite3.Connection) -> None:
        """Write the changes within the caller's transaction."""
        from agentws.features.search import reading

        reader = reading.Reader(self._stores)
        work = refresh.Refresh(connection, rows=reader.rows, terms=unit.terms_of)
        differing, gone = set(self._present), []
        for path, pair in Index(connection, "").stamps():
            if path not in self._present or path in self._doubted:
                gone.append(path)
            elif pair == self._present[path]:
                differing.discard(path)
        for path in gone:
            work.drop(path)
        done, total = 0, sum(_size(self._present[path][1]) for path in differing)
        for path in candidates.by_day(self._present):
            if path not in differing:
                continue
            work.put(self._file(path))
            done += _size(self._present[path][1])
            if self._progress is not None:
                self._progress(done, total)
        work.finish()

    def _file(self, path: str) -> refresh.File:
        room, seen = self._present[path]
        stamp = refresh.settled(seen)  # from before the file is read
        try:
            data = self._stores.files.read(path)
        except AgentwsError:
            data = b""  # an unreadable file counts as empty until it changes
        return refresh.File(path, room, stamp, data, only_grows=room == unit.JOURNAL)


def _size(stamp: str) -> int:
    size = stamp.partition(" ")[0]
    return int(size) if size.isdecimal() else 0


class Present:
    """The files to search as they are now: (room, stamp) by path; a stamp changes when its file does."""

    def __init__(self, stores: Stores) -> None:
        self.files = sources.of(stores)

    def differing(self, known: Iterable[tuple[str, tuple[str, str]]]) -> int:
        """Return how many files differ from the stamps that an index has of them."""
        new, differing = len(self.files), 0
        for path, pair in known:
            present = self.files.get(path)
            new -= present is not None
            differing += present != pair
        return new + differing
