"""Vector store in a Pinecone index of the user, by its REST interface, which needs no client library.

The user makes the index, with the metric cosine; a namespace of it holds the vectors of a workspace.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from agentws.core.ports import VectorRecord
from agentws.features.search.vectors import numbers
from agentws.features.search.vectors.http_json import Server

_AT_ONCE = 100
_TIMEOUT_S = 30.0
_KEY = "PINECONE_API_KEY"
_VERSION = "2025-01"
_MOST_FOUND = 10_000


class Pinecone:
    """A vector store: a namespace of the Pinecone index with the host `url`. OutsideProgramError if it fails."""

    def __init__(self, collection: str, url: str) -> None:
        self._name = collection
        key = os.environ.get(_KEY, "")  # noqa: TID251 - the server's own variable
        headers = {"Api-Key": key, "X-Pinecone-Api-Version": _VERSION}
        self._server = Server(url, headers, timeout_s=_TIMEOUT_S, hint="agentws config --user vectors.store")

    def keys(self) -> set[str]:
        """Return the keys of all vectors in the Pinecone namespace."""
        keys: set[str] = set()
        token = ""
        while True:
            asked = {"namespace": self._name, "limit": str(_AT_ONCE), **({"paginationToken": token} if token else {})}
            answer = self._server.ask("GET", f"/vectors/list?{urlencode(asked)}", missing=True) or {}
            keys |= {item["id"] for item in answer.get("vectors", ())}
            token = (answer.get("pagination") or {}).get("next", "")
            if not token:
                return keys

    def put(self, vectors: Iterable[VectorRecord]) -> None:
        """Add vectors to the Pinecone namespace, or replace those with the same keys."""
        items = [{"id": key, "values": numbers.plain(row), "metadata": dict(fields)} for key, row, fields in vectors]
        for at in range(0, len(items), _AT_ONCE):
            self._post("upsert", vectors=items[at : at + _AT_ONCE])

    def nearest(self, vector: Any, count: int) -> list[tuple[str, float]]:
        """Return (key, similarity) of the `count` nearest vectors that Pinecone finds, the nearest first."""
        asked = {"vector": numbers.plain(vector), "topK": min(count, _MOST_FOUND), "namespace": self._name}
        answer = self._server.ask("POST", "/query", asked)
        return [(item["id"], numbers.clipped(item["score"])) for item in answer.get("matches", ())]

    def similarities(self, vector: Any, keys: Collection[str]) -> dict[str, float]:
        """Return the similarity to `vector` of the vectors with these keys, without keys that are not held."""
        return numbers.similarities(vector, {key: item["values"] for key, item in self._of(keys).items()})

    def metadata(self, keys: Collection[str]) -> dict[str, Mapping[str, str]]:
        """Return the metadata that Pinecone holds for these keys: source, time and headings."""
        return {key: item.get("metadata") or {} for key, item in self._of(keys).items()}

    def keep(self, keys: Collection[str]) -> int:
        """Remove all vectors but these and return how many."""
        gone = sorted(self.keys() - set(keys))
        for at in range(0, len(gone), _AT_ONCE):
            self._post("delete", ids=gone[at : at + _AT_ONCE])
        return len(gone)

    def destroy(self) -> None:
        """Remove all vectors of the Pinecone namespace."""
        self._post("delete", missing=True, deleteAll=True)

    def close(self) -> None:
        """Do nothing: no connection is kept."""

    def _post(self, verb: str, *, missing: bool = False, **fields: object) -> None:
        self._server.ask("POST", f"/vectors/{verb}", {**fields, "namespace": self._name}, missing=missing)

    def _of(self, keys: Collection[str]) -> dict[str, Any]:
        every = sorted(keys)
        result: dict[str, Any] = {}
        for at in range(0, len(every), _AT_ONCE):
            ids = "&".join(f"ids={quote(key)}" for key in every[at : at + _AT_ONCE])
            answer = self._server.ask("GET", f"/vectors/fetch?{ids}&namespace={quote(self._name)}")
            result |= answer.get("vectors", {})
        return result
