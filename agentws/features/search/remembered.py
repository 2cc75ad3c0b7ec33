"""What memory/sources.jsonl knows of entries of MEMORY.md: their first day, and what they were remembered with."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import managed, sources
from agentws.core.formats.documents import metadata as _metadata
from agentws.core.markdown import markdown
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from agentws.core.stores.stores import Stores
    from agentws.features.search.plan.unit import Unit


class Known:
    """The rows of memory/sources.jsonl by the digests of the entries' words; read when first asked for."""

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
