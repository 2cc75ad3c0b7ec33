"""Vector store in Qdrant: within this process (a folder of the cache), or at a server of the user."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import qdrant_client
from qdrant_client import models

from agentws.core.disk import cache
from agentws.core.ports import VectorRecord
from agentws.features.search.vectors import numbers
from agentws.features.search.vectors.batches import Batched, failed

_TIMEOUT_S = 30


class Qdrant(Batched):
    """A vector store: a Qdrant collection in a `folder` or at the server `url`. OutsideProgramError if Qdrant fails."""

    def __init__(self, collection: str, *, folder: str | None = None, url: str | None = None) -> None:
        self._name = collection
        self._folder = folder
        self._url = url
        self._client: Any = None
        self._open()

    def keys(self) -> set[str]:
        """Return the keys of all vectors in the Qdrant collection."""
        keys: set[str] = set()
        offset: Any = None
        while self._exists():
            points, offset = self._ask(
                self._client.scroll, self._name, limit=self.AT_ONCE, offset=offset, with_payload=False
            )
            keys.update(map(_key, points))
            if offset is None:
                break
        return keys

    def nearest(self, vector: Any, count: int) -> list[tuple[str, float]]:
        """Return (key, similarity) of the `count` nearest vectors that Qdrant finds, the nearest first."""
        if not self._exists():
            return []
        asked = numbers.plain(vector)
        result = self._ask(self._client.query_points, self._name, query=asked, limit=count)
        return [(_key(point), numbers.clipped(point.score)) for point in result.points]

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

    def _put(self, some: Sequence[VectorRecord]) -> None:
        points = [
            models.PointStruct(id=_id(key), vector=numbers.plain(vector), payload=dict(fields))
            for key, vector, fields in some
        ]
        if not self._exists():
            size = models.VectorParams(size=len(points[0].vector), distance=models.Distance.COSINE)
            self._ask(self._client.create_collection, self._name, vectors_config=size)
        self._ask(self._client.upsert, self._name, points=points, wait=True)

    def _got(self, some: Sequence[str]) -> Iterable[VectorRecord]:
        if not self._exists():
            return []
        ids = [_id(key) for key in some]
        points = self._ask(self._client.retrieve, self._name, ids, with_vectors=True, with_payload=True)
        return [(_key(point), point.vector, point.payload or {}) for point in points]

    def _remove(self, some: Sequence[str]) -> None:
        ids = models.PointIdsList(points=[_id(key) for key in some])
        self._ask(self._client.delete, self._name, points_selector=ids, wait=True)

    def _ask(self, act: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Return the answer of Qdrant; any exception of its client becomes an OutsideProgramError."""
        try:
            return act(*given, **named)
        except Exception as error:
            raise failed(f"Qdrant failed ({self._url or 'in process'})", error) from error


def _id(key: str) -> str:
    return str(uuid.UUID(key))


def _key(point: Any) -> str:
    return uuid.UUID(str(point.id)).hex
