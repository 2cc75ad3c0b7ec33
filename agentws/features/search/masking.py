"""Masking of secrets before text becomes a search unit, so that no index and no vector store holds one. Pure."""

from __future__ import annotations

from agentws.core.formats.secrets import redaction, secrets
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def lines(data: bytes) -> bytes:
    """Return the bytes of a file with a placeholder on each line of a secret, so that its lines keep their numbers."""
    text = data.decode("utf-8", "surrogateescape")
    parts, end = [], 0
    for secret in secrets.find(text):
        placeholder = f"{secrets.PLACEHOLDER_OPEN}{secret.kind}{secrets.MASKED}"
        count = text.count("\n", secret.start, secret.end) + 1
        parts += [text[end : secret.start], "\n".join([placeholder] * count)]
        end = secret.end
    return "".join((*parts, text[end:])).encode("utf-8", "surrogateescape") if parts else data


def are_clean(values: Iterable[object]) -> bool:
    """Return whether none of these JSON values holds a secret; False also if one is too deep."""
    try:
        return redaction.is_clean(values)
    except UsageError:
        return False


def value(stated: Any) -> Any:
    """Return a JSON value with a placeholder for each secret, the same every time; UsageError if it is too deep."""
    return stated if redaction.is_clean([stated]) else redaction.redact(stated, lambda: secrets.MASKED[1:-1])[0]
