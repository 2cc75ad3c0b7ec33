"""retrieve: search in the terms of agent frameworks: `top_k` and `where`, content with metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentws.core.formats.documents import entry_rows as _entry_rows
from agentws.core.stores.stores import Stores
from agentws.errors import UsageError
from agentws.features.search import search
from agentws.features.search.plan.unit import Unit
from agentws.features.search.remembered import Known
from agentws.features.search.result import Hit

_WHERE = {
    "kind": "kinds",
    "tag": "tags",
    "tags": "tags",
    "room": "rooms",
    "task": "task",
    "since": "since",
    "until": "until",
}
_MANY = ("kinds", "tags", "rooms")
_MARKS = {"importance": "importance", "source": "src", "path": "path"}
"""Further keys of `where`, and the field of a unit that each is compared with."""


def retrieve(
    stores: Stores, query: str, *, top_k: int = 10, where: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Return the `top_k` best memories, each with `content`, `score` and `metadata`.

    For the best few hits, if short, `metadata["context"]` holds the entries beside them in their section.
    `where` narrows: kind, tag (or tags), room (a text or several), task, since, until, importance, source, path, and
    any key that entries were remembered with; without a query the newest matches are returned. UsageError for a key
    that no entry has.
    """
    _check(top_k, where)
    known = Known(stores)
    named: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for key, value in (where or {}).items():
        if key in _WHERE:
            name = _WHERE[key]
            named[name] = [value] if name in _MANY and isinstance(value, str) else value
        elif key in _MARKS or key in known.keys:
            values[key] = _plain_value(key, value)
        else:
            choices = ", ".join(dict.fromkeys((*_WHERE, *_MARKS, *known.keys)))
            raise UsageError(f"Unknown key of where: {key!r}.", hint=f"Choose one of: {choices}.")
    if values:
        named["fits"] = _fits(known, values)
    return [_plain(hit, known) for hit in search.search(stores, query, k=top_k, **named).hits]


def _check(top_k: object, where: object) -> None:
    if not isinstance(top_k, int) or not 1 <= top_k <= search.MOST_HITS:
        raise UsageError(f"top_k must be 1 to {search.MOST_HITS}, not {top_k!r}.")
    if where is not None and not isinstance(where, dict):
        raise UsageError(
            f"where must be a dict, not {type(where).__name__}.",
            hint='For example: {"kind": "decision", "tag": "garden"}',
        )


def _fits(known: Known, values: Mapping[str, Any]) -> Callable[[Unit], bool]:
    marks = {_MARKS[key]: value for key, value in values.items() if key in _MARKS}
    own = {key: value for key, value in values.items() if key not in _MARKS}

    def fits(unit: Unit) -> bool:
        fields = known.of(unit) if own else {}
        return all((getattr(unit, name) or None) == value for name, value in marks.items()) and all(
            key in fields and _entry_rows.is_same(fields[key], value) for key, value in own.items()
        )

    return fits


def _plain_value(key: str, value: object) -> object:
    if not _entry_rows.is_plain_text(value):
        raise UsageError(f"where: {key} must be a text, a number, true, false or null, not {type(value).__name__}.")
    return value


def _plain(hit: Hit, known: Known) -> dict[str, Any]:
    metadata = {**known.of(hit.unit), **hit.metadata}
    metadata["created_at"] = metadata["created_at"] or known.day(hit.unit)
    return {"content": hit.text, "score": hit.score, "metadata": metadata}
