"""Text to index terms: folded, stemmed, identifiers whole and in parts, scripts without spaces as bigrams. Pure.

One function makes the terms of units and of questions, so that they match. A term has no spaces or control characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from agentws.core.text.lazy import Pattern

_MARKS = (
    r"\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u0e30-\u0e4e\u0eb0-\u0ece"
    r"\u102b-\u103e\u1056-\u109d\u17b4-\u17d3"
)
"""Accents, points and vowel signs, which belong to their word: `\\w` alone would tear it apart at each."""
LETTER = rf"\w{_MARKS}"
"""The characters of words, for use within the brackets of a pattern."""
_WORD = Pattern(rf"[{LETTER}]+(?:['’./_:@+#-]+[{LETTER}]+)*[+#]*")
_PARTS = Pattern(rf"(?:[^\W_]|[{_MARKS}])+")
_UNSPACED = Pattern(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0002fa1f]+"
)
_TIME = Pattern(r"\d{1,2}:\d\d$")
_ACCENTED = (("\u00c0", "\u024f"), ("\u0370", "\u03ff"), ("\u1e00", "\u1fff"))
"""Letters of Latin and Greek, whose accents are dropped."""
_POINTS = (("\u0300", "\u036f"), ("\u0591", "\u05c7"), ("\u064b", "\u0670"))
"""Ranges of combining accents, and of the points of Hebrew and Arabic."""
_STROKES = dict(zip(map(ord, "łøđħıœæ"), ("l", "o", "d", "h", "i", "oe", "ae"), strict=True))
_LONGEST_CHARS = 64
_MOST_KNOWN = 100_000
_VOWELS = "aeiouy"
_ENDS = "sgdye"
"""The last letters of words that are stemmed at all."""
_TAKEN = ("lyings", "lying", "lyed", "lies", "elys", "ely", "es", "e")
"""Endings that a stem may lack."""


class _Known(dict[str, tuple[str, ...]]):
    """A cache of the terms of folded words: most words of a text were seen before."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        is_plain = word.isascii() and word.isalnum()
        self[word] = result = (stem(word),) if is_plain else tuple(_compound(word))
        return result


_known = _Known()


class _Bases(dict[int, str]):
    """A cache of the base letter of each letter, by code point."""

    def __missing__(self, code: int) -> str:
        if not self:
            from agentws.core.notes.vocabulary import LETTERS  # ASCII text does without them

            self.update(LETTERS)
            self.update(_STROKES)
            return self[code]
        char = chr(code)
        is_accented = any(first <= char <= last for first, last in _ACCENTED)
        base = unicodedata.normalize("NFD", char)[0] if is_accented else char
        is_point = any(first <= char <= last for first, last in _POINTS) and unicodedata.combining(char)
        self[code] = result = "" if is_point else _STROKES.get(ord(base), base)
        return result


_bases = _Bases()


def of(text: str) -> list[str]:
    """Return the terms of a text, in order, with repetitions."""
    result: list[str] = []
    extend = result.extend
    for terms in map(_known.__getitem__, _WORD.findall(folded(text))):
        extend(terms)  # takes half as long as chaining them
    return result


def folded(text: str) -> str:
    """Fold a text before it is split into terms: no differences of case and width, no accents often left out."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold().translate(_bases)


def begins(text: str, prefixes: tuple[str, ...]) -> bool:
    """Return whether a word of a text, not only its term, begins with one of these folded prefixes."""
    whole = folded(text)
    for prefix in prefixes:
        # In a script without spaces a word may begin anywhere.
        anywhere = bool(_UNSPACED.compiled.match(prefix))
        at = whole.find(prefix)
        while at >= 0:
            if anywhere or not at or not _is_of_a_word(whole[at - 1]):
                return True
            at = whole.find(prefix, at + 1)
    return False


def _is_of_a_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")


def shorter_stems(prefix: str) -> set[str]:
    """Return the stems of words that begin with a folded prefix, where the stems do not: "copi" of "copy"."""
    if not (prefix.isascii() and prefix.isalpha()):
        return set()
    rests = {ending[at:] for ending in _TAKEN for at in range(len(ending) + 1)}
    return {text for text in (stem(prefix + rest) for rest in rests) if not text.startswith(prefix)}


def stem(word: str) -> str:
    """Return the stem of an ASCII word in lower case, its term; a word with a digit is its own stem."""
    return _stemmed(word[:_LONGEST_CHARS])


def _compound(word: str) -> Iterator[str]:
    """Yield the terms of a word with signs in it or of another script: the whole word and its parts."""
    if any(char in word for char in "./_:@+#-"):
        yield word[:_LONGEST_CHARS]
        if _TIME.match(word):
            return  # most entries begin with a time: hour and minute alone are not an useful terms
    for part in _PARTS.findall(word.replace("'s", "").replace("’s", "")):
        if part.isascii():
            yield stem(part)
            continue
        at = 0
        for run in _UNSPACED.compiled.finditer(part):
            if run.start() > at:
                yield part[at : run.start()][:_LONGEST_CHARS]
            yield from bigrams(run.group())
            at = run.end()
        if at < len(part):
            yield part[at:][:_LONGEST_CHARS]


def bigrams(run: str) -> list[str]:
    """Return the terms of a run in a script without spaces: bigrams of neighbours, or the single sign itself."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _stemmed(word: str) -> str:
    if word[-1:] not in _ENDS or len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) > 2 and any(char in _VOWELS for char in rest):
            if rest[-1] == rest[-2] and rest[-1] not in "lsz":
                rest = rest[:-1]
            word = rest
            break
    if len(word) > 5 and word.endswith("ly"):
        word = word[:-2]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word
