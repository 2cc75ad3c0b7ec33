"""Rewording of entries: separates entries in other words from lost ones. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_COMPARED = 500
_ALIKE = 0.5
"""The share of words that an entry and its rewording have in common at least."""


def unrepeated(gone: list[str], new: Iterable[str]) -> list[str]:
    """Return the lost entries that no new one rewords; each new entry stands for one of them."""
    if len(gone) > _MOST_COMPARED:
        return gone
    left = [_words(entry) for _, entry in zip(range(_MOST_COMPARED), new, strict=False)]
    missing = []
    for entry in gone:
        words = _words(entry)
        best = max(left, key=lambda other: _alike(words, other), default=frozenset[str]())
        if _alike(words, best) >= _ALIKE:
            left.remove(best)
        else:
            missing.append(entry)
    return missing


def _words(entry: str) -> frozenset[str]:
    return frozenset(entry.casefold().split())


def _alike(some: frozenset[str], others: frozenset[str]) -> float:
    """Return the share of words in the longer entry that both have, from 0 to 1."""
    return len(some & others) / max(len(some), len(others), 1)
