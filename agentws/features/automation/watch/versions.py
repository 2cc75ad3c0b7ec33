"""The documents at two moments: as a state of history holds them, and besides what no state holds."""

from __future__ import annotations

from agentws.core.formats import digest, layout
from agentws.core.states import versions as _versions
from agentws.errors import AgentwsError, TooLargeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from agentws.core.states.past import Past
    from agentws.core.stores.stores import Stores

_MOST_STATES = 50
_OWN = "="
"""How the id of a content begins that git does not hold."""


class Document:
    """A content of a document: its `id`, and its `size` (bytes; 0 where only git knows)."""

    __slots__ = ("id", "size")

    def __init__(self, id: str, size: int = 0) -> None:
        self.id = id
        self.size = size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and other.id == self.id

    __hash__ = None  # type: ignore[assignment]


class Versions:
    """The documents at one moment.

    Fields:
        state: the id of the state of history, empty where there is none.
        apart: by path, (id, bytes) of those that this state does not hold.
        documents: by path, the content of each.
    """

    __slots__ = ("_past", "_read", "apart", "documents", "state")

    def __init__(
        self, past: Past | None, state: str, apart: dict[str, tuple[str, int]], read: dict[str, bytes] | None = None
    ) -> None:
        self.state = state
        self.apart = apart
        self._past = past
        self._read = read or {}
        ids = past.tree(state) if past is not None and state else {}
        self.documents = {path: Document(id) for path, id in ids.items() if layout.is_document(path)}
        self.documents |= {path: Document(id, size) for path, (id, size) in apart.items()}

    def contents(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return what those of these documents hold of which it is known."""
        wanted = {path: self.documents[path].id for path in paths if path in self.documents}
        found = {path: self._read[path] for path in wanted if path in self._read}
        ids = {path: id for path, id in wanted.items() if not id.startswith(_OWN)}
        if self._past is not None and ids:
            held = _read(self._past, list(ids.values()))
            found |= {path: held[id] for path, id in ids.items() if id in held}
            for path in ids:
                self.documents[path].size = len(found.get(path, b""))
        return found

    def earlier(self, path: str) -> dict[str, bytes]:
        """Return what the newest states of history held at `path`, by digest."""
        if self._past is None:
            return {}
        states = [state[0] for state, _ in self._past.touching([path])[:_MOST_STATES]]
        ids = self._past.contents_of([(state, path) for state in states])
        return {digest.of(data): data for data in _read(self._past, ids).values()}


def _read(past: Past, ids: list[str]) -> dict[str, bytes]:
    """(id → content); without those that are too large to be compared."""
    try:
        return past.read(ids)
    except TooLargeError:
        found: dict[str, bytes] = {}
        for id in ids if len(ids) > 1 else ():
            found |= _read(past, [id])
        return found


def present(stores: Stores) -> tuple[Versions, datetime | None]:
    """Return the documents of the newest state, with those on the disk that it lacks; and when it was recorded."""
    kept = _versions.open_newest(stores.files, stores.manifest, cache=stores.cache)
    newest = kept.newest() if kept is not None else None
    past = _versions.open_past(stores.files, stores.manifest) if newest is not None else None
    held = past.tree(newest[0]) if past is not None and newest is not None else {}
    read: dict[str, bytes] = {}
    for path in _versions.paths(stores.files):
        if path not in held:
            try:
                read[path] = stores.files.read(path)
            except AgentwsError:
                continue
    apart = {path: (f"{_OWN}{digest.quick(data)}", len(data)) for path, data in read.items()}
    return Versions(past, newest[0] if newest else "", apart, read), newest[1] if newest else None


def earlier(stores: Stores, state: str, apart: dict[str, tuple[str, int]]) -> Versions | None:
    """Return the documents as they were seen earlier; None where the repository knows nothing of that state."""
    if not state:
        return Versions(None, "", apart)
    past = _versions.open_past(stores.files, stores.manifest)
    if past is None:
        return None
    try:
        return Versions(past, state, apart)
    except AgentwsError:
        return None


def newest(stores: Stores) -> str:
    """Return the id of the newest state, empty where there is none."""
    kept = _versions.open_newest(stores.files, stores.manifest, cache=stores.cache)
    return (kept.tip() if kept is not None else None) or ""
