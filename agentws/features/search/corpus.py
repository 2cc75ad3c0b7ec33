"""The corpus of a search: the index if there can be one, else a scan of the files, with the same answers."""

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
"""The file that features/search/vectors/vectors.py writes."""


def of(
    stores: Stores, *, doubted: Collection[str] = (), afresh: bool = False, progress: Progress | None = None
) -> Corpus:
    """Return the corpus to search: the index that the last search left open, else an updated index, else a scan.

    The index reads `doubted` files again, with `afresh` all of them. `progress` gets (bytes read, bytes in all).
    """
    try:
        from agentws.features.search import indexed
    except ImportError:  # a Python without SQLite
        index = None
    else:
        kept, stores.kept = stores.kept, None  # of several threads one has it
        if isinstance(kept, indexed.Indexed):
            if not doubted and not afresh and kept.is_current(stores):
                return kept
            kept.close()
        index = indexed.opened(stores, doubted=doubted, afresh=afresh, progress=progress)
    return scanned(stores) if index is None else index


def keep(stores: Stores, corpus: Corpus) -> None:
    """Keep an indexed corpus open for the next search of these stores; close a scan, or a second index."""
    if corpus.is_fresh or stores.kept is not None:
        corpus.close()
    else:
        stores.kept = corpus


def vectors(stores: Stores) -> Vectors | None:
    """Return the vectors of a corpus's entries, None if none were made; then no vector module is imported."""
    if not has_vectors(stores):
        return None
    from agentws.features.search.vectors import vectors as _vectors

    return _vectors.opened(stores)


def has_vectors(stores: Stores) -> bool:
    """Return whether vectors of the entries were ever made on this machine."""
    folder = stores.whole.cache.folder
    return folder is not None and os.path.exists(f"{folder}/{_MARKER}")


def scanned(stores: Stores) -> Scan:
    """Return a corpus that is read from the files, without an index."""
    from agentws.features.search.scan import Scan

    return Scan(stores)
