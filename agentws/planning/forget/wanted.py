"""What somebody wants forgotten: literal texts, and names in any of their forms. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from agentws.errors import UsageError
from agentws.planning.forget import forms, names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Fold = Callable[[str], str]

_SHORTEST = 2
_APART = " \0 "
"""What no text and no name goes over."""
_PIECE_CHARS = 1 << 16
_OVERLAP_CHARS = 1 << 12
"""A long text is looked at in pieces, so that its forms take little memory; no name that is encoded is longer."""
_EDGE = "x"
"""Stands for what was cut off in the middle of a word: there no word begins or ends."""


class _Sought:
    """A pattern, to be looked for in texts that were folded, and a `word` that each of its matches holds."""

    __slots__ = ("pattern", "word")

    def __init__(self, pattern: str, words: Iterable[str]) -> None:
        self.pattern = re.compile(pattern)
        self.word = max(words, key=len)

    def among(self, folded: str) -> Iterator[re.Match[str]]:
        """Where it stands in a folded text."""
        return self.pattern.finditer(folded) if self.word in folded else iter(())


class Wanted:
    """What is to be forgotten: each of `matching` word for word, each of `subjects` as a name; case never matters.

    A name is met as whole words: possessive or not, with or without its accents, joined as in addresses and file names.
    Both are met however they are encoded in (docs/guides/forgetting.md), and in any normal form of Unicode.
    """

    __slots__ = ("_folds", "_hints", "matching", "subjects")

    def __init__(self, *, matching: Sequence[str] = (), subjects: Sequence[str] = ()) -> None:
        self.matching = [" ".join(text.split()) for text in matching]
        self.subjects = [" ".join(text.split()) for text in subjects]
        if not self.matching and not self.subjects:
            raise UsageError("Say what is to be forgotten.", hint="--matching TEXT, or --subject NAME")
        texts = [_text(_checked(text)) for text in self.matching]
        spelt = [_name(each) for name in self.subjects for each in names.spelt(_checked(name))]
        spelt += [_Sought(names.slug_pattern(slug), [slug]) for name in self.subjects for slug in names.slugs(name)]
        self._folds = [(fold, some) for fold, some in ((forms.literal, texts), (forms.plain, spelt)) if some]
        self._hints = [_longest(one.word) for one in [*texts, *spelt] if one.word.isascii()]

    def is_in(self, text: str) -> bool:
        """True where `text` holds any of it, in any form."""
        return any(self._is_in(" ".join(piece.split())) for piece in _pieces(text))

    def may_be_in(self, stored: bytes) -> bool:
        """False where ASCII JSON surely holds none of it, in no text or key of it: a look before it is read."""
        plain = stored.lower()
        may = any(hint in plain for hint in self._hints) or forms.may_be_encoded(plain)
        return may and self.is_in(stored.decode("utf-8", "surrogateescape"))

    def is_in_value(self, value: object) -> bool:
        """True where any text, number or key within a JSON value holds any of it."""
        return self.is_in(_APART.join(_texts(value)))

    def among(self, lines: Sequence[str]) -> set[int]:
        """The indices of the lines that hold any of it, read as one text: it may go on from one line to the next."""
        found = {index for index, line in enumerate(lines) if len(line) > _PIECE_CHARS and self.is_in(line)}
        joined = [" ".join(_ends(line.lstrip(" \t>") if index else line).split()) for index, line in enumerate(lines)]
        read = [[*forms.views(line)] for line in joined]
        for depth in range(max(map(len, read), default=0)):
            found |= self._lines([each[min(depth, len(each) - 1)] for each in read])
        return found

    def _lines(self, lines: Sequence[str]) -> set[int]:
        found: set[int] = set()
        for fold, sought in self._folds:
            folded = [fold(line) for line in lines]
            starts = [0, *accumulate(len(line) + 1 for line in folded)]
            text = " ".join(folded)
            for match in (match for one in sought for match in one.among(text)):
                first, last = match.start(), max(match.start(), match.end() - 1)
                found.update(range(bisect_right(starts, first) - 1, bisect_right(starts, last)))
        return found

    def _is_in(self, text: str) -> bool:
        for view in forms.views(text):
            for fold, sought in self._folds:
                folded = fold(view)
                if any(True for one in sought for _ in one.among(folded)):
                    return True
        return False


def _text(text: str) -> _Sought:
    words = forms.literal(text).split()
    return _Sought("[ +]".join(map(re.escape, words)), words)


def _name(spelt: str) -> _Sought:
    return _Sought(names.pattern(spelt), names.words(spelt))


def _checked(text: str) -> str:
    if len(text) < _SHORTEST or not any(char.isalnum() for char in forms.plain(text)):
        raise UsageError(f"{text!r} is too little: it would be found everywhere.", hint="Give a whole word or more.")
    return text


def _longest(word: str) -> bytes:
    """The longest part of a word that JSON writes as it is."""
    return max(re.split(r'["\\]', word), key=len).encode()


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces that overlap, cut between words where there are any."""
    start, before = 0, ""
    while len(text) - start > _PIECE_CHARS:
        end = start + _PIECE_CHARS
        cut = text.rfind(" ", end - _OVERLAP_CHARS, end)
        yield before + (text[start:cut] if cut > 0 else text[start:end] + _EDGE)
        end = (cut if cut > 0 else end) - _OVERLAP_CHARS
        behind = text.rfind(" ", end - _OVERLAP_CHARS, end)
        start, before = (behind, "") if behind > 0 else (end, _EDGE)
    yield before + text[start:]


def _ends(line: str) -> str:
    """Of a long line as much as can go on from one line to the next."""
    return line if len(line) <= _PIECE_CHARS else f"{line[:_OVERLAP_CHARS]}{_APART}{line[-_OVERLAP_CHARS:]}"


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
