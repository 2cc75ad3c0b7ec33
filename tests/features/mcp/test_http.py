"""`agentws mcp --http`: only for this machine, with the token, and not for web pages."""

from __future__ import annotations

import asyncio
import http.client
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation

from agentws.features.mcp.connections import Connections
from agentws.features.mcp.server import Handlers
from agentws.workspace import Workspace
from tests import table
from tests.features.mcp import clients

TOKEN = "a-token-for-tests"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "heron", "version": "1"},
}}  # fmt: skip


class Served:
    """A server that listens, its port and its workspace."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.process = subprocess.Popen(
            [*clients.command(root, "--http", "0"), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**clients.surroundings(), "AGENTWS_MCP_TOKEN": TOKEN}, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        printed = ""
        while not printed.endswith("}\n"):
            line = self.process.stdout.readline()
            assert line, self.process.stderr
            printed += line
        self.printed: dict[str, Any] = json.loads(printed)
        self.url: str = self.printed["url"]
        self.port = int(self.url.rsplit(":", 1)[1].partition("/")[0])

    def post(self, **headers: str) -> int:
        """The status of a request with these headers, `_` for `-`, beside those that a client sends."""
        usual = {
            "Authorization": f"Bearer {TOKEN}",
            "Host": f"127.0.0.1:{self.port}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        wanted = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest("POST", "/mcp", skip_host=True)
            body = json.dumps(LIST).encode()
            for name, value in {**wanted, "Content-Length": str(len(body))}.items():
                if value:
                    connection.putheader(name, value)
            connection.endheaders(body)
            return connection.getresponse().status
        finally:
            connection.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    root = tmp_path / "robin"
    Workspace.init(str(root), name="Robin", git=False)
    server = Served(root)
    yield server
    server.process.terminate()
    server.process.communicate(timeout=60)


def test_only_a_request_with_the_token_from_no_foreign_page_is_served(served: Served) -> None:
    assert served.post() == 200

    def check(row: tuple[dict[str, str], int]) -> None:
        headers, status = row
        assert served.post(**headers) == status

    table.holds(
        check,
        [
            ({"Authorization": ""}, 401),
            ({"Authorization": "Bearer another"}, 401),
            ({"Authorization": f"Bearer {TOKEN[:-1]}"}, 401),
            ({"Authorization": f"Basic {TOKEN}"}, 401),
            ({"Host": "evil.example"}, 421),
            ({"Host": "127.0.0.1:1"}, 421),
            ({"Host": f"127.0.0.1:{served.port}.evil.example"}, 421),
            ({"Origin": "https://evil.example"}, 403),
            ({"Origin": "null"}, 403),
            ({"Origin": f"http://127.0.0.1:{served.port}"}, 200),
        ],
    )


def test_the_token_of_the_environment_is_not_printed(served: Served) -> None:
    assert served.printed["token"] is None
    assert TOKEN not in json.dumps(served.printed)


def test_the_token_that_the_command_makes_is_printed_unmasked_and_works(tmp_path: Path) -> None:
    root = tmp_path / "robin"
    Workspace.init(str(root), name="Robin", git=False)
    server = subprocess.Popen(
        clients.command(root, "--http", "0"), stdout=subprocess.PIPE, env=clients.surroundings(), text=True
    )
    assert server.stdout is not None
    try:
        url, token = server.stdout.readline().strip(), server.stdout.readline().removeprefix("Token: ").strip()
        answer = httpx2.post(
            url, json=LIST, timeout=60,
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"},
        )  # fmt: skip
    finally:
        server.terminate()
        server.communicate(timeout=60)

    assert answer.status_code == 200


def test_each_client_has_a_session_and_a_signal_ends_them(served: Served) -> None:
    async def play(name: str) -> None:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as web:
            transport = streamable_http_client(served.url, http_client=web)
            async with Client(transport, client_info=Implementation(name=name, version="1")) as client:
                for number in range(3):
                    assert not (await client.call_tool("log", {"text": f"{name} wrote {number}"})).is_error

    clients.run(lambda: play("heron"))
    clients.run(lambda: play("otter"))
    served.process.terminate()
    served.process.communicate(timeout=60)

    assert clients.states(served.root) == ["ended", "ended"]
    assert sum("wrote" in line for line in next(served.root.glob("memory/20*.md")).read_text().split("\n")) == 6


def test_a_session_ends_when_its_client_deletes_it_and_others_go_on(served: Served) -> None:
    async def play() -> None:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as web:

            def client(name: str) -> Client:
                transport = streamable_http_client(served.url, http_client=web)
                return Client(transport, client_info=Implementation(name=name, version="1"), mode="legacy")

            async with client("otter") as otter:
                await otter.call_tool("log", {"text": "Otter is here"})
                async with client("heron") as heron:
                    await heron.call_tool("log", {"text": "Heron is here"})
                assert clients.states(served.root) == ["running", "ended"]
                assert not (await otter.call_tool("log", {"text": "Otter stays"})).is_error
                assert clients.states(served.root) == ["running", "ended"]

    clients.run(play)

    assert clients.states(served.root) == ["ended", "ended"]


def test_a_session_ends_when_its_client_stays_silent_and_its_next_call_begins_another(tmp_path: Path) -> None:
    root = tmp_path / "robin"
    Workspace.init(str(root), name="Robin", git=False)
    connections = Connections(lambda: Workspace.open(str(root)), is_daemon=True)
    application = Handlers(connections, idle_s=0.01).server().streamable_http_app()

    async def play() -> None:
        async with application.router.lifespan_context(application):
            web = httpx2.AsyncClient(transport=httpx2.ASGITransport(application))
            async with web, Client(streamable_http_client("http://127.0.0.1:1/mcp", http_client=web)) as client:
                for count in (1, 2):
                    assert not (await client.call_tool("log", {"text": "Heron is here"})).is_error
                    while clients.states(root) != ["ended"] * count:
                        await asyncio.sleep(0.01)

    clients.run(play)
