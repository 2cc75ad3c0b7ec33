"""Readable JSON for people: letters of every script as they are, invisible or misleading ones as `\\uXXXX`. Pure.

It is ordinary JSON: any reader gets the same value.
"""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.core.text import invisible, letters
from agentws.core.text.lazy import Pattern

_PIECE = Pattern(rf"\\u[0-9a-f]{{4}}|\\.|[\w{letters.MARKS}]+|.", "DOTALL")
_ALIKE = ("ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GREEK", "MATHEMATICAL")
"""Scripts with letters that look like Latin ones: no language mixes both in one word."""
_ASTRAL = 0x10000
_DELETE = "\x7f"
"""The one control character that JSON lets stand."""


def dumps(value: object, *, indent: int | None = None) -> str:
    """Return `value` as readable JSON, on one line if `indent` is None."""
    plain = plainjson.dumps(value, indent=indent).replace(_DELETE, _code(_DELETE))
    if "\\u" not in plain:
        return plain
    import json

    text = json.dumps(value, ensure_ascii=False, indent=indent).replace(_DELETE, _code(_DELETE))
    return "".join(_shown(text, match.start(), match[0]) for match in _PIECE.compiled.finditer(text))


def _shown(text: str, start: int, piece: str) -> str:
    if piece.isascii():
        return piece
    is_mixed = _is_mixed(piece)
    return "".join(
        char if char.isascii() or (not is_mixed and _is_plain(text, at)) else _code(char)
        for at, char in enumerate(piece, start)
    )


def _is_mixed(word: str) -> bool:
    """Return whether this word mixes letters that look alike."""
    import unicodedata

    scripts = {unicodedata.name(char, "").partition(" ")[0] for char in word if char.isalpha()}
    return "LATIN" in scripts and not scripts.isdisjoint(_ALIKE)


def _is_plain(text: str, at: int) -> bool:
    """Return whether everybody sees this character, and where it ends."""
    char = text[at]
    if invisible.is_ignorable(char):
        from agentws.core.text import joiners

        return joiners.useful(text, at)
    before = text[at - 1]
    return char.isprintable() and (not letters.is_mark(char) or before.isalnum() or letters.is_mark(before))


def _code(char: str) -> str:
    code = ord(char)
    if code < _ASTRAL:
        return f"\\u{code:04x}"
    high, low = divmod(code - _ASTRAL, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
