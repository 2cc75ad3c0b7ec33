"""Output for clients: texts without secrets and active characters, and the names of clients."""

from __future__ import annotations

from typing import Any

from agentws.core.formats.secrets import secrets
from agentws.core.text import sanitize

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_MOST_NAME = 48


def inert(value: Any) -> Any:
    """Return a JSON value whose texts hold no secret, and no character that hides or acts on a terminal."""
    if isinstance(value, str):
        return sanitize.inert(secrets.hide(value)[0])
    if isinstance(value, dict):
        return {key: inert(item) for key, item in value.items()}
    return [inert(item) for item in value] if isinstance(value, list) else value


def source(client: str) -> str:
    """Return the origin of a client's words, `agent:mcp:NAME`: the agent's own, as those that a host's hooks bring."""
    name = "".join(char if char in _PLAIN else "-" for char in client[:_MOST_NAME])
    return f"agent:mcp:{name or 'client'}"
