"""What a sentence claims that can be compared with its sources: words, names, numbers, dates, a denial. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentws.planning.compaction.words import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    Date = tuple[int | None, int | None, int | None]
    """Year, month, day; None where it is not said."""

_MONTHS = (
    "jan(?:uary|uar)?", "feb(?:ruary|ruar)?", "mar(?:ch)?|märz", "apr(?:il)?", "may|mai", "june?|juni?", "july?|juli?",
    "aug(?:ust)?", "sept?(?:ember)?", "o[ck]t(?:ober)?", "nov(?:ember)?", "de[cz](?:ember)?",
)  # fmt: skip
_MONTH = "|".join(f"(?P<m{number}>{names})" for number, names in enumerate(_MONTHS, 1))
# Upper case tells the month of May from what may be; `(?i:…)` lets the rest of a name be written anyhow.
_WRITTEN = re.compile(
    r"(?:\b(?P<before>\d{1,2})(?:st|nd|rd|th|\.)?(?: of)? )?\b(?=[A-ZÄÖÜ])(?i:" + _MONTH + r")\b\.?"
    r"(?: (?P<behind>\d{1,2})(?:st|nd|rd|th)?(?!\d|[.:,]\d|%))?(?:,? (?P<year>(?:19|20)\d\d)\b)?"
)
_ISO = re.compile(r"(?<![\d-])((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?(?![\d-])")
_YEAR = re.compile(r"(?<![\d.,:/-])((?:19|20)\d\d)(?![\d:/-]|[.,]\d)")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W\d_]+")
_COUNTED = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50",
    "hundred": "100", "thousand": "1000", "million": "1000000",
}  # fmt: skip
_DENIED = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|without|neither|nor|cannot|\w+n['’]t|nicht|kein\w*|nie|niemals|ohne)\b",
    re.IGNORECASE,
)
_TURNED_DOWN = re.compile(
    r"\b(?:instead|rather|avoid\w*|stop\w*|quit|refus\w+|reject\w+|declin\w+|cancel\w*|fail\w*|lack\w*|miss\w*|unable|"
    r"against|unless|until|only|except|dropped|removed|deleted|broken?|statt|außer|nur)\b",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’]s\b")
_LITTLE = frozenset(
    (
        *("since", "sinc", "she", "her", "his", "him", "them", "whom", "whose", "while", "after", "befor", "before"),
        *("during", "dur", "about", "because", "becaus", "still", "already", "only", "there", "here", "where", "does"),
        *("doe", "did", "being", "said", "say", "told", "each", "other", "both", "some", "any", "very", "much", "many"),
    )
)


def terms(text: str) -> dict[str, bool]:
    """The words of `text` that carry meaning, stemmed, each with whether it is written as a name.

    Scripts without spaces between their words are taken apart into pairs of characters.
    """
    found: dict[str, bool] = {}
    for word, is_name in words(_POSSESSIVE.sub("", text)).items():
        if _has_no_case(word):
            found.update(dict.fromkeys((word[at : at + 2] for at in range(max(1, len(word) - 1))), False))
        elif word not in _LITTLE:
            found[word] = found.get(word, False) or is_name
    return found


def plain_terms(texts: Iterable[str]) -> frozenset[str]:
    """The words, stemmed, that these texts write in lower case somewhere: they are no names."""
    return frozenset(terms(" ".join(word for text in texts for word in _WORD.findall(text) if word[0].islower())))


def _has_no_case(word: str) -> bool:
    return not word.isascii() and word.isalpha() and word.lower() == word.upper()


def shared(term: str, among: Collection[str]) -> bool:
    """True where a word stands among others, in whatever form: `liv` and `live` are one."""
    if term in among:
        return True
    return len(term) >= 3 and any(
        len(other) >= 3 and abs(len(other) - len(term)) <= 3 and (other.startswith(term) or term.startswith(other))
        for other in among
    )


def dates(text: str) -> set[Date]:
    """The dates in a text, as far as each of them is said; a year alone is one too."""
    found: set[Date] = {(int(y), int(m), int(d) if d else None) for y, m, d in _ISO.findall(text)}
    rest = _ISO.sub(" ", text)
    found |= set(_written(rest))
    return found | {(int(year), None, None) for year in _YEAR.findall(_WRITTEN.sub(" ", rest))}


def _written(text: str) -> Iterator[Date]:
    for match in _WRITTEN.finditer(text):
        month = next(number for number in range(1, 13) if match[f"m{number}"])
        day = match["before"] or match["behind"]
        yield int(match["year"]) if match["year"] else None, month, int(day) if day else None


def without_dates(text: str) -> str:
    """A text with a space in place of each date."""
    return _YEAR.sub(" ", _WRITTEN.sub(" ", _ISO.sub(" ", text)))


def is_dated(claimed: Date, known: Collection[Date]) -> bool:
    """True where one of the dates that are `known` is the one that is claimed, or says it more exactly."""
    return any(all(mine in (None, theirs) for mine, theirs in zip(claimed, date, strict=True)) for date in known)


def numbers(text: str) -> set[str]:
    """The numbers in a text, in one form each; those written as words among them."""
    plain = _THOUSANDS.sub("", text)
    found = {_plain(number) for number in _NUMBER.findall(plain)}
    return found | {_COUNTED[word] for word in _WORD.findall(text.lower()) if word in _COUNTED}


def known_numbers(text: str) -> set[str]:
    """The numbers that a source gives: the day in `May 3` is one, those of `2026-05-03` are none."""
    return numbers(_ISO.sub(" ", text))


def _plain(number: str) -> str:
    return number.lstrip("0") or "0" if number.isdigit() else number


def denies(text: str) -> bool:
    """True where it is said that something is not so."""
    return _DENIED.search(text) is not None


def may_deny(text: str) -> bool:
    """True where it is said that something is not so, or is so no more, or something else is."""
    return denies(text) or _TURNED_DOWN.search(text) is not None
