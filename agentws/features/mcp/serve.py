"""Serves MCP over stdio until the client leaves, or over HTTP on this machine until a signal comes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from hmac import compare_digest

from mcp.server.stdio import stdio_server

from agentws.features.mcp.server import Handlers

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Collection
    from typing import Any

    from agentws.features.mcp.connections import Connections

_ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_FAILED_BY_SIGNAL = 128


def over_stdio(connections: Connections, without: Collection[str]) -> None:
    """Serve one client over standard input and output, and end its session when it leaves."""
    asyncio.run(_over_stdio(connections, without))


async def _over_stdio(connections: Connections, without: Collection[str]) -> None:
    loop = asyncio.get_running_loop()
    for which in _ENDS:
        if signal.getsignal(which) != signal.SIG_IGN:
            loop.add_signal_handler(which, _leave, connections, which)
    server = Handlers(connections, without).server()
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    except* BrokenPipeError:
        pass  # the client has gone
    finally:
        await loop.shutdown_default_executor()  # what a cancelled call was writing is finished before the session ends
        _say(connections.close())


def _leave(connections: Connections, which: int) -> None:
    """End the sessions and the process at once: a thread that waits for standard input cannot be stopped."""
    _say(connections.close())
    os._exit(_FAILED_BY_SIGNAL + which)


def over_http(connections: Connections, without: Collection[str], listener: socket.socket, token: str) -> None:
    """Serve clients of this machine that know the token, on a socket that listens, until a signal comes."""
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    host, port = listener.getsockname()[:2]
    names = [f"{host}:{port}", f"localhost:{port}"]
    security = TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])
    application = Handlers(connections, without).server().streamable_http_app(transport_security=security)
    guarded = _Guarded(application, token, connections)
    config = uvicorn.Config(guarded, log_level="warning", lifespan="on", timeout_graceful_shutdown=5)
    uvicorn.Server(config).run(sockets=[listener])


class _Guarded:
    """An ASGI application that answers 401 to requests without the token.

    It ends a client's session when the client deletes its own, and all sessions after the last request.
    """

    def __init__(self, application: Any, token: str, connections: Connections) -> None:
        self._application = application
        self._expected = f"Bearer {token}".encode()
        self._connections = connections

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on if it has the token."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            _say(self._connections.close())
            return
        given = dict(scope["headers"])
        if compare_digest(given.get(b"authorization", b""), self._expected):
            if scope["method"] == "DELETE":
                key = given.get(b"mcp-session-id", b"").decode("latin-1")
                _say(await asyncio.to_thread(self._connections.end, key))
            await self._application(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _say(notices: list[str]) -> None:
    for notice in notices:
        sys.stderr.write(f"notice: {notice}\n")
