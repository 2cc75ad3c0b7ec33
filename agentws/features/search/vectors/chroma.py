"""Vector store in Chroma: its library keeps the vectors in a folder of the cache, with telemetry off."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from agentws.core.disk import cache
from agentws.core.ports import VectorRecord
from agentws.errors import OutsideProgramError
from agentws.features.search.vectors import numbers
from agentws.features.search.vectors.batches import Batched, failed

try:
    import chromadb
    from chromadb.config import Settings
except ValueError as error:  # it reads any `.env` in the current folder
    raise OutsideProgramError(
        f"Chroma cannot be loaded: {' '.join(str(error).split())[:200]}", hint="Re-run in a folder without a .env file."
    ) from error


class Chroma(Batched):
    """A vector store: a Chroma collection in a `folder`. OutsideProgramError if the library fails."""

    _folder: str

    def __init__(self, collection: str, folder: str) -> None:
        self._name = collection
        self._folder = folder
        self._client: Any = None
        self._found: Any = None
        self._open()

    def keys(self) -> set[str]:
        """Return the keys of all vectors in the Chroma collection."""
        return set(self._ask(self._found.get, include=[])["ids"])

    def nearest(self, vector: Any, count: int) -> list[tuple[str, float]]:
        """Return (key, similarity) of the `count` nearest vectors that Chroma finds, the nearest first."""
        there = self._ask(self._found.count)
        if not there:
            return []
        asked = [numbers.plain(vector)]
        result = self._ask(
            self._found.query, query_embeddings=asked, n_results=min(count, there), include=["distances"]
        )
        return [
            (key, numbers.clipped(1 - far)) for key, far in zip(result["ids"][0], result["distances"][0], strict=True)
        ]

    def destroy(self) -> None:
        """Remove Chroma's folder with all vectors, and start an empty one."""
        self.close()
        shutil.rmtree(self._folder)
        self._open()

    def close(self) -> None:
        """Close the Chroma client."""
        self._found = None
        self._client.close()

    def _open(self) -> None:
        if not os.path.isdir(self._folder):
            cache.make_folder(self._folder)
        # Otherwise a `.env` in the current folder, which may be a workspace, could name a server.
        settings = Settings(_env_file=None, anonymized_telemetry=False)
        self._client = self._ask(chromadb.PersistentClient, self._folder, settings=settings)
        self._found = self._ask(
            self._client.get_or_create_collection,
            self._name,
            embedding_function=None,
            metadata={"hnsw:space": "cosine"},
        )

    def _put(self, some: Sequence[VectorRecord]) -> None:
        self._ask(
            self._found.upsert,
            ids=[key for key, _, _ in some],
            embeddings=[numbers.plain(vector) for _, vector, _ in some],
            metadatas=[dict(fields) or None for _, _, fields in some],
        )

    def _got(self, some: Sequence[str]) -> Iterable[VectorRecord]:
        result = self._ask(self._found.get, ids=some, include=["embeddings", "metadatas"])
        fields = (each or {} for each in result["metadatas"])
        return zip(result["ids"], result["embeddings"], fields, strict=True)

    def _ask(self, act: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Return the answer of Chroma; any exception of its library becomes an OutsideProgramError."""
        try:
            return act(*given, **named)
        except Exception as error:
            raise failed("Chroma failed", error) from error
