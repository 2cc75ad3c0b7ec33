"""Clients for the tests of `agentws mcp`: the SDK's over a real process, and one that writes any bytes it likes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import Implementation

from agentws.workspace import Workspace
from tests import forked

NAME = "heron-desk"


def surroundings() -> dict[str, str]:
    """What a server's process gets from this one's environment."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "TZ") if name in os.environ}


def command(root: Path, *options: str) -> list[str]:
    """The command line of a server."""
    return [sys.executable, "-m", "agentws", "-C", str(root), "mcp", *options]


@contextlib.asynccontextmanager
async def stdio(root: Path, *options: str, mode: str = "auto", **more: str) -> AsyncIterator[Client]:
    """A client of the SDK, connected to a server process."""
    program, *words = command(root, *options)
    server = StdioServerParameters(command=program, args=words, env={**surroundings(), **more})
    with open(os.devnull, "w") as quiet:
        async with Client(
            stdio_client(server, errlog=quiet), client_info=Implementation(name=NAME, version="1"), mode=mode
        ) as client:
            yield client


def run(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """What this coroutine returns."""
    return asyncio.run(work())


def text(result: Any) -> str:
    """The first text of a tool's result."""
    words: str = result.content[0].text
    return words


def states(root: Path) -> list[str]:
    """The likely state of each session, the newest last."""
    return [row.likely.state for row in Workspace.open(str(root)).session.list().rows]


class Raw:
    """A client that speaks JSON-RPC by hand, so that it can say what no SDK would."""

    def __init__(self, root: Path, *options: str) -> None:
        self.process = forked.Piped("-C", str(root), "mcp", *options, env=surroundings())
        self._id = 0

    def __enter__(self) -> Raw:
        self.ask(
            "initialize",
            protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": NAME, "version": "1"},
        )  # fmt: skip
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        self.process.wait()

    def write(self, message: Any) -> None:
        """Send a message; bytes as they are."""
        self.process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def send(self, method: str, **params: Any) -> int:
        """Send a request, and return its id."""
        self._id += 1
        self.write({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        return self._id

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request, and return the response to it."""
        return self.response(self.send(method, **params))

    def response(self, id: int) -> dict[str, Any]:
        """The response with this id; others are passed over."""
        while line := self.process.stdout.readline():
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == id and "method" not in message:
                return message
        raise AssertionError("the server has ended")

    def call(self, tool: str, arguments: Any) -> dict[str, Any]:
        """Call a tool, and return the response."""
        return self.ask("tools/call", name=tool, arguments=arguments)
