"""Vector store at a Weaviate server of the user, by its REST and GraphQL interfaces, which need no client library."""

from __future__ import annotations

import os
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from agentws.core.formats.json import plainjson
from agentws.core.ports import VectorRecord
from agentws.errors import OutsideProgramError
from agentws.features.search.vectors import numbers
from agentws.features.search.vectors.http_json import Server

_AT_ONCE = 200
_TIMEOUT_S = 30.0
_FIELDS = ("source", "time", "context")
_KEY = "WEAVIATE_API_KEY"
_HINT = "agentws config --user vectors.store"


class Weaviate:
    """A vector store: a collection at the Weaviate server `url`. OutsideProgramError if the server fails."""

    def __init__(self, collection: str, url: str) -> None:
        self._name = collection.replace("-", "_").capitalize()
        self._url = url
        key = os.environ.get(_KEY, "")  # noqa: TID251 - the server's own variable
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._server = Server(f"{url.rstrip('/')}/v1", headers, timeout_s=_TIMEOUT_S, hint=_HINT)

    def keys(self) -> set[str]:
        """Return the keys of all vectors in the Weaviate collection."""
        return {_key(item["id"]) for item in self._every()} if self._exists() else set()

    def put(self, vectors: Iterable[VectorRecord]) -> None:
        """Add vectors to the Weaviate collection, or replace those with the same keys."""
        items = [
            {"class": self._name, "id": _id(key), "vector": numbers.plain(vector), "properties": dict(fields)}
            for key, vector, fields in vectors
        ]
        if items and not self._exists():
            properties = [{"name": name, "dataType": ["text"]} for name in _FIELDS]
            config = {"class": self._name, "vectorizer": "none", "properties": properties}
            self._server.ask("POST", "/schema", {**config, "vectorIndexConfig": {"distance": "cosine"}})
        for at in range(0, len(items), _AT_ONCE):
            answer = self._server.ask("POST", "/batch/objects", {"objects": items[at : at + _AT_ONCE]})
            self._check(next((each["result"]["errors"] for each in answer if each["result"].get("errors")), None))

    def nearest(self, vector: Any, count: int) -> list[tuple[str, float]]:
        """Return (key, similarity) of the `count` nearest vectors that Weaviate finds, the nearest first."""
        if not self._exists():
            return []
        asked = plainjson.dumps(numbers.plain(vector))
        rows = self._get(f"nearVector: {{vector: {asked}}}, limit: {count}", "_additional { id distance }")
        return [
            (_key(row["_additional"]["id"]), numbers.clipped(1 - float(row["_additional"]["distance"]))) for row in rows
        ]

    def similarities(self, vector: Any, keys: Collection[str]) -> dict[str, float]:
        """Return the similarity to `vector` of the vectors with these keys, without keys that are not held."""
        rows = self._of(keys, "_additional { id vector }")
        return numbers.similarities(vector, {key: row["_additional"]["vector"] for key, row in rows.items()})

    def metadata(self, keys: Collection[str]) -> dict[str, Mapping[str, str]]:
        """Return the metadata that Weaviate holds for these keys: source, time and headings."""
        rows = self._of(keys, f"{' '.join(_FIELDS)} _additional {{ id }}")
        return {key: {name: row[name] for name in _FIELDS if row.get(name)} for key, row in rows.items()}

    def keep(self, keys: Collection[str]) -> int:
        """Remove all vectors but these and return how many."""
        gone = self.keys() - set(keys)
        for key in gone:
            self._server.ask("DELETE", f"/objects/{self._name}/{_id(key)}", missing=True)
        return len(gone)

    def destroy(self) -> None:
        """Remove the Weaviate collection."""
        self._server.ask("DELETE", f"/schema/{self._name}", missing=True)

    def close(self) -> None:
        """Do nothing: no connection is kept."""

    def _exists(self) -> bool:
        return self._server.ask("GET", f"/schema/{self._name}", missing=True) is not None

    def _every(self) -> Iterator[Any]:
        after = ""
        while True:
            begins = f"&after={after}" if after else ""
            items = self._server.ask("GET", f"/objects?class={self._name}&limit={_AT_ONCE}{begins}")["objects"]
            yield from items
            if len(items) < _AT_ONCE:
                return
            after = items[-1]["id"]

    def _of(self, keys: Collection[str], fields: str) -> dict[str, Any]:
        every = [_id(key) for key in keys] if self._exists() else []
        result = {}
        for at in range(0, len(every), _AT_ONCE):
            some = plainjson.dumps(every[at : at + _AT_ONCE])
            where = f'where: {{path: ["id"], operator: ContainsAny, valueText: {some}}}, limit: {_AT_ONCE}'
            result.update({_key(row["_additional"]["id"]): row for row in self._get(where, fields)})
        return result

    def _get(self, given: str, fields: str) -> list[Any]:
        query = f"{{ Get {{ {self._name}({given}) {{ {fields} }} }} }}"
        answer = self._server.ask("POST", "/graphql", {"query": query})
        self._check(answer.get("errors"))
        rows: list[Any] = answer["data"]["Get"][self._name]
        return rows

    def _check(self, errors: object) -> None:
        if errors:
            reason = " ".join(plainjson.dumps(errors).split())[:200]
            raise OutsideProgramError(f"Weaviate failed ({self._url}): {reason}", hint=_HINT)


def _id(key: str) -> str:
    return str(uuid.UUID(key))


def _key(id: str) -> str:
    return uuid.UUID(id).hex
