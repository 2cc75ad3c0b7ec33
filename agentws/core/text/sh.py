"""Quoting and splitting words for sh, importing `shlex` only when needed, since it loads slowly."""

from __future__ import annotations

from collections.abc import Iterable


def quote(word: str) -> str:
    """Return the word quoted for sh."""
    import shlex

    return shlex.quote(word)


def join(words: Iterable[str]) -> str:
    """Return the words as a command line of sh."""
    import shlex

    return shlex.join(words)


def split(line: str) -> list[str]:
    """Return the words of a command line of sh; ValueError for an unclosed quotation."""
    import shlex

    return shlex.split(line)
