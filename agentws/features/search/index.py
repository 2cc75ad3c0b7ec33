"""index status|refresh|rebuild: reports on the search index, updates it, or makes it again from the files."""

from __future__ import annotations

import os

from agentws.core import Result
from agentws.errors import DiskError
from agentws.features.search import corpus, indexed
from agentws.features.search.store import database
from agentws.features.search.store.index import Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores
    from agentws.features.search.indexed import Progress

_HINT = "Set XDG_CACHE_HOME to a writable folder. Until then search reads the files, which is slower."


class IndexStatus(Result):
    """The state of a workspace's search index.

    Fields:
        path: the index file; empty without one.
        is_current: whether the index matches the files; `behind`: how many files differ from it.
        files, units: how many the index holds; rooms: the units in each room.
        size: of the index file in bytes.
        has_vectors: whether vectors were ever made on this machine.
    """

    __slots__ = ("behind", "files", "has_vectors", "is_current", "notices", "path", "rooms", "size", "units")

    def __init__(self) -> None:
        self.path = ""
        self.is_current = self.has_vectors = False
        self.files = self.units = self.size = self.behind = 0
        self.rooms: dict[str, int] = {}
        self.notices: list[str] = []


def status(stores: Stores) -> IndexStatus:
    """Return what the index holds and whether it is up to date, without changing it."""
    import sqlite3

    result = IndexStatus()
    result.notices = list(stores.notices)
    result.has_vectors = corpus.has_vectors(stores)
    path = database.newest(stores.cache.folder) if stores.cache.folder else None
    if path is None:
        return result
    try:
        result.path, result.size = path, os.stat(path).st_size
        _read(stores, Index(database.connect(path), path), result)
    except OSError:
        pass  # another process replaces it
    except (sqlite3.Error, ValueError):
        result.notices.append("The index is damaged. The next search rebuilds it.")
    return result


def _read(stores: Stores, index: Index, report: IndexStatus) -> None:
    try:
        if index.version() != indexed.version(stores):
            report.notices.append("Another version of agentws wrote the index. The next search rebuilds it.")
            return
        report.units = index.totals()[0]
        report.behind = indexed.Present(stores).differing(index.stamps())
        report.is_current = not report.behind
        for room, files, units in index.rooms():
            report.files += files
            if units:
                report.rooms[room] = units
    finally:
        index.close()


def refresh(stores: Stores, *, progress: Progress | None = None) -> IndexStatus:
    """Bring the index up to date and return its state; DiskError if it cannot be stored.

    `progress` is called with (bytes read, bytes in all).
    """
    return _made(stores, afresh=False, progress=progress)


def rebuild(stores: Stores, *, progress: Progress | None = None) -> IndexStatus:
    """Make the index again from all files and return its state; errors and `progress` as for `refresh`."""
    return _made(stores, afresh=True, progress=progress)


def _made(stores: Stores, *, afresh: bool, progress: Progress | None) -> IndexStatus:
    opened = indexed.opened(stores, afresh=afresh, progress=progress)
    if opened is None:
        raise DiskError("The search index cannot be stored.", hint=_HINT)
    opened.close()
    return status(stores)
