"""Wanted: the texts to forget, literal texts and names in any of their forms, and the search for them. Pure."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from agentws.core import several
from agentws.core.text import words as _words
from agentws.errors import UsageError

Fold = Callable[[str], str]


_SHORTEST = 2
_APART = " \0 "
"""A separator that no match crosses."""
_PIECE_CHARS = 1 << 16
_OVERLAP_CHARS = 1 << 12
"""A long text is searched in overlapping pieces to save memory; no encoded name is longer than the overlap."""
_LEGIBLE = re.compile("[^\x00-\x08\x0e-\x1b\x7f\udc80-\udcff]+")
"""Runs of text between control characters and bytes that are no UTF-8."""
_DIVIDED = re.compile(r"(?<=[^\W\d_])[-‐] (?=[^\W\d_])")
"""A hyphen at the end of a line, in the middle of a word."""
_DIVIDED_CHARS = 2
_EDGE = "x"
"""Stands for the part of a word that was cut off, so that no word begins or ends at the cut."""


class _Sought:
    """A pattern to search for in folded texts, and a `word` that every match contains."""

    __slots__ = ("pattern", "word")

    def __init__(self, pattern: str, words: Iterable[str]) -> None:
        self.pattern = re.compile(pattern)
        self.word = max(words, key=len)

    def among(self, folded: str) -> Iterator[re.Match[str]]:
        """Return the matches in a folded text."""
        return self.pattern.finditer(folded) if self.word in folded else iter(())


class Wanted:
    """The texts to forget: each of `matching` word for word, each of `subjects` as a name, in any case of letters.

    A name matches as whole words: possessive or not, with or without accents, joined as in addresses and file names.
    Both match in any encoding (docs/guides/forgetting.md), and in any normal form of Unicode.
    """

    __slots__ = ("_folds", "_hints", "_shortest", "matching", "subjects")

    def __init__(self, *, matching: str | Sequence[str] = (), subjects: str | Sequence[str] = ()) -> None:
        self.matching = [" ".join(text.split()) for text in several(matching)]
        self.subjects = [" ".join(text.split()) for text in several(subjects)]
        if not self.matching and not self.subjects:
            raise UsageError("Name what to forget.", hint="--matching TEXT, or --subject NAME")
        # A text from outside with its own backslashes is stored with more of them.
        texts = [
            _text(_checked(item)) for text in self.matching for item in dict.fromkeys((text, _words.unescaped(text)))
        ]
        spelt = [_name(each) for name in self.subjects for each in spellings(_checked(name))]
        reversed_ = [(parts[-1], " ".join(parts[:-1])) for parts in self._parts() if len(parts) > 1]
        spelt += [_name(f"{last},{blank}{first}") for last, first in reversed_ for blank in ("", " ")]
        spelt += [_Sought(_slug_pattern(slug), [slug]) for name in self.subjects for slug in _slugs(name)]
        self._folds = [(fold, some) for fold, some in ((_words.literal, texts), (_words.plain, spelt)) if some]
        self._shortest = min(len(target.word) for target in [*texts, *spelt])
        self._hints = [_longest(target.word) for target in [*texts, *spelt] if target.word.isascii()]

    def _parts(self) -> list[Sequence[str]]:
        """Return the words of each wanted name in each of its spellings."""
        return [words_of(each) for name in self.subjects for each in spellings(name)]

    def is_in(self, text: str) -> bool:
        """Return whether `text` contains any wanted text, in any form."""
        return any(self._is_in(" ".join(piece.split())) for piece in _pieces(text))

    def may_be_in(self, stored: bytes) -> bool:
        """Return whether stored ASCII JSON may contain a wanted text, before it is decoded."""
        plain = stored.lower()
        may = any(hint in plain for hint in self._hints) or _words.may_be_encoded(plain) or b"-\\n" in plain
        return may and self.is_in(stored.decode("utf-8", "surrogateescape"))

    def forms(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the forms of each wanted text by which it is kept out; parts of words count as those in `lines`."""
        folded = [token[0] for tokens in _words.readings(lines) for token in tokens] if self.matching else []
        sequences = [[text, *_around(_words.of(text), folded)] for text in self.matching]
        return sequences + [_spelt_out(name) for name in self.subjects]

    def legible(self, text: str) -> str:
        """Return the runs of a text with non-text bytes that may contain a wanted text.

        No match crosses such a byte, and no ASCII match is shorter than its folded form, in any encoding.
        """
        runs = _LEGIBLE.findall(text)
        return _APART.join([run for run in runs if len(run) >= self._shortest or not run.isascii()])

    def is_in_value(self, value: object) -> bool:
        """Return whether any text, number or key within a JSON value contains a wanted text."""
        return self.is_in(_APART.join(_texts(value)))

    def among(self, lines: Sequence[str]) -> set[int]:
        """Return the indices of the lines with a wanted text, read as one text, so that a match may span lines."""
        result = {index for index, line in enumerate(lines) if len(line) > _PIECE_CHARS and self.is_in(line)}
        joined = [" ".join(_ends(line.lstrip(" \t>") if index else line).split()) for index, line in enumerate(lines)]
        read = [[*_words.views(line)] for line in joined]
        for depth in range(max(map(len, read), default=0)):
            result |= self._lines([each[min(depth, len(each) - 1)] for each in read])
        return result

    def _lines(self, lines: Sequence[str]) -> set[int]:
        result: set[int] = set()
        for fold, sought in self._folds:
            folded = [fold(line) for line in lines]
            starts = [0, *accumulate(len(line) + 1 for line in folded)]
            text = " ".join(folded)
            for read, gaps in _joined(text):
                for match in (match for target in sought for match in target.among(read)):
                    first, last = match.start(), max(match.start(), match.end() - 1)
                    first, last = (place + _DIVIDED_CHARS * bisect_right(gaps, place) for place in (first, last))
                    result.update(range(bisect_right(starts, first) - 1, bisect_right(starts, last)))
        return result

    def _is_in(self, text: str) -> bool:
        for view in _words.views(text):
            for fold, sought in self._folds:
                readings = (read for read, _ in _joined(fold(view)))
                if any(True for read in readings for target in sought for _ in target.among(read)):
                    return True
        return False


def _joined(folded: str) -> Iterator[tuple[str, list[int]]]:
    """Yield a folded text, and again with words joined that a hyphen divides at the end of a line.

    With each come the places in it at which characters were taken out.
    """
    yield folded, []
    gaps = [gap.start() for gap in _DIVIDED.finditer(folded)] if "- " in folded or "‐ " in folded else []
    if gaps:
        yield _DIVIDED.sub("", folded), [place - _DIVIDED_CHARS * number for number, place in enumerate(gaps)]


def _text(text: str) -> _Sought:
    words = _words.literal(text).split()
    return _Sought("[ +]".join(map(re.escape, words)), words)


def _name(spelt: str) -> _Sought:
    return _Sought(_name_pattern(spelt), words_of(spelt))


def _around(sought: Sequence[str], tokens: Sequence[str]) -> Iterator[str]:
    """Yield the whole words in a text with these words, of which the first and the last one may be parts."""
    if not sought:
        return
    first, last, size = sought[0], sought[-1], len(sought)
    for at, token in enumerate(tokens):
        window = tokens[at : at + size]
        if size == 1:
            is_in = first in token
        else:
            is_in = token.endswith(first) and window[-1].startswith(last) and window[1:-1] == [*sought[1:-1]]
        if is_in and len(window) == size:
            yield " ".join(window)


def _spelt_out(name: str) -> list[str]:
    """Return a name in its spellings, as one word, with its last word first, and as file names have it."""
    names = [*spellings(name)]
    for parts in [words_of(each) for each in names]:
        names += ["".join(parts), " ".join([parts[-1], *parts[:-1]])] if len(parts) > 1 else []
    return [*dict.fromkeys([*names, *_slugs(name)])]


def _checked(text: str) -> str:
    if len(text) < _SHORTEST or not any(char.isalnum() for char in _words.plain(text)):
        raise UsageError(f"{text!r} is too short: it would match everywhere.", hint="Give a whole word or more.")
    return text


def _longest(word: str) -> bytes:
    """Return the longest part of a word that JSON writes unescaped."""
    return max(re.split(r'["\\]', word), key=len).encode()


def _pieces(text: str) -> Iterator[str]:
    """Yield the text in overlapping pieces, cut between words if possible."""
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
    """Return the two ends of a long line, which are all that a match across lines can touch."""
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


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})
_BETWEEN = r"[\s*_`~+]+|[-‐–]\s?|\s?\|\s?|\]\([^()\s]{0,999}\)[\s*_]?|[.'’·・፡་]|"
"""Text that may be between the words of a name: `Sam Tester`, `sam_tester`, `sam.tester@…`, `**Sam** Tester`,
`Sam | Tester`, `[Sam](address) Tester`.
"""

_OPEN = re.compile(f"[{_words.WITHOUT_BLANKS}]")
_OPEN_BEHIND = re.compile(f"[{_words.WITHOUT_BLANKS}{_words.WITH_ENDINGS}]")
_IS_HANGUL, _IS_INDIC = re.compile(f"[{_words.HANGUL}]"), re.compile(f"[{_words.INDIC}]")
_IS_ARABIC, _IS_HEBREW = re.compile(f"[{_words.ARABIC}]"), re.compile(f"[{_words.HEBREW}]")

_LETTER = rf"[^\W_{_words.WITHOUT_BLANKS}{_words.WITH_ENDINGS}]"
"""A letter or digit of a script in which a name is a whole word."""
_SURNAME = rf"(?<![{_words.HANGUL}])[{_words.HANGUL}]{{0,{_words.MOST_BEFORE}}}?"
"""In Korean the family name, one syllable or two, is written right before the other name."""
_PREFIXES = {
    _IS_ARABIC: f"[{_words.ARABIC_PREFIXES}]{{0,{_words.MOST_BEFORE}}}",
    _IS_HEBREW: f"[{_words.HEBREW_PREFIXES}]{{0,{_words.MOST_BEFORE}}}",
}


def spellings(name: str) -> Sequence[str]:
    """Return the spellings of a wanted name without accents: Müller is Muller, and Mueller."""
    out = _words.plain(unicodedata.normalize("NFC", name).casefold().translate(_UMLAUTS))
    return [*dict.fromkeys((_words.plain(name), out))]


def words_of(name: str) -> Sequence[str]:
    """Return the words of a wanted name's spelling, each with its marks."""
    inside = "".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in name).split()
    # In the scripts of India an ending takes the place of the mark that no vowel follows.
    bare = inside[-1].rstrip(_words.VIRAMAS)
    return [*inside[:-1], bare or inside[-1]]


def _name_pattern(name: str) -> str:
    """Return the pattern of a spelling from `spellings`, for texts folded by `encodings.plain`."""
    parts = words_of(name)
    inside, rest = [re.escape(parts[0])], name.partition(parts[0])[2]
    for before, part in pairwise(parts):
        apart, _, rest = rest.partition(part)
        between = "[ +]".join(map(re.escape, apart.split(" ")))
        initial = r"\. |" if len(before) == 1 else ""  # a full stop, behind a whole word the end of a sentence
        inside.append(f"(?:{between}|{initial}{_BETWEEN}){re.escape(part)}")
    return f"{_before(parts[0][0])}{''.join(inside)}{_after(parts[-1])}"


def _slugs(name: str) -> Sequence[str]:
    """Return the slugs of a name with marks as file names have them: `-` for each mark, composed or decomposed."""
    names = []
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, name.casefold())
        apart = "".join(char if char.isalnum() else " " for char in text).split()
        names.append(_words.plain("-".join(apart)))
    return [each for each in dict.fromkeys(names) if each != "-".join(words_of(_words.plain(name)))]


def _slug_pattern(slug: str) -> str:
    """Return the pattern of a slug from `_slugs`."""
    return rf"(?<![^\W_]){re.escape(slug)}(?![^\W_])"


def _before(letter: str) -> str:
    if _OPEN.match(letter):
        return ""
    if _IS_HANGUL.match(letter):
        return _SURNAME
    if _IS_INDIC.match(letter):
        return f"(?<![{_words.INDIC}])"
    prefixes = next((each for script, each in _PREFIXES.items() if script.match(letter)), "")
    own = r"[^\W_]" if _OPEN_BEHIND.match(letter) else _LETTER
    return f"(?<!{own}){prefixes}"


def _after(word: str) -> str:
    if _OPEN_BEHIND.match(word[-1]):
        return ""
    return rf"(?:s(?=['’]))?(?!{_LETTER})"
