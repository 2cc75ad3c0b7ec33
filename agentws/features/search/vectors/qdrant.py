"""Vector store in Qdrant: within this process (a folder of the cache), or at a server of the user."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import qdrant_client
from qdrant_client import models

from agentws.core.disk import cache
from agentws.core.ports import VectorRecord
from agentws.errors import OutsideProgramError
from agentws.features.search.vectors import numbers

_AT_ONCE = 256
_TIMEOUT_S = 30


class Qdrant:
    """A vector store: a Qdrant collection in a `folder` or at the server `url`. OutsideProgramError if Qdrant fails."""

    def __init__(self, collection: str, *, folder: str | None = None, url: str | None = None) -> None:
        self._name = collection
        self._folder = folder
        self._url = url
        self._client: Any = None
        self._open()

    def keys(self) -> set[str]:
        """Return the keys of all vectors in the Qdrant collection."""
        return {_key(point) for point in self._every()}

    def put(self, vectors: Iterable[VectorRecord]) -> None:
        """Add vectors to the Qdrant collection, or replace those with the same keys."""
        points = [
            models.PointStruct(id=_id(key), vector=numbers.plain(vector), payload=dict(fields))
            for key, vector, fields in vectors
        ]
        if not points:
            return
        if not self._exists():
            size = models.VectorParams(size=len(points[0].vector), distance=models.Distance.COSINE)
            self._ask(self._client.create_collection, self._name, vectors_config=size)
        for at in range(0, len(points), _AT_ONCE):
            some = points[at : at + _AT_ONCE]
            self._ask(self._client.upsert, self._name, points=some, wait=True)

    def nearest(self, vector: Any, count: int) -> list[tuple[str, float]]:
        """Return (key, similarity) of the `count` nearest vectors that Qdrant finds, the nearest first."""
        if not self._exists():
            return []
        asked = numbers.plain(vector)
        result = self._ask(self._client.query_points, self._name, query=asked, limit=count)
        return [(_key(point), numbers.clipped(point.score)) for point in result.points]

    def similarities(self, vector: Any, keys: Collection[str]) -> dict[str, float]:
        """Return the similarity to `vector` of the vectors with these keys, without keys that Qdrant does not hold."""
        points = self._retrieved(keys, vectors=True)
        return numbers.similarities(vector, {_key(point): point.vector for point in points})

    def metadata(self, keys: Collection[str]) -> dict[str, Mapping[str, str]]:
        """Return the metadata that Qdrant holds for these keys: source, time and headings."""
        return {_key(point): point.payload or {} for point in self._retrieved(keys)}

    def keep(self, keys: Collection[str]) -> int:
        """Remove all vectors but these and return how many; a folder is rewritten, as Qdrant keeps deleted rows."""
        gone = [key for key in self.keys() if key not in keys]
        if not gone:
            return 0
        if self._folder is None:
            ids = models.PointIdsList(points=[_id(key) for key in gone])
            self._ask(self._client.delete, self._name, points_selector=ids, wait=True)
            return len(gone)
        kept = [
            (_key(point), point.vector, point.payload or {})
            for point in self._every(vectors=True)
            if _key(point) in keys
        ]
        self.destroy()
        self.put(kept)
        return len(gone)

    def destroy(self) -> None:
        """Remove the Qdrant collection at the server, or its folder."""
        if self._folder is None:
            self._ask(self._client.delete_collection, self._name)
            return
        self._client.close()
        shutil.rmtree(self._folder)
        self._open()

    def close(self) -> None:
        """Close the Qdrant client."""
        self._client.close()

    def _open(self) -> None:
        if self._folder is None:
            self._client = qdrant_client.QdrantClient(url=self._url, timeout=_TIMEOUT_S, check_compatibility=False)
            return
        if not os.path.isdir(self._folder):
            cache.make_folder(self._folder)
        self._client = self._ask(qdrant_client.QdrantClient, path=self._folder)

    def _exists(self) -> bool:
        return bool(self._ask(self._client.collection_exists, self._name))

    def _every(self, *, vectors: bool = False) -> Iterator[Any]:
        if not self._exists():
            return
        offset = None
        while True:
            points, offset = self._ask(
                self._client.scroll,
                self._name,
                limit=_AT_ONCE,
                offset=offset,
                with_vectors=vectors,
                with_payload=vectors,
            )
            yield from points
            if offset is None:
                return

    def _retrieved(self, keys: Collection[str], *, vectors: bool = False) -> list[Any]:
        if not keys or not self._exists():
            return []
        ids = [_id(key) for key in keys]
        result: list[Any] = []
        for at in range(0, len(ids), _AT_ONCE):
            some = ids[at : at + _AT_ONCE]
            result += self._ask(self._client.retrieve, self._name, some, with_vectors=vectors, with_payload=not vectors)
        return result

    def _ask(self, act: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Return the answer of Qdrant; any exception of its client becomes an OutsideProgramError."""
        try:
            return act(*given, **named)
        except Exception as error:
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            raise OutsideProgramError(
                f"Qdrant failed ({self._url or 'in process'}): {reason}", hint="agentws config --user vectors.store"
            ) from error


def _id(key: str) -> str:
    return str(uuid.UUID(key))


def _key(point: Any) -> str:
    return uuid.UUID(str(point.id)).hex
