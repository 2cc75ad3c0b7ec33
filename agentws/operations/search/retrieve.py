"""retrieve: the same as search in the words of frameworks: `top_k`, `where`, content with metadata."""

from __future__ import annotations

from agentws.errors import UsageError
from agentws.operations.search import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agentws.operations.search.result import Hit
    from agentws.storage.workspace.stores import Stores

_WHERE = {"kind": "kinds", "tag": "tags", "room": "rooms", "task": "task", "since": "since", "until": "until"}
_MANY = ("kinds", "tags", "rooms")


def retrieve(
    stores: Stores, query: str, *, top_k: int = 10, where: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Return the `top_k` best memories, each with `content`, `score` and `metadata`.

    Of the best few that are short, `metadata["context"]` holds what stands beside them in their section.
    `where` narrows: kind, tag, room (a text or several), task, since, until. UsageError for another key.
    """
    named: dict[str, Any] = {}
    for key, value in (where or {}).items():
        if key not in _WHERE:
            raise UsageError(f"Unknown key of where: {key!r}.", hint=f"Choose one of: {', '.join(_WHERE)}.")
        name = _WHERE[key]
        named[name] = [value] if name in _MANY and isinstance(value, str) else value
    return [_plain(hit) for hit in search.search(stores, query, k=top_k, **named).hits]


def _plain(hit: Hit) -> dict[str, Any]:
    one = hit.unit
    metadata = {
        "path": one.path,
        "line": one.line,
        "end_line": one.end_line,
        "created_at": hit.at or None,
        "kind": one.kind or None,
        "importance": one.importance or None,
        "tags": list(one.tags),
        "source": one.src or None,
        "room": one.room,
        "task": one.task or None,
        "heading": " › ".join(one.headings) or None,
        "context": [each.text for each in hit.context],
    }
    return {"content": hit.text, "score": hit.score, "metadata": metadata}
