"""The day by which an item is to be done. Pure."""

from __future__ import annotations

from agentws.formats.text.lazy import Pattern

_MARKED = Pattern(r"(?:\(due |📅\ufe0f? ?)(20\d\d-[01]\d-[0-3]\d)")


def marked(text: str) -> str:
    """Return the day by which an item is to be done (ISO), empty without a mark: `(due 2026-11-24)`, `📅 …`."""
    found = _MARKED.search(text) if "due " in text or "📅" in text else None
    return found.group(1) if found else ""
