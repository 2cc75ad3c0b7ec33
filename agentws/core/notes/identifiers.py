"""Identifiers in a text, recognised by form: tickets, hashes, paths, addresses, settings, quoted names."""

from __future__ import annotations

from collections.abc import Iterator

_AROUND = "`.,;:!?…()[]{}<>|\"'*~“”„«»‘’。、，；：！？（）「」『』"
"""What may stand before or behind a word without being part of it."""
_QUOTES = {'"': '"', "`": "`", "“": "”", "„": "“", "«": "»", "»": "«", "「": "」", "『": "』"}
_LEAST_OF_A_HASH = 7
_MOST_OF_A_HASH = 64
_HEX = "0123456789abcdef"
_FIGURES = "0123456789"
_LONGEST_QUOTED_CHARS = 100


def of(text: str) -> tuple[str, ...]:
    """Return the identifiers in `text`, folded: `#183`, `ABC-12`, hashes, paths, addresses, `key=value`, quotations."""
    names: dict[str, None] = {}
    for word in text.split():
        if word.isalpha() and (len(word) < _LEAST_OF_A_HASH or word.strip(_HEX)):  # most of them
            continue
        plain = word.strip(_AROUND)
        if len(plain) > 1 and _is_name(plain):
            names[plain.casefold()] = None
    for name in _quoted(text):
        names[name.casefold()] = None
    return tuple(names)


def numbers(text: str) -> list[str]:
    """Return the words of a text that contain a digit, as identifiers do."""
    return [number for word in text.split() if any(map(str.isnumeric, word)) for number in _numbers(word)]


def _numbers(word: str) -> list[str]:
    """A word with a digit, folded; of a word in a script without spaces the numbers in it: 2 of `重画第2张地图`."""
    if word.isascii():
        return [word.strip(_AROUND).casefold()]
    parts = "".join(char if char.isnumeric() or (char.isascii() and char.isalnum()) else " " for char in word).split()
    return [part.casefold() for part in parts if any(map(str.isnumeric, part))]


def _is_name(word: str) -> bool:
    if word[0] == "#":
        return word[1:].isdecimal()
    if "/" in word or "=" in word or "@" in word:
        return not word.replace("/", "").isdecimal() and any(map(str.isalnum, word))
    if "-" in word and word[-1] in _FIGURES:
        key, _, number = word.rpartition("-")
        return number.isdecimal() and key.isupper() and key.isalnum() and key[0].isalpha()
    if "." in word:
        before, _, ending = word.rpartition(".")
        return len(before) > 1 and ending.isalnum() and ending[0].isalpha() and before[-1] not in _FIGURES
    is_long = _LEAST_OF_A_HASH <= len(word) <= _MOST_OF_A_HASH
    return "_" in word.strip("_") or (is_long and not word.strip(_HEX) and bool(word.strip(_FIGURES)))


def _quoted(text: str) -> Iterator[str]:
    for opening, closing in _QUOTES.items():
        if opening not in text:
            continue
        at = text.find(opening)
        while at >= 0:
            end = text.find(closing, at + 1)
            if end < 0:
                break
            name = text[at + 1 : end].strip()
            if 0 < len(name) <= _LONGEST_QUOTED_CHARS:
                yield name
            at = text.find(opening, end + 1)
