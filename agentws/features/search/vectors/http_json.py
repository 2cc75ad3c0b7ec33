"""JSON over HTTP to a server that the user chose: an embedder's endpoint, or a vector store."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

from agentws.core.formats.json import plainjson
from agentws.errors import OutsideProgramError

_MOST_BYTES = 256 << 20
_PIECE_BYTES = 1 << 16
_MISSING = 404


class Server:
    """The server at `url`, which gets these `headers`; an answer that takes longer than `timeout_s` is an error."""

    def __init__(self, url: str, headers: Mapping[str, str], *, timeout_s: float, hint: str) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Content-Type": "application/json", **headers}
        self._timeout_s = timeout_s
        self._hint = hint

    def ask(self, method: str, path: str, body: object = None, *, missing: bool = False) -> Any:
        """Return the JSON of an answer, None for an empty one, and with `missing` for one that says 404.

        OutsideProgramError if the server fails or answers with something else.
        """
        data = None if body is None else plainjson.dumps(body).encode()
        try:
            request = urllib.request.Request(self._url + path, data, self._headers, method=method)  # noqa: S310
            with urllib.request.build_opener(_Straight).open(request, timeout=self._timeout_s) as answer:
                text = self._read(answer)
            return plainjson.loads(text) if text.strip() else None
        except urllib.error.HTTPError as error:
            with error:
                if missing and error.code == _MISSING:
                    return None
                says = " ".join(error.read(_PIECE_BYTES).decode("utf-8", "replace").split())[:200]
            raise self._failed(f"{error.code} {says or error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            raise self._failed(getattr(error, "reason", None) or error) from error
        except (ValueError, RecursionError) as error:
            raise OutsideProgramError(
                f"{self._url} answered with something else than JSON.", hint=self._hint
            ) from error

    def _failed(self, reason: object) -> OutsideProgramError:
        return OutsideProgramError(f"{self._url} did not answer: {reason}.", hint=self._hint)

    def _read(self, answer: http.client.HTTPResponse) -> bytes:
        """Return the whole answer; TimeoutError if it takes too long in all, even if each piece is in time."""
        deadline = time.monotonic() + self._timeout_s
        received = bytearray()
        while len(received) < _MOST_BYTES and (piece := answer.read1(_PIECE_BYTES)):
            received += piece
            if time.monotonic() > deadline:
                raise TimeoutError(f"no whole answer within {self._timeout_s:g} s")
        return bytes(received)


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, so that a redirect counts as a failure."""

    def redirect_request(self, *_: Any) -> None:
        return None
