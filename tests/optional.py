"""Modules that need an extra: who tests without it does without them."""

from __future__ import annotations

import importlib
from types import ModuleType

_OPTIONAL = (
    *("numpy", "chromadb", "qdrant_client", "cryptography", "mcp", "jsonschema", "uvicorn", "jinja2", "starlette"),
    *("anthropic", "anyio", "claude_agent_sdk", "langgraph", "ormsgpack"),
    *("eventsourcing", "google", "pydantic_ai"),
)


def imported(name: str) -> ModuleType | None:
    """Return the module; None where it needs what an extra brings, and that is not there."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in _OPTIONAL:
            raise
        return None
