"""A network between a client and a server that fails as a test asks."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from typing import Any

from tests.fleet.cluster import Server

_PIECE_BYTES = 1 << 16


class Proxy:
    """A port of the loopback that leads to a server. Close it, or use it as a context manager."""

    def __init__(self, server: Server) -> None:
        self._socket = server.socket
        self._open: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._ended: set[asyncio.StreamWriter] = set()
        self._is_cut = False
        self._loses_answers = False
        self._delay_s = 0.0
        self._left_bytes: int | None = None
        self.connections = 0
        """How many connections were made since the start."""
        self.cuts = 0
        """How often it was cut."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._do(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def url(self, url: str) -> str:
        """Return a server's URL with the way through this network; role and database stay."""
        begin, _, path = url.partition("@")
        return f"{begin}@127.0.0.1:{self.port}{path.partition('?')[0]}?sslmode=disable"

    def cut(self, after_bytes: int | None = None) -> None:
        """End all connections and refuse new ones: now, or once so many more bytes have passed, in any direction."""
        if after_bytes is None:
            self._do(self._cut())
        else:
            self._left_bytes = after_bytes

    def mend(self) -> None:
        """Let everything through again, without delay. Connections that ended stay ended."""
        self._is_cut = self._loses_answers = False
        self._left_bytes, self._delay_s = None, 0.0

    def delay(self, seconds: float) -> None:
        """Hold each piece back for so long."""
        self._delay_s = seconds

    def lose_answers(self) -> None:
        """Carry what clients say to the server, and drop what it answers."""
        self._loses_answers = True

    def half_close(self) -> None:
        """Tell all clients that their connection ended, and the server nothing."""
        self._do(self._half_close())

    def point_at(self, server: Server) -> None:
        """Lead new connections to this server."""
        self._socket = server.socket

    def close(self) -> None:
        """End everything."""
        self._do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, what: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result(60)

    async def _serve(self, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            from_server, to_server = await asyncio.open_unix_connection(self._socket)
        except OSError:
            to_client.transport.abort()
            return
        if self._is_cut:
            to_server.transport.abort()
            to_client.transport.abort()
            return
        pair = (to_client, to_server)
        self._open.add(pair)
        try:
            answers = asyncio.create_task(self._pump(from_server, to_client, answers=True))
            await self._pump(from_client, to_server)
            if to_client not in self._ended:
                to_server.write_eof()
            await answers
        except OSError:
            pass
        finally:
            self._open.discard(pair)
            self._ended -= {*pair}
            for end in pair:
                end.transport.abort()

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, answers: bool = False) -> None:
        """Carry bytes until the source ends; one that breaks ends too."""
        with contextlib.suppress(OSError):
            while piece := await source.read(_PIECE_BYTES):
                if self._delay_s:
                    await asyncio.sleep(self._delay_s)
                if (answers and self._loses_answers) or target in self._ended:
                    continue
                left_bytes = self._left_bytes  # a test may mend the network meanwhile
                if left_bytes is not None:
                    piece, self._left_bytes = piece[:left_bytes], left_bytes - len(piece)
                target.write(piece)
                await target.drain()
                if left_bytes is not None and left_bytes <= len(piece):
                    await self._cut()
                    return
        if answers and target not in self._ended:
            target.write_eof()

    async def _cut(self) -> None:
        self.cuts += 1
        self._is_cut = True
        for end in (end for pair in self._open for end in pair):
            end.close()

    async def _half_close(self) -> None:
        for to_client, _ in tuple(self._open):
            self._ended.add(to_client)
            to_client.write_eof()

    async def _end(self) -> None:
        self._server.close()
        await self._cut()
        while self._open:
            await asyncio.sleep(0.01)
