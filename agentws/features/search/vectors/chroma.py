"""Vector store in Chroma: its library keeps the vectors in a folder of the cache, with telemetry off."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from agentws.core.disk import cache
from agentws.core.ports import VectorRecord
from agentws.errors import OutsideProgramError
from agentws.features.search.vectors import numbers

try:
    import chromadb
    from chromadb.config import Settings
except ValueError as error:  # it reads any `.env` in the current folder
    raise OutsideProgramError(
        f"Chroma cannot be loaded: {' '.join(str(error).split())[:200]}", hint="Re-run in a folder without a .env file."
    ) from error

_AT_ONCE = 256


class Chroma:
    """A vector store: a Chroma collection in a `folder`. OutsideProgramError if the library fails."""

    def __init__(self, collection: str, folder: str) -> None:
        self._name = collection
        self._folder = folder
        self._client: Any = None
        self._found: Any = None
        self._open()

    def keys(self) -> set[str]:
        """Return the keys of all vectors in the Chroma collection."""
        return set(self._ask(self._found.get, include=[])["ids"])

    def put(self, vectors: Iterable[VectorRecord]) -> None:
        """Add vectors to the Chroma collection, or replace those with the same keys."""
        rows = list(vectors)
        for at in range(0, len(rows), _AT_ONCE):
            some = rows[at : at + _AT_ONCE]
            self._ask(
                self._found.upsert,
                ids=[key for key, _, _ in some],
                embeddings=[numbers.plain(vector) for _, vector, _ in some],
                metadatas=[dict(fields) or None for _, _, fields in some],
            )

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

    def similarities(self, vector: Any, keys: Collection[str]) -> dict[str, float]:
        """Return the similarity to `vector` of the vectors with these keys, without keys that Chroma does not hold."""
        return numbers.similarities(vector, self._got(keys, "embeddings"))

    def metadata(self, keys: Collection[str]) -> dict[str, Mapping[str, str]]:
        """Return the metadata that Chroma holds for these keys: source, time and headings."""
        return {key: value or {} for key, value in self._got(keys, "metadatas").items()}

    def keep(self, keys: Collection[str]) -> int:
        """Remove all vectors but these and return how many; the folder is rewritten, as Chroma keeps deleted rows."""
        known = self.keys()
        gone = known - set(keys)
        if gone:
            stays = known - gone
            vectors, fields = self._got(stays, "embeddings"), self._got(stays, "metadatas")
            self.destroy()
            self.put((key, row, fields[key] or {}) for key, row in vectors.items())
        return len(gone)

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

    def _got(self, keys: Collection[str], what: str) -> dict[str, Any]:
        every = list(keys)
        fields: dict[str, Any] = {}
        for at in range(0, len(every), _AT_ONCE):
            some = every[at : at + _AT_ONCE]
            result = self._ask(self._found.get, ids=some, include=[what])
            fields.update(zip(result["ids"], result[what], strict=True))
        return fields

    def _ask(self, act: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Return the answer of Chroma; any exception of its library becomes an OutsideProgramError."""
        try:
            return act(*given, **named)
        except Exception as error:
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            raise OutsideProgramError(f"Chroma failed: {reason}", hint="agentws config --user vectors.store") from error
