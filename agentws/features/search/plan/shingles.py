"""Words in a row, by which a text is known again inside a longer one, whatever stands around it. Pure."""

from __future__ import annotations

from agentws.features.search.plan import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_WORDS = 3
_MOST = 0.7
"""So many of its shingles tell that a text is in another one: that may show it cut, or with marks between."""


def of(text: str) -> list[str]:
    """Return each three terms in a row; a shorter text has none."""
    found = terms.of(text)
    return [" ".join(found[end - _WORDS : end]) for end in range(_WORDS, len(found) + 1)]


def is_in(own: Collection[str], others: Collection[str]) -> bool:
    """Return whether a text with these shingles is in one with those others; one without any tells nothing new."""
    return sum(one in others for one in own) >= _MOST * len(own)
