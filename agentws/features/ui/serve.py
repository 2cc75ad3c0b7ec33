"""Serves the page until Ctrl-C: the listening socket, the link, the browser."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time

import uvicorn

from agentws.errors import DiskError
from agentws.features.ui.app import application
from agentws.features.ui.changes import Changes
from agentws.features.ui.guard import Door, Guard, hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from agentws.features.ui.page import Page
    from agentws.workspace import Workspace

_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACE_S = 2
_MOST_KEYS = 1 << 10


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at this address; DiskError if that is impossible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise DiskError(f"{host}, port {port}: {error.strerror}.", hint="For any free port: --port 0") from error


class Server:
    """The server of a page. `link` makes a link that one browser can use."""

    def __init__(
        self, opened: Callable[[], Workspace], listener: socket.socket, pages: Sequence[Page], *, is_read_only: bool
    ) -> None:
        self._listener = listener
        host, port = listener.getsockname()[:2]
        self._address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self._door = Door(time.monotonic)
        self._changes = Changes()
        self._root = opened().root
        app = application(opened, self._changes, is_read_only=is_read_only, pages=pages)
        self._guarded = Guard(
            app, door=self._door, hosts=hosts(host, port), cookie=f"agentws-{port}", is_read_only=is_read_only
        )

    def link(self) -> str:
        """Return a new address that opens the page once."""
        return self._address + self._door.link()

    def run(self, say: Callable[[str], None], used: Callable[[], None]) -> None:
        """Serve until a signal comes; `say` gets a new link for each Enter at the terminal; `used` is called for each
        browser that comes in.
        """
        self._door.used = used
        self._changes.watch(self._root)
        config = uvicorn.Config(
            self._guarded,
            log_level="error",
            access_log=False,
            lifespan="on",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=_GRACE_S,
        )
        server = _Uvicorn(config, self._changes)
        try:
            asyncio.run(self._serve(server, say))
        finally:
            self._changes.close()

    async def _serve(self, server: _Uvicorn, say: Callable[[str], None]) -> None:
        loop = asyncio.get_running_loop()

        def entered() -> None:
            if os.read(0, _MOST_KEYS):
                say(self.link())
            else:
                loop.remove_reader(0)

        if sys.stdin is not None and sys.stdin.isatty():
            loop.add_reader(0, entered)
        await server.serve(sockets=[self._listener])


class _Uvicorn(uvicorn.Server):
    """A server that a signal ends without an error, with the streams of open pages."""

    def __init__(self, config: uvicorn.Config, changes: Changes) -> None:
        super().__init__(config)
        self._changes = changes

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End the server at the first of these signals; unlike uvicorn's own, raise none of them again."""
        before = {which: signal.signal(which, self.handle_exit) for which in _ENDS}
        try:
            yield
        finally:
            for which, handler in before.items():
                signal.signal(which, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End the open streams, which would keep the server waiting, and the server."""
        self._changes.close()
        super().handle_exit(sig, frame)
