"""Letters with their combining marks, in every script: the characters of names, tags and slugs. Pure."""

from __future__ import annotations

from agentws.core.text.lazy import Pattern

MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d\u0859-\u085b\u0898-\u08e1"
    "\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83"
    "\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd\u0f18-\u0f19\u0f35\u0f37"
    "\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6\u102b-\u103e\u1056-\u109d\u135d-\u135f\u1712-\u1734\u1752-\u17d3"
    "\u17dd\u1885-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1abd\u1abf-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3"
    "\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1dff\u20d0-\u20dc\u20e1\u20e5-\u20f0\u2cef-\u2cf1\u2d7f-\u2dff"
    "\u302a-\u302f\u3099-\u309a"
)
"""Vowel signs, points and accents, as ranges of a character class, with letters and digits that lie between. Not in it:
what chooses a picture (variation selectors) or draws a frame.
"""
_LAST_MARK = MARKS[-1]
_IS_MARK = Pattern(f"[{MARKS}]")
_TAG = Pattern(rf"(?:^|(?<=\s))#([\w/:.{MARKS}-]*[^\W\d][\w/:{MARKS}-]*)")
_ANY_TAG = Pattern(rf"(?<![^\W_])#([^\W_][\w/:{MARKS}-]*)")
"""The tags of core/markdown/notes.py, whose letters may have marks. They take ten times as long to compile."""
_BESIDE = "-_."


def is_name(text: str) -> bool:
    """Return whether `text` consists of letters with their marks, digits, `-`, `_` and `.`, no mark first."""
    return not is_mark(text[:1]) and all(char.isalnum() or char in _BESIDE or is_mark(char) for char in text)


def is_mark(char: str) -> bool:
    """Return whether the character is a mark that belongs to the letter before it."""
    if char <= "\u02ff" or char.isalnum() or "\u2000" <= char <= "\u20cf" or "\u2100" <= char <= "\u2cee":
        return False  # most signs: no pattern is compiled for them
    return char <= _LAST_MARK and _IS_MARK.match(char) is not None


def words(text: str) -> str:
    """Return `text` composed, with `-` for other characters than letters, marks and digits; invisible ones removed."""
    if text.isascii():
        return "".join(char if char.isalnum() else "-" for char in text)
    import unicodedata

    result = ""
    for char in unicodedata.normalize("NFC", text):
        if char.isalnum() or (result[-1:] not in ("", "-") and is_mark(char)):
            result += char
        elif unicodedata.category(char) not in ("Cf", "Me", "Mn"):
            result += "-"
    return result


def tags_in(text: str) -> list[str]:
    """Return the tags in `text`, without `#`, in any script: those of core/markdown/notes.py."""
    return _TAG.findall(text)


def labels_in(text: str) -> list[str]:
    """Return the tags in `text` as `tags_in`, but also those within brackets or emphasis."""
    return _ANY_TAG.findall(text)
