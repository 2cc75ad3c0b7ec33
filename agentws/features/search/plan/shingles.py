"""Shingles: runs of three words by which a text is recognized inside a longer one. Pure."""

from __future__ import annotations

from agentws.features.search.plan import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_WORDS = 3
_MOST = 0.7
"""The share of its shingles that shows a text to be in another one, which may have it cut or with marks between."""


def of(text: str) -> list[str]:
    """Return the shingles of a text: each three terms in a row; a shorter text has none."""
    parts = terms.of(text)
    return [" ".join(parts[end - _WORDS : end]) for end in range(_WORDS, len(parts) + 1)]


def is_in(own: Collection[str], others: Collection[str]) -> bool:
    """Return whether a text with `own` shingles is inside one with `others`; a text without shingles always is."""
    return sum(name in others for name in own) >= _MOST * len(own)
