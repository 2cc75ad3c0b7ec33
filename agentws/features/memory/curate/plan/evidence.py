"""Evidence for curation: finds names, numbers and dates of a text that its sources lack, in any script, by form. Pure.

Where a script has capitals, a name has one; where it has none, each word must occur in a source, but for its ending. So
a text that keeps to the words of its sources always passes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from agentws.core.formats import layout
from agentws.core.formats.documents.entry_rows import Source
from agentws.core.notes import identifiers, similarity
from agentws.core.text import letters

_NUMBER = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)*")
"""A number, date or time: figures with single separators between them."""
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_JOINTS = "'’`"
_ENDS = ".!?:;·•。！？：；"
_FREE_LETTERS = 2
"""A word this short, in a script without capitals, is mostly a particle."""
_CONTAINED_CHARS = 3
_LEAST_STEM = 3
_ENDING_CHARS = 2
_LEAST_BEGINNING, _BEGINNING_ENDING = 4, 3
_PLURALS = (("ies", "y"), ("ses", "s"), ("xes", "x"), ("hes", "h"), ("s", ""))
_HANGUL = ("\uac00", "\ud7a3")
_KATAKANA, _HIRAGANA, _HAN = "katakana", "hiragana", "han"
_GRAM = 3
_UNKNOWN_RUN = 4
"""So many adjacent letters of Thai and the like that no source has in a row count as a word of their own."""


@dataclass(slots=True)
class Evidence:
    """The evidence at a reference: its lines with the headings above (`text`), and their origin (`src`).

    `day` is that on which it was said, empty if unknown; `lines` are the places. `said` are the digests of candidates
    in these lines. `is_plain`: their author has not marked them, and they are not the owner's. `fault` is why the
    reference is no source.
    """

    text: str = ""
    src: str = ""
    day: str = ""
    lines: Sequence[Source] = ()
    said: tuple[str, ...] = ()
    is_plain: bool = False
    fault: str = ""


class Grounds:
    """The words and names of the texts that are evidence for a new text.

    `days` are those on which they were said; `is_small` says whether a word is no name although it begins a sentence.
    """

    def __init__(
        self, texts: Sequence[str], days: Iterable[str] = (), is_small: Callable[[str], bool] | None = None
    ) -> None:
        self._is_small = is_small
        plain = _plain("\n".join(texts))
        self._folded = plain.casefold()
        words = {word for word, _ in _words(plain)}
        self._words = {word.casefold() for word in words}
        self._lower = {word for word in words if word.islower()}
        self._numbers = {form for number in (*_NUMBER.findall(plain), *days) for form in _forms(number)}

    def missing(self, text: str) -> str:
        """Return the first name, number or date of `text` that lacks evidence, empty if none does."""
        plain = _plain(text)
        numbers: list[str] = _NUMBER.findall(plain)
        for number in numbers:
            if self._numbers.isdisjoint((number, _joined(number))):
                return number
        for name in identifiers.of(plain):
            if not _stands_in(name, self._folded):
                return name
        return next((word for word, is_first in _words(plain) if not self._has(word, is_first=is_first)), "")

    def _has(self, word: str, *, is_first: bool) -> bool:
        if similarity.is_unspaced(word[0]):
            return self._has_signs(word)
        has_case = word.lower() != word.upper()
        if has_case and word == word.lower():
            return True
        if not has_case and sum(map(str.isalpha, word)) <= _FREE_LETTERS:  # numbers too, which are checked on their own
            return True
        folded = word.casefold()
        # `Deploying` of `deploy`: the first word of a sentence may be a longer form of a common word.
        begins = [folded[: len(folded) - more] for more in range(_BEGINNING_ENDING + 1)]
        if has_case and is_first and any(len(word) >= _LEAST_BEGINNING and word in self._lower for word in begins):
            return True
        if folded in self._words or any(_is_form(folded, other, has_case=has_case) for other in self._words):
            return True
        if not (has_case and is_first):
            return False
        lower = word.lower()
        forms = [lower, *(lower.removesuffix(ending) + end for ending, end in _PLURALS if lower.endswith(ending))]
        return any(form in self._lower or (self._is_small is not None and self._is_small(form)) for form in forms)

    def _has_signs(self, run: str) -> bool:
        """Return whether the sources have a run of a script without spaces: katakana whole, others mostly."""
        script = _script(run[0])
        if script == _HIRAGANA:
            return True
        if script == _KATAKANA:
            return len(run) == 1 or run in self._folded
        if script == _HAN:
            return all(sign in self._folded for sign in run)
        grams = {self._folded[at : at + _GRAM] for at in range(len(self._folded) - _GRAM + 1)}
        unknown = [True] * len(run)
        for at in range(len(run) - _GRAM + 1):
            if run[at : at + _GRAM] in grams:
                unknown[at : at + _GRAM] = [False] * _GRAM
        return "x" * _UNKNOWN_RUN not in "".join("x" if each else " " for each in unknown)


def _plain(text: str) -> str:
    """Return `text` in one form of width and digits."""
    text = unicodedata.normalize("NFKC", text)
    if text.isascii():
        return text
    return "".join(str(int(char)) if char.isdecimal() else char for char in text)


def _joined(number: str) -> str:
    """Return a number without the signs between thousands."""
    return number.replace(",", "") if _THOUSANDS.fullmatch(number) else number


def _stands_in(name: str, folded: str) -> bool:
    """Return whether a name occurs by itself, and not as a part of a longer one: `x.co` does not in `x.com`."""
    return _alone(name).search(folded) is not None


def _alone(name: str) -> re.Pattern[str]:
    """Return a pattern for a whole name: adjacent letters of its kind belong to it, also after a sign inside a name."""
    before, behind = map(_beside, (name[0], name[-1]))
    return re.compile(rf"(?<!{before})(?<!{before}[.@_]){re.escape(name)}(?![.@_]?{behind})")


def _beside(edge: str) -> str:
    """Return a pattern for the letters that continue a name with this first or last letter."""
    if not edge.isalnum():
        return r"[^\s\S]"
    return "[a-z0-9]" if edge.isascii() else r"[^\W_a-z0-9]"


def _forms(number: str) -> Iterator[str]:
    """Yield other forms of a number: without the signs between thousands, a date shortened, `7/8` as 7 or 8."""
    yield from (number, _joined(number))
    yield from number.split("/")
    if layout.is_day(number):
        yield from (number[:4], number[:7], number[5:])


def _words(plain: str) -> Iterator[tuple[str, bool]]:
    """Yield the words of a text, each with whether it begins a sentence; a run of a script without spaces is one."""
    word = ""
    is_first = begins = True
    for char in f"{plain} ":
        part = char.isalnum() or (char in _JOINTS and word) or letters.is_mark(char)
        if word and (
            not part or (_kind(word[-1]) != _kind(char) and char not in _JOINTS and not letters.is_mark(char))
        ):
            yield word.rstrip(_JOINTS), is_first
            word, begins = "", False
        if part:
            if not word:
                is_first = begins
            word += char
        elif char in _ENDS or char == "\n":
            begins = True


def _kind(char: str) -> str:
    return _script(char) if similarity.is_unspaced(char) else ""


def _script(char: str) -> str:
    if "\u3040" <= char <= "\u309f":
        return _HIRAGANA
    if "\u30a0" <= char <= "\u30ff":
        return _KATAKANA
    return _HAN if "\u3400" <= char <= "\u9fff" or char >= "\U00020000" else "other"


def _is_form(word: str, other: str, *, has_case: bool) -> bool:
    """Return whether two words differ only in their ending, or, without capitals, in what is joined before."""
    shorter, longer = sorted((word, other), key=len)
    extra = len(longer) - len(shorter)
    if has_case:
        return longer.startswith(shorter) and extra <= min(_ENDING_CHARS, len(shorter) - _LEAST_STEM + 1)
    least = 2 if _HANGUL[0] <= word[0] <= _HANGUL[1] else _LEAST_STEM
    if len(shorter) >= least and extra <= _CONTAINED_CHARS and (longer.startswith(shorter) or longer.endswith(shorter)):
        return True
    return len(shorter) > _LEAST_STEM and not extra and shorter[:-1] == longer[:-1]


def plain_words(texts: Iterable[str]) -> set[str]:
    """Return the words that these texts write in lower case: no names, even at the beginning of a sentence."""
    return {word for text in texts for word, _ in _words(text) if word.islower()}
