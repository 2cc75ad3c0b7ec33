from __future__ import annotations

from agentws.formats import notes
from agentws.planning import excerpt
from agentws.planning import lines as _lines
from agentws.planning.lines import Line, Shelf


def lines_of(logs: dict[str, str] | None = None, *, memory: str = "") -> list[Line]:
    """The lines of `logs` (day → text, in any order) and of MEMORY.md, as boot reads them."""
    days = sorted(logs or {}, reverse=True)
    shelves = [_shelf(f"memory/{day}.md", (logs or {})[day], day) for day in days]
    return _lines.of([*shelves, _shelf("MEMORY.md", memory, "")] if memory else shelves)


def _shelf(name: str, text: str, day: str) -> Shelf:
    entries = excerpt.entries(notes.read(text), by_position=bool(day))
    return Shelf(entries, frame=10, day=day, name=name)
