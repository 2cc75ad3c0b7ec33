"""retrieve: the same as search in the words of frameworks: `top_k`, `where`, content with metadata."""

from __future__ import annotations

from agentws.errors import AgentwsError, UsageError
from agentws.formats import layout
from agentws.formats.documents import managed, sources
from agentws.formats.documents import metadata as _metadata
from agentws.formats.markdown import markdown
from agentws.operations.search import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from agentws.operations.search.result import Hit
    from agentws.planning.search.unit import Unit
    from agentws.storage.workspace.stores import Stores

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
"""Further keys that `where` may name, and the field of a unit that each is compared with."""


def retrieve(
    stores: Stores, query: str, *, top_k: int = 10, where: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Return the `top_k` best memories, each with `content`, `score` and `metadata`.

    Of the best few that are short, `metadata["context"]` holds what stands beside them in their section.
    `where` narrows: kind, tag (or tags), room (a text or several), task, since, until, importance, source, path, and
    any key that entries were remembered with; without words the newest of these are returned. UsageError for a key
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
    has = known.having({key: value for key, value in values.items() if key not in _MARKS})
    return lambda unit: all((getattr(unit, name) or None) == value for name, value in marks.items()) and has(unit)


def _plain_value(key: str, value: object) -> object:
    if not _metadata.is_plain(value):
        raise UsageError(f"where: {key} must be a text, a number, true, false or null, not {type(value).__name__}.")
    return value


def _plain(hit: Hit, known: Known) -> dict[str, Any]:
    metadata = {**known.of(hit.unit), **hit.metadata}
    metadata["created_at"] = metadata["created_at"] or known.day(hit.unit)
    return {"content": hit.text, "score": hit.score, "metadata": metadata}


class Known:
    """What entries of MEMORY.md were remembered with, by the digests of their words; read when first asked for."""

    __slots__ = ("_days", "_found", "_stores")

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._found: dict[str, dict[str, Any]] | None = None
        self._days: dict[str, str] = {}

    @property
    def keys(self) -> list[str]:
        """Every key of these, in order."""
        return sorted({key for values in self._all().values() for key in values})

    def of(self, unit: Unit) -> dict[str, Any]:
        """Return the metadata of a unit, empty without any."""
        return self._all().get(_entry(unit), {}) if unit.path == layout.MEMORY else {}

    def day(self, unit: Unit) -> str | None:
        """Return the day on which a unit was said first, None where that is unknown."""
        if unit.path != layout.MEMORY:
            return None
        self._all()
        return self._days.get(_entry(unit))

    def having(self, wanted: Mapping[str, Any]) -> Callable[[Unit], bool]:
        """Return what says of a unit whether its metadata has all of these values."""

        def fits(unit: Unit) -> bool:
            told = self.of(unit)
            return all(key in told and _metadata.is_same(told[key], value) for key, value in wanted.items())

        return fits

    def _all(self) -> dict[str, dict[str, Any]]:
        if self._found is None:
            try:
                data = self._stores.heard().files.read(sources.PATH)
            except AgentwsError:
                data = b""
            known = sources.decode(data.decode("utf-8", "surrogateescape"))
            rows = [*known.made.values(), *known.stated.values()]
            self._found = {row.entry: _told(row) for row in rows if _told(row)}
            self._days = {row.entry: row.first for row in rows if row.first}
        return self._found


def _entry(unit: Unit) -> str:
    return managed.of_text(unit.text[markdown.marker(unit.text) :])


def _told(row: sources.KnownEntry) -> dict[str, Any]:
    values = _metadata.of_row(row.more)
    return {**values, "about": row.about.path} if row.about else values
