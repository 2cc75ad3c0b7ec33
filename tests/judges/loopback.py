"""A server on this machine alone that stands where a model's service would: it writes down what it is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agentws.features.hosts.crash_test.model import running


@dataclass(frozen=True)
class Asked:
    """One request: its path without the query, its JSON."""

    path: str
    body: Any

    @property
    def text(self) -> str:
        """Every string in the request, one after another: what a model would read."""
        return "\n".join(strings(self.body))


@dataclass(frozen=True)
class Told:
    """An answer: JSON, or, where there are `events`, a stream of them."""

    json: Any = None
    events: Iterable[tuple[str | None, Any]] = ()
    status: int = 200


@dataclass(frozen=True)
class Say:
    """Text alone, and so the end of its answer."""

    text: str


@dataclass(frozen=True)
class Call:
    """A call of another tool."""

    tool: str
    given: dict[str, object]


@dataclass(frozen=True)
class Run:
    """A call of the tool that runs a command in the shell."""

    command: str


Answer = Callable[[Asked], Told]


def strings(value: Any) -> Iterator[str]:
    """Every string inside a JSON value, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """The address of a server that answers with `answer` for as long as the block runs."""
    server = _Server(("127.0.0.1", 0), _Door)
    server.answer = answer
    with running(server) as address:
        yield address


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    answer: Answer


class _Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._serve(None)

    def do_HEAD(self) -> None:
        self._send(200, "application/json", b"")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw or b"null")
        except ValueError:
            body = None
        self._serve(body)

    def _serve(self, body: Any) -> None:
        told = self.server.answer(Asked(self.path.partition("?")[0], body))
        events = list(told.events)
        if events:
            self._send(told.status, "text/event-stream", b"".join(_sse(name, value) for name, value in events))
        else:
            self._send(told.status, "application/json", json.dumps(told.json).encode())

    def _send(self, status: int, kind: str, content: bytes) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            # A host that was killed does not wait for its answer.
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed: what was asked is in the mock's own list."""


def _sse(name: str | None, value: Any) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value)}\n\n".encode()
