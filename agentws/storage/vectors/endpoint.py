"""An endpoint that speaks OpenAI's protocol for embeddings, on this machine or elsewhere: of the user's choice alone.

Texts are sent as they stand, but for what looks like a secret. Redirects are not followed: the key would go along.
"""

from __future__ import annotations

import os
import urllib.error
import urllib.request

from agentws.errors import OutsideProgramError
from agentws.formats.json import plainjson
from agentws.formats.secrets import secrets
from agentws.storage.vectors import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_TIMEOUT_S = 60
_MOST_BYTES = 256 << 20
_HINT = "Check the endpoint: agentws config --user vectors.embedder"


class Endpoint:
    """The endpoint at `url` (`https://…/v1`), asked for the vectors of `model`; `key_variable` names its API key."""

    def __init__(self, name: str, url: str, model: str, key_variable: str) -> None:
        self.name = name
        self._url = url.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        self._model = model
        self._key = os.environ.get(key_variable, "") if key_variable else ""  # noqa: TID251 - the user names it

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text. OutsideProgramError where the endpoint fails or answers something else."""
        body = plainjson.dumps({"model": self._model, "input": [secrets.hide(text)[0] for text in texts]})
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, body.encode(), headers, method="POST")  # noqa: S310
        try:
            with urllib.request.build_opener(_Straight).open(request, timeout=_TIMEOUT_S) as answer:
                told = plainjson.loads(answer.read(_MOST_BYTES))
            rows = [one["embedding"] for one in sorted(told["data"], key=lambda one: one["index"])]
        except (OSError, urllib.error.URLError) as error:
            reason = getattr(error, "reason", None) or error
            raise OutsideProgramError(f"{self._url} did not answer: {reason}.", hint=_HINT) from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise OutsideProgramError(f"{self._url} answered with something else than vectors.", hint=_HINT) from error
        return numbers.checked(rows, len(texts), hint=_HINT)


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the status of one is a failure."""

    def redirect_request(self, *_: Any) -> None:
        return None
