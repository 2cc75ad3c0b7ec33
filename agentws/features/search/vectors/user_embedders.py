"""Embedders that only the user can choose: an endpoint with OpenAI's embeddings protocol, and a command.

A command reads JSON texts, one a line, and writes JSON lists of numbers. It runs like a summarizer: without a shell,
outside the workspace, with a timeout. Specified in docs/format/config.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from agentws.core.disk.system.user_programs import Answer
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import secrets
from agentws.errors import OutsideProgramError
from agentws.features.search.vectors import numbers
from agentws.features.search.vectors.http_json import Server

_TIMEOUT_S = 60.0
_HINT = "Check the endpoint: agentws config --user vectors.embedder"


class Endpoint:
    """An embedder: the endpoint at `url` (`https://…/v1`) with a `model`; `key_variable` names the API key's variable.

    An answer that takes longer than `timeout_s` (seconds) is an error.
    """

    def __init__(self, name: str, url: str, model: str, key_variable: str, *, timeout_s: float = _TIMEOUT_S) -> None:
        self.name = name
        self._model = model
        self._url = url.rstrip("/").removesuffix("/embeddings")
        key = os.environ.get(key_variable, "") if key_variable else ""  # noqa: TID251 - the user names it
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._server = Server(self._url, headers, timeout_s=timeout_s, hint=_HINT)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text. OutsideProgramError if the endpoint fails or answers something else."""
        asked = {"model": self._model, "input": [secrets.hide(text)[0] for text in texts]}
        decoded = self._server.ask("POST", "/embeddings", asked)
        try:
            rows = [item["embedding"] for item in sorted(decoded["data"], key=lambda item: item["index"])]
        except (ValueError, KeyError, TypeError) as error:
            raise OutsideProgramError(f"{self._url} answered with something else than vectors.", hint=_HINT) from error
        return numbers.checked(rows, len(texts), hint=_HINT)


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
        except ValueError:
            rows = []
        return numbers.checked(rows, len(texts), hint=_COMMAND_HINT)
