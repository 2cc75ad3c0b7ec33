"""Servers of vector stores that cannot be had here, played by their documented HTTP interfaces.

Weaviate: https://docs.weaviate.io/weaviate/api/rest and /api/graphql. Pinecone: https://docs.pinecone.io/reference/api.
What they do not document for what agentws asks is an error, so that nothing is asked in another form.
"""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

KEY = "played-key"
_AT_MOST = 3
"""Objects in a page, so that a second one is asked for."""


class RefusedError(Exception):
    """An answer with another status than 200."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def cosine(one: list[float], other: list[float]) -> float:
    if len(one) != len(other):
        raise ValueError(f"vector lengths don't match: {len(one)} vs {len(other)}")
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other) or 1.0)


class Weaviate:
    """A Weaviate server: classes with objects by their UUID."""

    def __init__(self) -> None:
        self.classes: dict[str, dict[str, Any]] = {}

    def answer(self, method: str, path: str, asked: dict[str, list[str]], body: Any, headers: Any) -> Any:
        if headers["Authorization"] != f"Bearer {KEY}":
            raise RefusedError(401, "unauthorized")
        parts = path.removeprefix("/v1/").split("/")
        if (method, parts) == ("POST", ["schema"]):
            assert re.fullmatch(r"[A-Z][_0-9A-Za-z]*", body["class"])
            assert (body["vectorizer"], body["vectorIndexConfig"]["distance"]) == ("none", "cosine")
            self.classes[body["class"]] = {}
            return body
        if parts[0] == "schema":
            known = self.classes.pop(parts[1], None) if method == "DELETE" else self.classes.get(parts[1])
            if known is None and method == "GET":
                raise RefusedError(404, "no such class")
            return {"class": parts[1]}
        if (method, parts) == ("POST", ["batch", "objects"]):
            return [self._put(each) for each in body["objects"]]
        if (method, parts) == ("GET", ["objects"]):
            every = sorted(self.classes[asked["class"][0]].items())
            after = asked.get("after", [""])[0]
            some = [{"id": id, "properties": row["properties"]} for id, row in every if id > after]
            return {"objects": some[: int(asked["limit"][0])]}
        if method == "DELETE" and parts[0] == "objects":
            if self.classes[parts[1]].pop(parts[2], None) is None:
                raise RefusedError(404, "no such object")
            return None
        if (method, parts) == ("POST", ["graphql"]):
            return self._graphql(body["query"])
        raise RefusedError(405, f"{method} {path}")

    def _put(self, item: dict[str, Any]) -> dict[str, Any]:
        there = self.classes[item["class"]]
        size = len(next(iter(there.values()))["vector"]) if there else len(item["vector"])
        if size != len(item["vector"]):
            return {"result": {"status": "FAILED", "errors": {"error": [{"message": "other size"}]}}}
        there[item["id"]] = item
        return {"id": item["id"], "result": {"status": "SUCCESS"}}

    def _graphql(self, query: str) -> Any:
        match = re.fullmatch(r"\{ Get \{ (\w+)\((.*), limit: (\d+)\) \{ (.*) \} \} \}", query)
        assert match, query
        name, given, limit, fields = match.groups()
        there = self.classes[name]
        if near := re.fullmatch(r"nearVector: \{vector: (\[.*\])\}", given):
            try:
                rows = [(1 - cosine(json.loads(near[1]), row["vector"]), id) for id, row in there.items()]
            except ValueError as error:
                return {"data": None, "errors": [{"message": str(error)}]}
        else:
            ids = re.fullmatch(r'where: \{path: \["id"\], operator: ContainsAny, valueText: (\[.*\])\}', given)
            assert ids, given
            rows = [(0.0, id) for id in json.loads(ids[1]) if id in there]
        made = [self._fields(there[id], id, far, fields) for far, id in sorted(rows)[: int(limit)]]
        return {"data": {"Get": {name: made}}}

    def _fields(self, row: dict[str, Any], id: str, far: float, fields: str) -> dict[str, Any]:
        inner = re.search(r"_additional \{ (.*) \}", fields)
        assert inner
        known = {"id": id, "distance": far, "vector": row["vector"]}
        names = fields[: inner.start()].split()
        properties = {name: row["properties"].get(name) for name in names}
        return {**properties, "_additional": {name: known[name] for name in inner[1].split()}}


class Pinecone:
    """The host of a Pinecone index: namespaces with vectors by their id."""

    def __init__(self) -> None:
        self.spaces: dict[str, dict[str, Any]] = {}

    def answer(self, method: str, path: str, asked: dict[str, list[str]], body: Any, headers: Any) -> Any:
        if headers["Api-Key"] != KEY or not headers["X-Pinecone-Api-Version"]:
            raise RefusedError(401, "unauthorized")
        name = body["namespace"] if body else asked["namespace"][0]
        there = self.spaces.get(name, {})
        if (method, path) == ("POST", "/vectors/upsert"):
            assert 0 < len(body["vectors"]) <= 1000
            self.spaces.setdefault(name, {}).update({each["id"]: each for each in body["vectors"]})
            return {"upsertedCount": len(body["vectors"])}
        if (method, path) == ("POST", "/query"):
            try:
                rows = [(cosine(body["vector"], row["values"]), id) for id, row in there.items()]
            except ValueError as error:
                raise RefusedError(400, "Vector dimension does not match the dimension of the index") from error
            best = sorted(rows, reverse=True)[: body["topK"]]
            return {"matches": [{"id": id, "score": score} for score, id in best], "namespace": name}
        if (method, path) == ("GET", "/vectors/fetch"):
            return {"vectors": {id: there[id] for id in asked.get("ids", ()) if id in there}, "namespace": name}
        if (method, path) == ("GET", "/vectors/list"):
            assert int(asked["limit"][0]) <= 100
            after = asked.get("paginationToken", [""])[0]
            ids = [id for id in sorted(there) if id > after]
            page = ids[:_AT_MOST] if len(there) < 100 else ids[:100]
            more = {"pagination": {"next": page[-1]}} if len(ids) > len(page) else {}
            return {"vectors": [{"id": id} for id in page], **more}
        if (method, path) == ("POST", "/vectors/delete"):
            if name not in self.spaces:
                raise RefusedError(404, "Namespace not found")
            gone = list(there) if body.get("deleteAll") else body["ids"]
            self.spaces[name] = {id: row for id, row in there.items() if id not in gone}
            return {}
        raise RefusedError(405, f"{method} {path}")


@contextmanager
def served(played: Weaviate | Pinecone) -> Iterator[str]:
    """Serve a played store at an address of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            place = urlsplit(self.path)
            given = self.rfile.read(int(self.headers["Content-Length"] or 0))
            try:
                body = json.loads(given) if given else None
                status = 200
                made = played.answer(self.command, place.path, parse_qs(place.query), body, self.headers)
            except RefusedError as error:
                status, made = error.status, {"error": str(error)}
            data = b"" if made is None else json.dumps(made).encode()
            self.send_response(status if data else 204)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = _answer  # noqa: N815 - the names that http.server calls

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
