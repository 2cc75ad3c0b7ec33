"""Reads the query of a page: what a person may have typed into the address is no error."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def number(query: Mapping[str, str], name: str, usual: int, *, least: int = 1, most: int) -> int:
    """Return a number of the query, `usual` if it has none, within these bounds."""
    text = query.get(name, "")
    return max(least, min(most, int(text))) if text.isascii() and text.isdigit() and len(text) < 10 else usual
