"""A proxy before `agentws mcp --http` that adds the token, for clients that cannot send one."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_HOP = ("connection", "transfer-encoding", "content-length", "authorization")
_PIECE = 1 << 16


@contextmanager
def adding(token: str, port: int) -> Iterator[str]:
    """The address of a proxy before the server on this port."""

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *_: object) -> None:
            """Write nothing."""

        def forward(self) -> None:
            own = str(self.server.server_address[1])
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            server = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            server.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in _HOP:
                    is_place = name.lower() in ("host", "origin")
                    server.putheader(name, value.replace(own, str(port)) if is_place else value)
            server.putheader("Authorization", f"Bearer {token}")
            server.putheader("Content-Length", str(len(body)))
            server.endheaders(body)
            response = server.getresponse()
            self.send_response(response.status)
            for name, value in response.getheaders():
                if name.lower() not in _HOP:
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            try:
                while piece := response.read1(_PIECE):
                    self.wfile.write(piece)
                    self.wfile.flush()
            except (http.client.HTTPException, ConnectionError):
                pass  # one of the two has gone
            server.close()

        do_GET = do_POST = do_DELETE = forward  # noqa: N815

    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{proxy.server_address[1]}/mcp"
    finally:
        proxy.shutdown()
        proxy.server_close()
