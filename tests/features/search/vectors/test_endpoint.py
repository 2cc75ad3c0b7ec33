"""An endpoint on this machine: what is sent to it, and what becomes of its answers."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar

import pytest

from agentws.errors import OutsideProgramError
from agentws.features.search.vectors.user_embedders import Endpoint

VECTORS = {"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]}


class Handler(BaseHTTPRequestHandler):
    """Answers as it is told, and remembers what it was asked."""

    status = 200
    answer: Any = VECTORS
    asked: ClassVar[list[tuple[str, dict[str, Any], str | None]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, body, self.headers.get("Authorization")))
        self.send_response(self.status)
        if self.status == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(json.dumps(self.answer).encode())

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    Handler.status, Handler.answer = 200, VECTORS
    Handler.asked.clear()
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def endpoint(url: str, variable: str = "") -> Endpoint:
    return Endpoint("test", url, "small", variable)


def test_vectors_come_in_the_order_of_the_texts(server: str) -> None:
    assert endpoint(server).embed(["one", "two"]) == [[1.0, 0.0], [0.0, 1.0]]
    assert Handler.asked == [("/v1/embeddings", {"model": "small", "input": ["one", "two"]}, None)]


def test_the_key_is_that_of_the_variable(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "marigold")
    endpoint(server, "SOME_KEY").embed(["one", "two"])

    assert Handler.asked[0][2] == "Bearer marigold"


def test_what_looks_like_a_secret_is_not_sent(server: str) -> None:
    secret = "ghp_" + "a1B2" * 9
    endpoint(server).embed([f"the token is {secret}", "two"])

    assert secret not in json.dumps(Handler.asked[0][1])


def test_a_redirect_is_not_followed(server: str) -> None:
    Handler.status = 302

    with pytest.raises(OutsideProgramError):
        endpoint(server).embed(["one", "two"])
    assert [path for path, _, _ in Handler.asked] == ["/v1/embeddings"]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        {"data": [{"index": 0, "embedding": [1]}]},
        {"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]},
        {"data": [{"index": 0, "embedding": ["1"]}, {"index": 1, "embedding": ["2"]}]},
        {"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]},
        {"data": [{"index": 0, "embedding": [float("nan")]}, {"index": 1, "embedding": [1]}]},
    ],
)
def test_what_is_no_answer_is_an_error(server: str, answer: Any) -> None:
    Handler.answer = answer

    with pytest.raises(OutsideProgramError):
        endpoint(server).embed(["one", "two"])


def test_nobody_there_is_an_error() -> None:
    with pytest.raises(OutsideProgramError, match="did not answer"):
        endpoint("http://127.0.0.1:9/v1").embed(["one"])


@pytest.mark.parametrize("embedding", [[10**400], [1e300], [-1e300]])
def test_numbers_that_cannot_be_reckoned_with_are_an_error(server: str, embedding: list[float]) -> None:
    Handler.answer = {"data": [{"index": 0, "embedding": embedding}]}

    with pytest.raises(OutsideProgramError, match="something else"):
        endpoint(server).embed(["one"])


@pytest.mark.parametrize("url", ["http://127.0.0.1:port/v1", "http://[::1/v1"])
def test_an_address_that_is_none_is_an_error(url: str) -> None:
    with pytest.raises(OutsideProgramError):
        endpoint(url).embed(["one"])


class Bare(socketserver.BaseRequestHandler):
    """Answers with these bytes, and then a blank again and again until nobody listens."""

    said = b""
    is_endless = False

    def handle(self) -> None:
        try:
            self.request.recv(1 << 16)
            self.request.sendall(self.said)
            while self.is_endless:
                self.request.sendall(b" ")
        except OSError:
            return


@pytest.fixture
def bare() -> Iterator[str]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Bare) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


def test_what_does_not_speak_http_is_an_error(bare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bare, "said", b"hello\r\n\r\n")

    with pytest.raises(OutsideProgramError, match="did not answer"):
        endpoint(bare).embed(["one"])


def test_an_answer_that_never_ends_is_given_up(bare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bare, "said", b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
    monkeypatch.setattr(Bare, "is_endless", True)

    with pytest.raises(OutsideProgramError, match="no whole answer"):
        Endpoint("test", bare, "small", "", timeout_s=0.2).embed(["one"])
