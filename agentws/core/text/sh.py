"""Words as a shell reads them. What loads for that is slow, and most starts have no use for it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def quote(word: str) -> str:
    """The word as one word of sh."""
    import shlex

    return shlex.quote(word)


def join(words: Iterable[str]) -> str:
    """The words as a line of sh."""
    import shlex

    return shlex.join(words)


def split(line: str) -> list[str]:
    """The words of a line of sh; ValueError where a quotation has no end."""
    import shlex

    return shlex.split(line)
