"""Encodings of a text: decode what JSON, shells, URLs and HTML write, and fold texts for comparison. Pure.

Each step is linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DEPTH = 6
"""How many encodings may be nested; JSON within JSON to depth 4 has one more where it is stored."""

_BLANKS = dict.fromkeys("nrtbf", " ")
_HEX = "[0-9A-Fa-f]"
_JSON = re.compile(
    rf"\\(?:(x{_HEX}{{2}}(?:\\x{_HEX}{{2}})*)|([0-3][0-7]{{2}}(?:\\[0-3][0-7]{{2}})*)"
    rf"|u({_HEX}{{4}})|u\{{({_HEX}{{1,6}})\}}|U({_HEX}{{8}})|([^\w\s]|[nrtbf_]))"
)
"""Escapes with a backslash: bytes in hexadecimal or octal; a character by its number; a character for itself."""
_URL = re.compile(rf"%(?:({_HEX}{{2}}(?:%{_HEX}{{2}})*)|u({_HEX}{{4}}))")
_ENTITY = re.compile(r"&(?:#([0-9]{1,10})|#[xX]([0-9A-Fa-f]{1,8})|([A-Za-z][A-Za-z0-9]{1,30}));")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")

_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Soft hyphens, joiners, marks of direction and other characters that take no room."""
_ACCENTS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u093c\u0a3c\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20ff\ufe20-\ufe2f"
)
"""Accents, with or without which a name may be written. Vowel signs and the marks of kana are letters, and stay."""
_IS_UNSEEN = re.compile(f"[{_UNSEEN}]")
_IS_BARE_OF = re.compile(f"[{_UNSEEN}{_ACCENTS}]")
_CROWD = re.compile(r"(?<![^\w\x00-\x7f])([^\w\x00-\x7f]{64})[^\w\x00-\x7f]++")
"""Endless runs of marks, which a normal form would sort in quadratic time: only the first 64 count."""
_ALIKE = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ʼ": "'", "ی": "ي", "ى": "ي", "ک": "ك"})
_SPACING = {"\u309b": "\u3099", "\u309c": "\u309a"}
"""Spacing marks of kana, before which a normal form would put a blank."""


def views(text: str) -> Iterator[str]:
    """Yield the text as it is, and again after each encoding that is decoded."""
    yield text
    for _ in range(DEPTH):
        if "\\" not in text and "%" not in text and "&" not in text:
            return
        before = text
        for decode in (_seen, _from_json, _from_url, _from_html):
            plain = decode(text)
            if plain != text:
                text = plain
                yield text
        if text == before:
            return


def unescaped(text: str) -> str:
    """Decode one level of backslash escapes in a text."""
    return " ".join(_from_json(text).split()) if "\\" in text else text


def may_be_encoded(stored: bytes) -> bool:
    """Return whether a line of ASCII JSON may contain encoded letters."""
    return b"\\u" in stored or b"\\\\" in stored or b"%" in stored or b"&" in stored


def literal(text: str) -> str:
    """Fold a decoded text for a literal comparison: without case, width and invisible characters."""
    return text.lower() if text.isascii() else _composed(_IS_UNSEEN.sub("", _decomposed(text)))


def plain(text: str) -> str:
    """Fold a decoded text for the comparison of names: like `literal`, and without accents."""
    if text.isascii():
        return text.lower()
    bare = _IS_BARE_OF.sub("", _decomposed(text))
    return bare if bare.isascii() else _composed(bare.translate(_ALIKE))


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _decomposed(text: str) -> str:
    for spacing, mark in _SPACING.items():
        text = text.replace(spacing, mark)
    text = _CROWD.sub(r"\1", text)
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return text.replace("i\u0307", "i").replace("ı", "i")  # Turkish: both capitals of `i` are one letter here


# Encodings


def _seen(text: str) -> str:
    """Remove invisible characters, which may also be within an encoding."""
    return text if text.isascii() else _IS_UNSEEN.sub("", text)


def _from_json(text: str) -> str:
    """Decode one level of backslash escapes: those of JSON, shells, git and Markdown."""
    decoded = _JSON.sub(_unescaped, text)
    return _PAIR.sub(_joined, decoded) if "\\u" in text else decoded


def _unescaped(match: re.Match[str]) -> str:
    in_hex, in_octal, *numbers, itself = match.groups()
    if itself:
        return _BLANKS.get(itself, itself)
    if in_hex:
        return _text(bytes.fromhex(in_hex[1:].replace("\\x", "")))
    if in_octal:
        return _text(bytes(int(each, 8) for each in in_octal.split("\\")))
    return _char(int(next(filter(None, numbers)), 16)) or match[0]


def _joined(pair: re.Match[str]) -> str:
    high, low = map(ord, pair[0])
    return chr(0x10000 + (high - 0xD800 << 10) + low - 0xDC00)


def _from_url(text: str) -> str:
    return _URL.sub(_from_percents, text)


def _from_percents(match: re.Match[str]) -> str:
    return _text(bytes.fromhex(match[1].replace("%", ""))) if match[1] else chr(int(match[2], 16))


def _from_html(text: str) -> str:
    return _ENTITY.sub(_from_entity, text)


def _from_entity(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        from html.entities import html5

        return html5.get(f"{name};", match[0])
    return _char(int(decimal) if decimal else int(hexadecimal, 16)) or match[0]


def _char(number: int) -> str:
    """Return the character with this number; empty if there is none."""
    return chr(number) if number <= 0x10FFFF else ""


def _text(data: bytes) -> str:
    """Return the text of bytes that were written one by one: as UTF-8, else as Latin-1, which any bytes are."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
