"""Text to index terms: folded, stemmed, identifiers whole and in parts, scripts without spaces as bigrams. Pure.

One function makes the terms of units and of questions, so that both meet. A term holds no space and no control.
"""

from __future__ import annotations

import unicodedata

from agentws.formats.text.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = Pattern(r"\w+(?:['’./_:@+#-]+\w+)*[+#]*")
_PARTS = Pattern(r"[^\W_]+")
_UNSPACED = Pattern(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0002fa1f]+"
)
_TIME = Pattern(r"\d{1,2}:\d\d$")
_LONGEST_CHARS = 64
_MOST_KNOWN = 100_000
_VOWELS = "aeiouy"
_ENDS = "sgdye"
"""With what a word ends from which anything is taken."""


class _Known(dict[str, tuple[str, ...]]):
    """The terms of each folded word that was met: most of a text are words that were met before."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        is_plain = word.isascii() and word.isalnum()
        self[word] = found = (stem(word),) if is_plain else tuple(_compound(word))
        return found


_known = _Known()


def of(text: str) -> list[str]:
    """Return the terms of a text, in order, each as often as it stands there."""
    found: list[str] = []
    extend = found.extend
    for terms in map(_known.__getitem__, _WORD.findall(folded(text))):
        extend(terms)  # takes half as long as chaining them
    return found


def folded(text: str) -> str:
    """Return a text without differences of case and width; accents of Latin letters are dropped."""
    if text.isascii():
        return text.lower()
    return "".join(_base(char) for char in unicodedata.normalize("NFKC", text).casefold())


def stem(word: str) -> str:
    """Return the stem of an ASCII word in lower case; one with a digit is its own."""
    return _stemmed(word[:_LONGEST_CHARS])


def _base(char: str) -> str:
    if "\u00c0" <= char <= "\u024f":
        return unicodedata.normalize("NFD", char)[0]
    return char


def _compound(word: str) -> Iterator[str]:
    """The terms of a word with signs in it or of another script: the whole of it and its parts."""
    if any(char in word for char in "./_:@+#-"):
        yield word[:_LONGEST_CHARS]
        if _TIME.match(word):
            return  # most entries begin with one: its hour and its minute tell nothing
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
    """Return the pairs of neighbours in a run of signs, the sign itself where it stands alone."""
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
