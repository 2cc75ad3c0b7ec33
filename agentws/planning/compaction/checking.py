"""A summarizer's answer read and checked against the lines it was asked about: what does not hold is left out. Pure.

A summary that reads well and is not true is worse than none. So a bullet must say where it comes from, and say nothing
that cannot be found there: no name, no number, no date, no denial, and for the most part no other words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.formats import inert, secrets
from agentws.planning.compaction import asking, claims

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from agentws.planning.compaction.asking import Call, Line
    from agentws.planning.compaction.claims import Date

_MARK = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
_NUMBERS = r"#?(\d++(?:\s*+[,;–-]\s*+[L#]?\d++)*+)"
# In round brackets stands what is a part of the text, unless it says that it names lines.
_CITED = re.compile(rf"(?<!\s)\s*+(?:\[(?:(?:lines?|L)\s*+)?{_NUMBERS}\]|\((?:lines?|L)\s*+{_NUMBERS}\))")
_NUMBER = re.compile(r"\d+")
_RANGE = re.compile(r"(?<!\d)(\d++)\s*+[–-]\s*+[L#]?(\d++)")
_IMPORTANCE = re.compile(r"(?:^|\s)!(?:10|[1-9])(?=\s|$)")
_LAZY = re.compile(
    r"(?:the |all )?(?:rest|remain\w*|others?|everything|existing|previous|older|lines|memor\w+|entries|content)\b"
    r"[\w ,'’]{0,60}\b(?:unchanged|same|omitted|kept|truncated|as (?:it (?:was|is)|they (?:were|are)|before|above|is))"
    r"|(?:remains? |stays? |left |is |are )?unchanged(?: from [\w ]{1,40})?"
    r"|(?:the )?same as (?:before|above|already[\w ]{0,30}|previously|in memory)(?: in memory)?"
    r"|(?:there (?:is|are) )?(?:no|nothing) "
    r"(?:changes?|new|updates?|further[\w ]{0,20}|to (?:add|keep|report))[\w ]{0,30}"
    r"|(?:omitted|truncated|continued|and so on|etc|as (?:above|before)|see above)[\w ]{0,40}",
    re.IGNORECASE,
)
_DRESS = " \t*_`~<>[](){}#-+•.:;!…\"'—–"
_ELLIPSES = ("...", "…", "[...]", "[…]", "(...)", "(…)")
_GENERIC = frozenset(
    (
        *(
            "user",
            "agent",
            "assistant",
            "team",
            "we",
            "they",
            "owner",
            "person",
            "people",
            "decided",
            "decision",
            "lesson",
        ),
        *("prefer", "preference", "open", "todo", "plan", "fact", "note", "learn", "agree", "fix", "rule", "promise"),
        *("decid", "pref", "promis", "agre", "need", "want", "like", "use", "us", "important", "remember", "keep"),
    )
)
"""Stems of words that a bullet may begin with, upper case as the first word is, although its lines have them not."""
_CLAUSE = re.compile(r"[,;:–—]\s|\s(?:and|but|und|aber)\s")
_LONGEST_CHARS = 400
_LEAST_SHARE = 0.6
_FEWEST_SHARED = 2


@dataclass(frozen=True, slots=True)
class Bullet:
    """What a summarizer says of some `lines`, and can be found there."""

    text: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """What an answer is good for: the `bullets` that hold, those `refused`, each with why; why `none` of it is used."""

    bullets: tuple[Bullet, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    none: str = ""


def check(answer: str, call: Call) -> Checked:
    """What holds of an answer to this call."""
    if call.is_echoed(answer):
        return Checked(none="it repeats what it was asked")
    lazy = next((line.strip() for line in answer.split("\n") if _is_lazy(line)), "")
    if lazy:
        return Checked(none=f"it leaves the work undone: {inert.one_line(lazy)[:60]}")
    plain = claims.plain_terms(line.shown for line in call.lines)
    kept: dict[str, Bullet] = {}
    refused: list[tuple[str, str]] = []
    for said in _bullets(answer):
        text, lines, why = _cited(said, call)
        why = why or _fault(text, lines, plain)
        if why:
            refused.append((inert.one_line(text), why))
        else:
            kept.setdefault(text.casefold(), Bullet(text, lines))
    none = "" if kept else "nothing in it could be found in the lines" if refused else "there are no bullets in it"
    return Checked(tuple(kept.values()), tuple(refused), none)


def _is_lazy(line: str) -> bool:
    plain = _CITED.sub("", line).strip()
    if not plain:
        return False
    body = _MARK.sub("", plain)
    said = body.strip(_DRESS)
    return (not said and body.strip("`*_ ") in _ELLIPSES) or _LAZY.fullmatch(said) is not None


def _bullets(answer: str) -> Iterator[str]:
    """Each bullet without its mark, its further lines joined to it."""
    parts: list[str] = []
    for line in answer.split("\n"):
        mark = _MARK.match(line)
        if mark or not line.startswith((" ", "\t")) or not line.strip():
            if parts:
                yield " ".join(parts)
            parts = [line[mark.end() :].strip()] if mark else []
        elif parts:
            parts.append(line.strip())
    if parts:
        yield " ".join(parts)


def _cited(said: str, call: Call) -> tuple[str, tuple[Line, ...], str]:
    """(the text without its citations, the lines cited that share a word with it, what is wrong with them)."""
    cited = sorted({number for group in _CITED.findall(said) for number in _expanded("".join(group))})
    text = " ".join(_IMPORTANCE.sub(" ", _CITED.sub("", said)).split()).strip()
    if not cited:
        return text, (), "it cites no line"
    wrong = next((number for number in cited if not 1 <= number <= len(call.lines)), None)
    if wrong is not None:
        return text, (), f"it cites line {wrong}, which there is not"
    if len(cited) > asking.MOST_CITED:
        return text, (), f"it cites more than {asking.MOST_CITED} lines"
    terms = claims.terms(text)
    lines = tuple(line for number in cited if _shares(terms, line := call.lines[number - 1]))
    return text, lines, "" if lines else "it shares no word with what it cites"


def _expanded(group: str) -> list[int]:
    """The numbers of `3, 5-7`; of a range that is too long its ends, and enough of it to be too much."""
    found = [int(number) for number in _NUMBER.findall(group) if len(number) < 9]
    for first, last in _RANGE.findall(group):
        if len(first) < 9 and len(last) < 9:
            found += range(int(first), min(int(last), int(first) + asking.MOST_CITED) + 1)
    return found


def _shares(terms: dict[str, bool], line: Line) -> bool:
    theirs = claims.terms(line.shown)
    return any(claims.shared(term, theirs) for term in terms)


def _fault(text: str, lines: Sequence[Line], plain: Set[str]) -> str:
    """What is wrong with a bullet, empty where nothing is. `plain` are words that are no names in these logs."""
    return _unfit(text) or _invented(text, lines, plain) or _unshared(text, lines) or _turned(text, lines)


def _unfit(text: str) -> str:
    if len(text) > _LONGEST_CHARS:
        return f"it is longer than {_LONGEST_CHARS} characters"
    if inert.inert(text) != text or "<!--" in text:
        return "it holds what nobody would see"
    if secrets.find(text) or secrets.has_placeholder(text):
        return "it looks like it carries a secret"
    return "" if claims.terms(text) else "it says nothing"


def _invented(text: str, lines: Sequence[Line], plain: Set[str]) -> str:
    """The number, date or name that its lines do not have."""
    known = {number for line in lines for number in claims.known_numbers(line.shown)}
    rest = claims.without_dates(text)
    for number in sorted(claims.numbers(rest) - known):
        return f"its lines do not say {number}"
    dates = {date for line in lines for date in _dates(line)}
    for date in sorted(claims.dates(text), key=str):
        if not claims.is_dated(date, dates) and not _is_counted(date, known):
            return f"its lines do not say {_shown(date)}"
    terms = {term for line in lines for term in claims.terms(line.shown)}
    for name in _names(rest, plain):
        if name not in terms:
            return f"its lines do not name {name}"
    return ""


def _dates(line: Line) -> Iterator[Date]:
    """The day of a line, and the dates in it: one without a year is of that year, or of the next one."""
    year, month, day = (int(part) for part in line.day.split("-"))
    yield year, month, day
    for date in claims.dates(line.shown):
        yield date
        if date[0] is None:
            yield (year if date[1] is None or date[1] >= month else year + 1), date[1], date[2]


def _is_counted(date: Date, numbers: set[str]) -> bool:
    """True for what looks like a year and stands there as a number."""
    return date[1] is None and str(date[0]) in numbers


def _shown(date: Date) -> str:
    return "-".join("" if part is None else f"{part:02d}" for part in date).strip("-")


def _names(text: str, plain: Set[str]) -> Iterator[str]:
    """What is written as a name, and the first word, which every bullet writes large, unless it is a `plain` word."""
    terms = claims.terms(text)
    yield from (term for term, is_name in terms.items() if is_name and term not in _GENERIC and not term.isdigit())
    opening = text.lstrip("*_`\"'“‘([")
    if opening[:1].isupper():
        # "The", "In" and "Since" are no terms.
        yield from (term for term in claims.terms(opening.split(None, 1)[0]) if term not in _GENERIC | plain)


def _unshared(text: str, lines: Sequence[Line]) -> str:
    terms = claims.terms(text)
    theirs = {term for line in lines for term in claims.terms(line.shown)}
    found = sum(claims.shared(term, theirs) for term in terms)
    # That Maria is spoken of makes no pilot of her.
    if found < min(len(terms), _FEWEST_SHARED) or found < _LEAST_SHARE * len(terms):
        return "too few of its words are in what it cites"
    return ""


def _turned(text: str, lines: Sequence[Line]) -> str:
    """Whether it denies what its lines say, or says what they deny."""
    sentences = [_nearest(text, line.sentences) for line in lines]
    if claims.denies(text) and not any(map(claims.may_deny, sentences)):
        return "it denies what its lines say"
    clauses = [_nearest(text, _CLAUSE.split(sentence)) for sentence in sentences]
    if not claims.may_deny(text) and all(map(claims.denies, clauses)):
        return "it says what its lines deny"
    return ""


def _nearest(text: str, among: Sequence[str]) -> str:
    """The one that shares the most words with a text."""
    terms = claims.terms(text)

    def shares(other: str) -> int:
        theirs = claims.terms(other)
        return sum(claims.shared(term, theirs) for term in terms)

    return max(among, key=shares)
