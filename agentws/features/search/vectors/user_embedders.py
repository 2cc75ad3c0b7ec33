"""Embedders that only the user can choose: an endpoint with OpenAI's embeddings protocol, and a command.

A command reads JSON texts, one a line, and writes JSON lists of numbers. It runs like a summarizer: without a shell,
outside the workspace, with a timeout. Specified in docs/format/config.md.
"""

from __future__ import annotations

import http.client
import os
import time
import urllib.error
import urllib.request

from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import secrets
from agentws.errors import OutsideProgramError
from agentws.features.search.vectors import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from agentws.core.ports import Answer


_TIMEOUT_S = 60.0
_MOST_BYTES = 256 << 20
_PIECE_BYTES = 1 << 16
_HINT = "Check the endpoint: agentws config --user vectors.embedder"


class Endpoint:
    """An embedder: the endpoint at `url` (`https://…/v1`) with a `model`; `key_variable` names the API key's variable.

    An answer that takes longer than `timeout_s` (seconds) is an error.
    """

    def __init__(self, name: str, url: str, model: str, key_variable: str, *, timeout_s: float = _TIMEOUT_S) -> None:
        self.name = name
        self._timeout_s = timeout_s
        self._url = url.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        self._model = model
        self._key = os.environ.get(key_variable, "") if key_variable else ""  # noqa: TID251 - the user names it

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text. OutsideProgramError if the endpoint fails or answers something else."""
        body = plainjson.dumps({"model": self._model, "input": [secrets.hide(text)[0] for text in texts]})
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            request = urllib.request.Request(self._url, body.encode(), headers, method="POST")  # noqa: S310
            with urllib.request.build_opener(_Straight).open(request, timeout=self._timeout_s) as answer:
                decoded = plainjson.loads(self._read(answer))
            rows = [item["embedding"] for item in sorted(decoded["data"], key=lambda item: item["index"])]
        except (OSError, urllib.error.URLError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise OutsideProgramError(f"{self._url} did not answer: {reason}.", hint=_HINT) from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise OutsideProgramError(f"{self._url} answered with something else than vectors.", hint=_HINT) from error
        return numbers.checked(rows, len(texts), hint=_HINT)

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


_COMMAND_HINT = "Check the command: agentws config --user vectors.embedder"


class Command:
    """An embedder: the user's command, which `ask` runs and which answers each line with a line."""

    def __init__(self, name: str, ask: Callable[[str], Answer]) -> None:
        self.name = name
        self._ask = ask

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text. OutsideProgramError if the command fails or prints something else."""
        answer = self._ask("".join(f"{plainjson.dumps(text)}\n" for text in texts))
        if answer.failure:
            raise OutsideProgramError(f"The embedder failed: {answer.failure}.", hint=_COMMAND_HINT)
        try:
            rows = [plainjson.loads(line) for line in answer.text.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            rows = []
        return numbers.checked(rows, len(texts), hint=_COMMAND_HINT)
