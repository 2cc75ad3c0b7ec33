"""Vector store at a Weaviate server of the user, by its REST and GraphQL interfaces, which need no client library."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from agentws.core.formats.json import plainjson
from agentws.core.ports import VectorRecord
from agentws.errors import OutsideProgramError
from agentws.features.search.vectors import numbers
from agentws.features.search.vectors.batches import HINT, Batched
from agentws.features.search.vectors.http_json import Server

_TIMEOUT_S = 30.0
_FIELDS = ("source", "time", "context")
_KEY = "WEAVIATE_API_KEY"


class Weaviate(Batched):
    """A vector store: a collection at the Weaviate server `url`. OutsideProgramError if the server fails."""

    AT_ONCE = 200

    def __init__(self, collection: str, url: str) -> None:
        self._name = collection.replace("-", "_").capitalize()
        self._url = url
        key = os.environ.get(_KEY, "")  # noqa: TID251 - the server's own variable
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._server = Server(f"{url.rstrip('/')}/v1", headers, timeout_s=_TIMEOUT_S, hint=HINT)

    def keys(self) -> set[str]:
        """Return the keys of all vectors in the Weaviate collection."""
        keys: set[str] = set()
        after = ""
        while self._exists():
            items = self._server.ask("GET", f"/objects?class={self._name}&limit={self.AT_ONCE}{after}")["objects"]
            keys |= {_key(item["id"]) for item in items}
            if len(items) < self.AT_ONCE:
                break
            after = f"&after={items[-1]['id']}"
        return keys

    def nearest(self, vector: Any, count: int) -> list[tuple[str, float]]:
        """Return (key, similarity) of the `count` nearest vectors that Weaviate finds, the nearest first."""
        if not self._exists():
            return []
        asked = plainjson.dumps(numbers.plain(vector))
        rows = self._get(f"nearVector: {{vector: {asked}}}, limit: {count}", "_additional { id distance }")
        return [
            (_key(row["_additional"]["id"]), numbers.clipped(1 - float(row["_additional"]["distance"]))) for row in rows
        ]

    def destroy(self) -> None:
        """Remove the Weaviate collection."""
        self._server.ask("DELETE", f"/schema/{self._name}", missing=True)

    def _exists(self) -> bool:
        return self._server.ask("GET", f"/schema/{self._name}", missing=True) is not None

    def _put(self, some: Sequence[VectorRecord]) -> None:
        if not self._exists():
            properties = [{"name": name, "dataType": ["text"]} for name in _FIELDS]
            config = {"class": self._name, "vectorizer": "none", "properties": properties}
            self._server.ask("POST", "/schema", {**config, "vectorIndexConfig": {"distance": "cosine"}})
        items = [
            {"class": self._name, "id": _id(key), "vector": numbers.plain(vector), "properties": dict(fields)}
            for key, vector, fields in some
        ]
        answer = self._server.ask("POST", "/batch/objects", {"objects": items})
        self._check(next((each["result"]["errors"] for each in answer if each["result"].get("errors")), None))

    def _got(self, some: Sequence[str]) -> Iterable[VectorRecord]:
        if not self._exists():
            return []
        ids = plainjson.dumps([_id(key) for key in some])
        where = f'where: {{path: ["id"], operator: ContainsAny, valueText: {ids}}}, limit: {self.AT_ONCE}'
        rows = self._get(where, f"{' '.join(_FIELDS)} _additional {{ id vector }}")
        return [
            (_key(more["id"]), more["vector"], {name: row[name] for name in _FIELDS if row.get(name)})
            for row in rows
            if (more := row["_additional"])
        ]

    def _remove(self, some: Sequence[str]) -> None:
        for key in some:
            self._server.ask("DELETE", f"/objects/{self._name}/{_id(key)}", missing=True)

    def _get(self, given: str, fields: str) -> list[Any]:
        query = f"{{ Get {{ {self._name}({given}) {{ {fields} }} }} }}"
        answer = self._server.ask("POST", "/graphql", {"query": query})
        self._check(answer.get("errors"))
        rows: list[Any] = answer["data"]["Get"][self._name]
        return rows

    def _check(self, errors: object) -> None:
        if errors:
            reason = " ".join(plainjson.dumps(errors).split())[:200]
            raise OutsideProgramError(f"Weaviate failed ({self._url}): {reason}", hint=HINT)


def _id(key: str) -> str:
    return str(uuid.UUID(key))


def _key(id: str) -> str:
    return uuid.UUID(id).hex
