"""A server that follows Google's documentation of its XML API for objects: generations, preconditions, listings.

No emulator of Google Cloud Storage answers the requests of obstore, which uses this API. What Google does beyond its
documentation, and its sign-in, is not tried here.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

_PAGE = 3
"""Objects of a page of a listing: far fewer than Google's, so that each archive has several."""


class _Store:
    """The objects by name, `BUCKET/OBJECT`: content and generation."""

    def __init__(self) -> None:
        self.objects: dict[str, tuple[bytes, int]] = {}
        self.generations = count(1_700_000_000_000_000)
        self.lock = threading.Lock()


def _handler(store: _Store) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        @property
        def name(self) -> str:
            return unquote(urlsplit(self.path).path).lstrip("/")

        def log_message(self, format: str, *args: object) -> None:
            pass

        def answer(self, status: int, data: bytes = b"", headers: Mapping[str, str] = {}) -> None:
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def failed(self, status: int, code: str) -> None:
            self.answer(status, f"<?xml version='1.0'?><Error><Code>{code}</Code></Error>".encode())

        def described(self, name: str) -> dict[str, str]:
            data, generation = store.objects[name]
            return {
                "ETag": f'"{hashlib.md5(data).hexdigest()}"',
                "x-goog-generation": str(generation),
                "Last-Modified": formatdate(usegmt=True),
            }

        def do_PUT(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"] or 0))
            wanted = self.headers["x-goog-if-generation-match"]
            with store.lock:
                present = store.objects.get(self.name, (b"", 0))[1]
                if wanted is not None and int(wanted) != present:
                    self.failed(412, "PreconditionFailed")
                    return
                store.objects[self.name] = data, next(store.generations)
            self.answer(200, headers=self.described(self.name))

        def do_DELETE(self) -> None:
            with store.lock:
                is_there = store.objects.pop(self.name, None) is not None
            if is_there:
                self.answer(204)
            else:
                self.failed(404, "NoSuchKey")

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            bucket, _, name = self.name.partition("/")
            if not bucket.startswith("arch"):
                self.failed(404, "NoSuchBucket")
            elif not name:
                self.listing(bucket, {key: values[0] for key, values in parse_qs(urlsplit(self.path).query).items()})
            elif self.name in store.objects:
                self.answer(200, store.objects[self.name][0], self.described(self.name))
            else:
                self.failed(404, "NoSuchKey")

        def listing(self, bucket: str, query: dict[str, str]) -> None:
            prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
            names = sorted(key.partition("/")[2] for key in store.objects if key.startswith(f"{bucket}/"))
            rows: dict[str, str] = {}
            for name in (each for each in names if each.startswith(prefix)):
                rest = name[len(prefix) :]
                if delimiter and delimiter in rest:
                    group = prefix + rest.partition(delimiter)[0] + delimiter
                    rows[group] = f"<CommonPrefixes><Prefix>{escape(group)}</Prefix></CommonPrefixes>"
                else:
                    size = len(store.objects[f"{bucket}/{name}"][0])
                    rows[name] = (
                        f"<Contents><Key>{escape(name)}</Key><Size>{size}</Size>"
                        "<LastModified>2026-11-20T07:15:00.000Z</LastModified><ETag>&quot;e&quot;</ETag></Contents>"
                    )
            left = [key for key in rows if key > query.get("continuation-token", "")]
            shown = left[:_PAGE]
            more = f"<NextContinuationToken>{escape(shown[-1])}</NextContinuationToken>" if len(left) > _PAGE else ""
            words = "".join(rows[key] for key in shown)
            cut = str(bool(more)).lower()
            page = f"<ListBucketResult><IsTruncated>{cut}</IsTruncated>{more}{words}</ListBucketResult>"
            self.answer(200, f"<?xml version='1.0' encoding='UTF-8'?>{page}".encode())

    return Handler


@contextmanager
def running() -> Iterator[str]:
    """Run the server in a thread; yields its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(_Store()))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
