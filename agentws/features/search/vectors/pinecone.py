"""Vector store in a Pinecone index of the user, by its REST interface, which needs no client library.

The user makes the index, with the metric cosine; a namespace of it holds the vectors of a workspace.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from agentws.core.ports import VectorRecord
from agentws.features.search.vectors import numbers
from agentws.features.search.vectors.batches import HINT, Batched
from agentws.features.search.vectors.http_json import Server

_TIMEOUT_S = 30.0
_KEY = "PINECONE_API_KEY"
_VERSION = "2025-01"
_MOST_FOUND = 10_000


class Pinecone(Batched):
    """A vector store: a namespace of the Pinecone index with the host `url`. OutsideProgramError if it fails."""

    AT_ONCE = 100

    def __init__(self, collection: str, url: str) -> None:
        self._name = collection
        key = os.environ.get(_KEY, "")  # noqa: TID251 - the server's own variable
        headers = {"Api-Key": key, "X-Pinecone-Api-Version": _VERSION}
        self._server = Server(url, headers, timeout_s=_TIMEOUT_S, hint=HINT)

    def keys(self) -> set[str]:
        """Return the keys of all vectors in the Pinecone namespace."""
        keys: set[str] = set()
        asked = {"namespace": self._name, "limit": str(self.AT_ONCE)}
        while True:
            answer = self._server.ask("GET", f"/vectors/list?{urlencode(asked)}", missing=True) or {}
            keys |= {item["id"] for item in answer.get("vectors", ())}
            token = (answer.get("pagination") or {}).get("next", "")
            if not token:
                return keys
            asked["paginationToken"] = token

    def nearest(self, vector: Any, count: int) -> list[tuple[str, float]]:
        """Return (key, similarity) of the `count` nearest vectors that Pinecone finds, the nearest first."""
        asked = {"vector": numbers.plain(vector), "topK": min(count, _MOST_FOUND), "namespace": self._name}
        answer = self._server.ask("POST", "/query", asked)
        return [(item["id"], numbers.clipped(item["score"])) for item in answer.get("matches", ())]

    def destroy(self) -> None:
        """Remove all vectors of the Pinecone namespace."""
        self._post("delete", missing=True, deleteAll=True)

    def _put(self, some: Sequence[VectorRecord]) -> None:
        items = [{"id": key, "values": numbers.plain(row), "metadata": dict(fields)} for key, row, fields in some]
        self._post("upsert", vectors=items)

    def _got(self, some: Sequence[str]) -> Iterator[VectorRecord]:
        ids = "&".join(f"ids={quote(key)}" for key in some)
        answer = self._server.ask("GET", f"/vectors/fetch?{ids}&namespace={quote(self._name)}")
        for key, item in answer.get("vectors", {}).items():
            yield key, item["values"], item.get("metadata") or {}

    def _remove(self, some: Sequence[str]) -> None:
        self._post("delete", ids=some)

    def _post(self, verb: str, *, missing: bool = False, **fields: object) -> None:
        self._server.ask("POST", f"/vectors/{verb}", {**fields, "namespace": self._name}, missing=missing)
