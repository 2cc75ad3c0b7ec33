"""Embedding for `index refresh --vectors`: makes the missing vectors, newest entries first, and removes stale ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from agentws.core import Result
from agentws.core.ports import Embedder, VectorRecord, VectorStore
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, DiskError, LockHeldError, UsageError
from agentws.features.search import corpus
from agentws.features.search.plan import similarity
from agentws.features.search.plan.unit import Unit
from agentws.features.search.store import database
from agentws.features.search.vectors import choice, vectors
from agentws.features.search.vectors.numbers import OtherSizeError

Progress = Callable[[int, int], None]
"""Called with (entries done, entries in all)."""


_LOCK = "search.vectors.lock"
_AT_ONCE_CHARS = 6_000
_AT_ONCE = 64
_SENT_CHARS = 8_000
"""A longer text is cut to this length before it is embedded."""


class VectorStatus(Result):
    """How many entries of a workspace have a vector.

    Fields:
        embedder, store: the names of the embedder and of the vector store.
        entries: how many different texts there are; known: how many of them have a vector.
        added, removed: how many vectors this refresh added and removed.
    """

    __slots__ = ("added", "embedder", "entries", "known", "notices", "removed", "store")

    def __init__(self, embedder: str, store: str) -> None:
        self.embedder = embedder
        self.store = store
        self.entries = self.known = self.added = self.removed = 0
        self.notices: list[str] = []


def refresh_vectors(stores: Stores, *, progress: Progress | None = None) -> VectorStatus:
    """Embed the entries without a vector, and remove vectors of texts that are gone; DiskError if none can be stored.

    MissingFileError names what is not installed. An interrupted call keeps the vectors made so far; the next continues.
    """
    folder = _folder(stores)
    settings = vectors.read_settings(stores.environment)
    if settings["embedder"] == choice.OFF:
        raise UsageError("Vectors are off.", hint='agentws config --user vectors.embedder ""')
    name = choice.embedder_name(settings)
    done = VectorStatus(name, settings["store"] or "builtin")
    embedder = vectors.embedder(settings)
    try:
        with database.Writing(folder, patience_s=stores.environment.patience_s, lock=_LOCK):
            wanted = _texts(stores)
            store = choice.store(settings["store"], name, folder)
            try:
                vectors.add(folder, (settings["store"], name))
                _fill(store, embedder, wanted, done, progress, is_ours=not settings["embedder"])
                done.removed = store.keep(wanted.keys())
            finally:
                store.close()
    except database.BusyError as error:
        raise LockHeldError("Another process makes vectors of this workspace.") from error
    done.notices = list(stores.notices)
    return done


def vector_status(stores: Stores) -> VectorStatus | None:
    """Return how many entries have a vector; None if no vectors were ever made."""
    folder = stores.cache.folder
    held = vectors.read(folder)
    if folder is None or not held:
        return None
    place, name = held[-1]
    status = VectorStatus(name, place or "builtin")
    try:
        store = choice.store(place, name, folder)
        try:
            wanted = _texts(stores)
            status.entries, status.known = len(wanted), len(store.keys() & wanted.keys())
        finally:
            store.close()
    except AgentwsError as error:
        status.notices.append(f"The vectors cannot be read: {error.message}")
    return status


def forget_vectors(stores: Stores) -> list[str]:
    """Remove vectors of texts that are gone from every store that ever held any; return a notice for each failure."""
    folder = stores.cache.folder
    held = vectors.read(folder)
    if folder is None or not held:
        return []
    notices, left = [], []
    try:
        wanted = _texts(stores)
    except AgentwsError:
        wanted = {}  # what cannot be read keeps no vector
    for place, name in held:
        try:
            store = choice.store(place, name, folder)
            try:
                store.keep(_as_they_are(store, wanted))
            finally:
                store.close()
            left.append((place, name))
        except Exception as error:  # whatever a client raises: what was forgotten must not stay
            if not choice.destroyed(place, name, folder):
                left.append((place, name))
                notices.append(
                    f"Vectors of forgotten text may remain in {place}: {error}. Once it answers, run: {vectors.REFRESH}"
                )
    vectors.write(folder, left)
    return notices


def _fill(
    store: VectorStore,
    embedder: Embedder,
    wanted: Mapping[str, Unit],
    done: VectorStatus,
    progress: Progress | None,
    *,
    is_ours: bool,
) -> None:
    """Embed and store the units without a vector; all of them if the user's embedder changed its vector size."""
    known = store.keys()
    done.entries, done.known = len(wanted), len(known & wanted.keys())
    lacking = [unit for key, unit in wanted.items() if key not in known]
    probe = [] if is_ours else [*wanted.values()][:1]
    for batch, made in embedded(embedder, lacking or probe):
        if not _is_same_size(store, made[0], list(known)[:1]):
            store.destroy()
            return _fill(store, embedder, wanted, done, progress, is_ours=is_ours)
        if lacking:
            store.put([_record(unit, vector) for unit, vector in zip(batch, made, strict=True)])
            done.added += len(batch)
            if progress is not None:
                progress(done.added, len(lacking))
    done.known += done.added
    return None


def _is_same_size(store: VectorStore, vector: object, some: list[str]) -> bool:
    try:
        store.similarities(vector, some)
    except OtherSizeError:
        return False
    return True


def _as_they_are(store: VectorStore, wanted: Mapping[str, Unit]) -> set[str]:
    """Return the keys whose stored path and headings are still right: a heading may be gone while its text stayed."""
    metadata = store.metadata(wanted.keys())
    return {key for key, kept in metadata.items() if _words(kept) == _words(_metadata(wanted[key]))}


def _words(fields: Mapping[str, str]) -> tuple[str, str]:
    """Return the path and the headings in a vector's metadata, without the line, which may have moved."""
    return fields.get("source", "").rpartition(":")[0], fields.get("context", "")


def _folder(stores: Stores) -> str:
    folder = stores.cache.folder
    if folder is None or stores.files.is_view:
        raise DiskError("Vectors cannot be stored.", hint="Set XDG_CACHE_HOME to a writable folder.")
    return folder


def _texts(stores: Stores) -> dict[str, Unit]:
    """Return a unit for each different text that gets a vector, the newest first."""
    units: dict[str, Unit] = {}
    opened = corpus.of(stores)
    try:
        for unit in opened.every():
            if similarity.has_vector(unit.form, unit.text):
                units.setdefault(similarity.key(unit.text), unit)
    finally:
        opened.close()
    return units


def embedded(embedder: Embedder, units: Sequence[Unit]) -> Iterator[tuple[list[Unit], Sequence[Any]]]:
    """Yield the units in batches, with the vector of each."""
    for batch in _batches(units):
        yield batch, embedder.embed([similarity.text(unit.text)[:_SENT_CHARS] for unit in batch])


def _batches(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    """Yield batches of units to embed in one call."""
    batch: list[Unit] = []
    chars = 0
    for unit in units:
        batch.append(unit)
        chars += min(len(unit.text), 1_000)
        if chars >= _AT_ONCE_CHARS or len(batch) == _AT_ONCE:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


def _record(unit: Unit, vector: object) -> VectorRecord:
    return similarity.key(unit.text), vector, _metadata(unit)


def _metadata(unit: Unit) -> dict[str, str]:
    time = f"{unit.day}T{unit.time}" if unit.day and unit.time else unit.day
    return {"source": f"{unit.path}:{unit.line}", "time": time, "context": " › ".join(unit.headings)}
