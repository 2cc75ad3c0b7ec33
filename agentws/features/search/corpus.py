"""What a search asks: the index where there can be one, else the files themselves. Both give the same answers."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from agentws.core.stores.stores import Stores
    from agentws.features.search.indexed import Indexed, Progress
    from agentws.features.search.scan import Scan
    from agentws.features.search.vectors.vectors import Vectors

    Corpus = Indexed | Scan

_MARKER = "search.vectors.json"
"""What features/search/vectors/marker.py writes."""


def of(
    stores: Stores, *, doubted: Collection[str] = (), afresh: bool = False, progress: Progress | None = None
) -> Corpus:
    """Return what is to be asked; files that are `doubted` are read again, whatever the index holds of them.

    With `afresh` all are. `progress` is told how many bytes were read, of how many.
    """
    try:
        from agentws.features.search import indexed
    except ImportError:  # a Python without SQLite
        found = None
    else:
        kept, stores.kept = stores.kept, None  # of several threads one has it
        if isinstance(kept, indexed.Indexed):
            if not doubted and not afresh and kept.is_current(stores):
                return kept
            kept.close()
        found = indexed.opened(stores, doubted=doubted, afresh=afresh, progress=progress)
    return scanned(stores) if found is None else found


def keep(stores: Stores, corpus: Corpus) -> None:
    """Let the next search of these stores ask the same, if it is still current then."""
    if corpus.is_fresh or stores.kept is not None:
        corpus.close()
    else:
        stores.kept = corpus


def vectors(stores: Stores) -> Vectors | None:
    """Return the vectors of the entries, None where none were made; without them nothing more is imported."""
    if not has_vectors(stores):
        return None
    from agentws.features.search.vectors import vectors as _vectors

    return _vectors.opened(stores)


def has_vectors(stores: Stores) -> bool:
    """Return whether vectors of the entries were ever made on this machine."""
    folder = stores.whole.cache.folder
    return folder is not None and os.path.exists(f"{folder}/{_MARKER}")


def scanned(stores: Stores) -> Scan:
    """Return the files themselves to be asked."""
    from agentws.features.search.scan import Scan

    return Scan(stores)
