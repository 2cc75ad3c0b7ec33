"""Words of a text in every script, as `forget` and the entries of what is kept out compare them. Pure.

A token is a whole word; in scripts that write no blanks between words, or join prefixes and endings to a name, it is
one character, and says whether a name may begin or end at it.
"""

from __future__ import annotations

import re
import unicodedata

from agentws.core.text import encodings, letters
from agentws.core.text.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    runs = list(_RUN.compiled.finditer(encodings.plain(text)))
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
    folded = encodings.plain(line)
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
