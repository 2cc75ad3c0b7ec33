"""Words of a text in every script, as `forget` and the entries of what is kept out compare them. Pure.

A token is a whole word; in scripts that write no blanks between words, or join prefixes and endings to a name, it is
one character, and says whether a name may begin or end at it. What JSON, shells, URLs and HTML write is decoded first,
in time linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from agentws.core.text import letters
from agentws.core.text.lazy import Pattern

WITHOUT_BLANKS = (
    r"\u0e00-\u0fff\u1000-\u109f\u1200-\u139f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u2d80-\u2ddf\u2e80-\ua4cf"
    r"\ua9e0-\ua9ff\uaa60-\uaadf\uab00-\uab2f\uf900-\ufaff\U00016fe0-\U00018d8f\U0001aff0-\U0001b2ff"
    r"\U00020000-\U0003ffff"
)
"""Thai, Lao, Tibetan, Burmese, Khmer, Chinese, Japanese and Ethiopic, where no blank separates a name from words."""
HANGUL = r"\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"
INDIC = r"\u0900-\u0963\u0966-\u0dff"
WITH_ENDINGS = rf"{HANGUL}{INDIC}\u0530-\u058f\u10a0-\u10ff\u1c90-\u1cbf\u2d00-\u2d2f"
"""Korean, the scripts of India, Armenian and Georgian, where particles and endings are attached to a name."""
VIRAMAS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
"""Marks of the scripts of India that no vowel follows, which an ending replaces."""
ARABIC, HEBREW = r"\u0620-\u06ff", r"\u05d0-\u05ea"
ARABIC_PREFIXES, HEBREW_PREFIXES = "وفبلك", "ושלבכמה"
"""Prefixes that are attached to a name, up to two of them: `and`, `to`, `in`, `from`."""
MOST_BEFORE = 2
"""The most characters before a name within its word: prefixes, or a Korean family name."""

_LETTER = rf"[^\W_{WITHOUT_BLANKS}{WITH_ENDINGS}{ARABIC}{HEBREW}]"
_RUN = Pattern(
    rf"([{WITHOUT_BLANKS}]+)|([{HANGUL}]+)|([{ARABIC}]+)|([{HEBREW}]+)|([{WITH_ENDINGS}]+)"
    rf"|{_LETTER}(?:{_LETTER}|[{letters.MARKS}])*"
)
_PLAIN = re.compile("[a-z0-9]+")
"""The words of a text in ASCII, for which the pattern of all scripts is not compiled."""
_LINK = re.compile(r"\]\([^()\s]*\)")
"""The target of a Markdown link: the words on both sides of it are neighbours."""
_BLOCK = re.compile(r"[-*+#]|\d+[.)]\s|$")
"""The beginning of a list item or heading, or an empty line: no name goes on there."""
_QUOTE = " \t>"

Token = tuple[str, bool, bool, int, int]
"""Its text, whether a name may begin and end at it, and the lines (from 0) of its first and last character."""
_BREAK = ("", False, False)


def of(text: str) -> list[str]:
    """Return the tokens of a name or an entry that is to be met elsewhere."""
    tokens = [text for line in text.split("\n") for text, _, _ in _tokens(line)]
    while tokens and tokens[-1] in VIRAMAS:
        tokens.pop()
    return tokens


def count(text: str) -> int:
    """Return the number of words of a name: in scripts without blanks, two characters are more than one word."""
    runs = list(_RUN.compiled.finditer(plain(text)))
    return sum(min(len(run[0]), 2) if run[1] else 1 for run in runs)


def readings(lines: Sequence[str]) -> Iterator[list[Token]]:
    """Yield the tokens of a text's lines; again with words joined that a hyphen divides at the end of a line."""
    tokens: list[Token] = []
    joined: list[Token] = []
    is_divided = has_divided = False
    for number, line in enumerate(lines):
        plain = line.lstrip(_QUOTE)
        own_tokens = _tokens(plain)
        if number and _BLOCK.match(plain):
            own_tokens.insert(0, _BREAK)
            is_divided = False
        tokens += [(*token, number, number) for token in own_tokens]
        more = [(*token, number, number) for token in own_tokens]
        if is_divided and more and joined:
            text, begins, _, first, _ = joined.pop()
            joined.append((text + more[0][0], begins, more[0][2], first, number))
            more, has_divided = more[1:], True
        joined += more
        is_divided = len(line.rstrip()) > 1 and line.rstrip()[-1] in "-‐\u00ad" and line.rstrip()[-2].isalpha()
    yield tokens
    if has_divided:
        yield joined


def _tokens(line: str) -> list[tuple[str, bool, bool]]:
    """Return the tokens of a line; of a long word in a script of single characters, each of them."""
    folded = plain(line)
    if "](" in folded:
        folded = _LINK.sub("] ", folded)
    if folded.isascii():
        return [(word, True, True) for word in _PLAIN.findall(folded)]
    tokens: list[tuple[str, bool, bool]] = []
    for run in _RUN.compiled.finditer(folded):
        script = run.lastindex
        if script is None:
            tokens.append((run[0], True, True))
            continue
        chars = [char for char in run[0] if unicodedata.category(char)[0] in "LMN"]
        last = len(chars) - 1
        before = {2: last, 3: _before(chars, ARABIC_PREFIXES), 4: _before(chars, HEBREW_PREFIXES)}.get(script, 0)
        most = min(before, MOST_BEFORE)
        ends_anywhere = script not in (3, 4)
        tokens += [(char, script == 1 or at <= most, ends_anywhere or at == last) for at, char in enumerate(chars)]
    return tokens


def _before(chars: Sequence[str], prefixes: str) -> int:
    """Return the number of characters at the beginning of a word that may be prefixes of a name."""
    return next((at for at, char in enumerate(chars) if char not in prefixes), len(chars))


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
