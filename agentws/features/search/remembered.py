"""Metadata that entries of MEMORY.md were remembered with, and their first day, from memory/sources.jsonl."""

from __future__ import annotations

from typing import Any

from agentws.core.formats import layout
from agentws.core.formats.documents import entry_rows as _entry_rows, managed, sources
from agentws.core.markdown import markdown
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.search.plan.unit import Unit


class Known:
    """The metadata of remembered entries, by digests of their words; read from memory/sources.jsonl on first use."""

    __slots__ = ("_days", "_found", "_stores")

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._found: dict[str, dict[str, Any]] | None = None
        self._days: dict[str, str] = {}

    @property
    def keys(self) -> list[str]:
        """All metadata keys of remembered entries, sorted."""
        return sorted({key for values in self._all().values() for key in values})

    def of(self, unit: Unit) -> dict[str, Any]:
        """Return the metadata that a unit was remembered with, empty without any."""
        return self._all().get(_entry(unit), {}) if layout.usual(unit.path) == layout.MEMORY else {}

    def day(self, unit: Unit) -> str | None:
        """Return the day on which a unit of MEMORY.md was first said, None if unknown."""
        if layout.usual(unit.path) != layout.MEMORY:
            return None
        self._all()
        return self._days.get(_entry(unit))

    def _all(self) -> dict[str, dict[str, Any]]:
        if self._found is None:
            try:
                data = self._stores.visible_to().files.read(sources.PATH)
            except AgentwsError:
                data = b""
            known = sources.decode(data.decode("utf-8", "surrogateescape"))
            rows = [*known.made.values(), *known.stated.values()]
            self._found = {row.entry: _values_of(row) for row in rows if _values_of(row)}
            self._days = {row.entry: row.first for row in rows if row.first}
        return self._found


def _entry(unit: Unit) -> str:
    return managed.of_text(unit.text[markdown.marker(unit.text) :])


def _values_of(row: sources.KnownEntry) -> dict[str, Any]:
    values = _entry_rows.metadata_of_row(row.more)
    return {**values, "about": row.about.path} if row.about else values
