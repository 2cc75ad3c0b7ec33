"""Similarity of texts: their words for comparing them, in any script; no stemming, no word lists. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_COMPARED = 500
_ALIKE = 0.5
"""The share of words that an entry and its rewording have in common at least."""


class _Mask(dict[int, str]):
    """For str.translate: what is neither letter nor digit nor a mark of one becomes a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char.isalnum():
            kept = char
        else:
            from agentws.core.text import letters

            kept = char if code > 0x2FF and letters.is_mark(char) else " "
        self[code] = kept
        return kept


_MASK = _Mask()
_ASCII = bytes(ord(char.lower()) if (char := chr(code)).isalnum() and code < 0x80 else 0x20 for code in range(0x100))
"""The same for ASCII alone, folded: most texts are."""


def words(text: str) -> tuple[str, ...]:
    """Return the words by which similar texts are found, folded, once each; pairs of characters if unspaced."""
    if text.isascii():
        return tuple(dict.fromkeys(text.encode().translate(_ASCII).decode().split()))
    names: dict[str, None] = {}
    for word in text.casefold().translate(_MASK).split():
        for part in _parts(word):
            names[part] = None
    return tuple(names)


def unrepeated(gone: list[str], new: Iterable[str]) -> list[str]:
    """Return the entries of `gone` that no new one repeats in other words; each new entry stands for one of them."""
    if len(gone) > _MOST_COMPARED:
        return gone
    left = [frozenset(words(entry)) for _, entry in zip(range(_MOST_COMPARED), new, strict=False)]
    lost = []
    for entry in gone:
        own = frozenset(words(entry))
        best = max(left, key=lambda other: _share(own, other), default=frozenset[str]())
        if _share(own, best) >= _ALIKE:
            left.remove(best)
        else:
            lost.append(entry)
    return lost


def _share(some: frozenset[str], others: frozenset[str]) -> float:
    """Return the share of words in the longer entry that both have, from 0 to 1."""
    return len(some & others) / max(len(some), len(others), 1)


def _parts(word: str) -> list[str]:
    """`word`, or the pairs of characters of those parts of it whose script has no spaces."""
    if word.isascii() or not any(map(is_unspaced, word)):
        return [word]
    names: list[str] = []
    run = ""
    for char in word:
        if run and is_unspaced(run[-1]) != is_unspaced(char):
            names += _pairs(run)
            run = ""
        run += char
    return names + _pairs(run)


def _pairs(run: str) -> list[str]:
    if len(run) < 2 or not is_unspaced(run[0]):
        return [run]
    return [run[at : at + 2] for at in range(len(run) - 1)]


def is_unspaced(char: str) -> bool:
    """Return whether a text's script has no spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese."""
    return (
        "\u3040" <= char <= "\u30ff"
        or "\u3400" <= char <= "\u9fff"
        or "\u0e00" <= char <= "\u0eff"
        or "\u1000" <= char <= "\u109f"
        or "\u1780" <= char <= "\u17ff"
        or char >= "\U00020000"
    )
