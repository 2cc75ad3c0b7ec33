"""What somebody wants forgotten: literal texts, and names in any of their forms. Pure."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from agentws.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_SHORTEST = 2
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})
_ACCENTS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]")
_APART = " \0 "
"""What no text and no name goes over."""
_BETWEEN = r"(?:[\s*_`~]+|[-.'’])?"
"""What may stand between the words of a name: `Sam Tester`, `sam_tester`, `sam.tester@…`, `**Sam** Tester`."""
_NOT_BEHIND, _NOT_BEFORE = r"(?<![^\W_])", r"(?:s(?=['’]))?(?![^\W_])"
_FIRST_OF_EAST_ASIA = 0x2E80
"""From here on scripts put no spaces between words."""


class Wanted:
    """What is to be forgotten: each of `matching` word for word, each of `subjects` as a name; case never matters.

    A name is met as whole words: possessive or not, with or without its accents, joined as in addresses and file names.
    """

    __slots__ = ("_literals", "_names", "hints", "matching", "subjects")

    def __init__(self, *, matching: Sequence[str] = (), subjects: Sequence[str] = ()) -> None:
        self.matching = [" ".join(text.split()) for text in matching]
        self.subjects = [" ".join(text.split()) for text in subjects]
        self._literals = [re.compile(re.escape(_literal(text))) for text in map(_checked, self.matching)]
        self._names = [re.compile(_name(_checked(text))) for text in self.subjects]
        if not self._literals and not self._names:
            raise UsageError("Say what is to be forgotten.", hint="--matching TEXT, or --subject NAME")
        words = [_literal(text) for text in self.matching] + [each for name in self.subjects for each in _spelt(name)]
        self.hints: Sequence[bytes] = [*map(_longest_word, filter(str.isascii, words)), b"\\u"]
        """Of these bytes, any line of JSON that holds any of it has some, in lower case."""

    def is_in(self, text: str) -> bool:
        """True where `text` holds any of it."""
        return any(True for _ in self._spans(text))

    def is_in_value(self, value: object) -> bool:
        """True where any text, number or key within a JSON value holds any of it."""
        return self.is_in(_APART.join(_texts(value)))

    def among(self, lines: Sequence[str]) -> set[int]:
        """The indices of the lines that hold any of it, read as one text: it may go on from one line to the next."""
        joined = [" ".join((line.lstrip(" \t>") if index else line).split()) for index, line in enumerate(lines)]
        found: set[int] = set()
        for fold, patterns in ((_literal, self._literals), (_plain, self._names)):
            folded = [fold(line) for line in joined] if patterns else []
            starts = [0, *accumulate(len(line) + 1 for line in folded)]
            text = " ".join(folded)
            for pattern in patterns:
                for match in pattern.finditer(text):
                    first, last = match.start(), max(match.start(), match.end() - 1)
                    found.update(range(bisect_right(starts, first) - 1, bisect_right(starts, last)))
        return found

    def _spans(self, text: str) -> Iterator[re.Match[str]]:
        words = " ".join(text.split())
        for fold, patterns in ((_literal, self._literals), (_plain, self._names)):
            folded = fold(words) if patterns else ""
            for pattern in patterns:
                yield from pattern.finditer(folded)


def _checked(text: str) -> str:
    if len(text) < _SHORTEST or not any(char.isalnum() for char in text):
        raise UsageError(f"{text!r} is too little: it would be found everywhere.", hint="Give a whole word or more.")
    return text


def _longest_word(text: str) -> bytes:
    words: list[str] = re.findall(r"[a-z0-9]+", text)
    return max(words, key=len).encode()


def _literal(text: str) -> str:
    return text.casefold() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def _plain(text: str) -> str:
    """The text without accents and case."""
    if text.isascii():
        return text.lower()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return plain if plain.isascii() else plain.translate(_PLAIN)


def _name(name: str) -> str:
    """The pattern of a name, as it is met in a text that `_plain` has made."""
    return "|".join(f"(?:{_words(each)})" for each in _spelt(name))


def _spelt(name: str) -> Sequence[str]:
    """The ways in which a name is spelt once its accents are gone: Müller is Muller, and Mueller."""
    spelt = _plain(unicodedata.normalize("NFC", name).casefold().translate(_UMLAUTS))
    return [*dict.fromkeys((_plain(name), spelt))]


def _words(name: str) -> str:
    pattern = _BETWEEN.join(map(re.escape, re.findall(r"[^\W_]+", name)))
    letters = [char for char in name if char.isalnum()]
    before = _NOT_BEHIND if ord(letters[0]) < _FIRST_OF_EAST_ASIA else ""
    after = _NOT_BEFORE if ord(letters[-1]) < _FIRST_OF_EAST_ASIA else ""
    return f"{before}{pattern}{after}"


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
