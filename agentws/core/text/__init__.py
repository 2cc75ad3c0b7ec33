"""Text checks: letters, invisible characters, sizes, origins."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def several(texts: str | Iterable[str] | None) -> list[str]:
    """Return texts as a list. A single text is one text, not a list of its letters."""
    return [texts] if isinstance(texts, str) else list(texts or ())
