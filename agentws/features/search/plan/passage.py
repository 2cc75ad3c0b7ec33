"""The passage of a unit that answers best, and its snippet on one line, with the words that match. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentws.core.text.lazy import Pattern
from agentws.features.search.plan import terms
from agentws.features.search.plan.query import Query

_WHOLE_CHARS = 520
_MOST_CHARS = 440
_LEAST_CHARS = 400
_LONG_LINE_CHARS = 200
_WORD_CHARS = 30
_SENTENCE = Pattern(r"(?<=[.!?…])[\"')\]]*\s+|(?<=[。！？])")

Piece = tuple[int, int, set[str]]


class Passage:
    """A passage: its `text`, and the lines of the whole text in which it begins and ends (`first`, `last`, from 0)."""

    __slots__ = ("first", "last", "text")

    def __init__(self, whole: str, start: int, end: int) -> None:
        self.text = whole[start:end]
        self.first = whole.count("\n", 0, start)
        self.last = self.first + self.text.count("\n")


def best(text: str, weights: Mapping[str, float]) -> Passage:
    """Return the passage of a text whose terms weigh most together."""
    if len(text) <= _WHOLE_CHARS:
        return Passage(text, 0, len(text))
    pieces = [
        (start, end, {term for term in terms.of(text[start:end]) if term in weights}) for start, end in _cut(text)
    ]
    first, behind = _heaviest(pieces, weights)
    start, end = _grown(pieces, first, behind)
    if end - start < _LEAST_CHARS:
        start, end = _filled(text, start)
    return Passage(text, start, end)


def _cut(text: str) -> list[tuple[int, int]]:
    """Return (begin, end) of the lines of a text, and of the sentences in long lines."""
    result = []
    at = 0
    for line in text.split("\n"):
        begin = 0
        ends = [match.end() for match in _SENTENCE.compiled.finditer(line)] if len(line) > _LONG_LINE_CHARS else []
        for end in (*ends, len(line)):
            while end - begin > _MOST_CHARS:
                space = line.rfind(" ", begin + 1, begin + _MOST_CHARS)
                stop = space if space > 0 else begin + _MOST_CHARS
                result.append((at + begin, at + stop))
                begin = stop
            if end > begin:
                result.append((at + begin, at + end))
                begin = end
        at += len(line) + 1
    return result


def _heaviest(pieces: Sequence[Piece], weights: Mapping[str, float]) -> tuple[int, int]:
    """Return (first, behind) of the adjacent pieces that weigh most and are not too long together."""
    most, span = -1.0, (0, 1)
    for first, (start, _, _) in enumerate(pieces):
        held: set[str] = set()
        behind = first
        while behind < len(pieces) and (behind == first or pieces[behind][1] - start <= _MOST_CHARS):
            held |= pieces[behind][2]
            behind += 1
        if (weight := sum(weights[term] for term in sorted(held))) > most:
            most, span = weight, (first, behind)
    first, behind = span
    while first < behind - 1 and not pieces[first][2]:
        first += 1
    while behind - 1 > first and not pieces[behind - 1][2]:
        behind -= 1
    return first, behind


def _grown(pieces: Sequence[Piece], first: int, behind: int) -> tuple[int, int]:
    """Return (start, end) of these pieces with as many more as there is room for, those behind them first."""
    while behind < len(pieces) and pieces[behind][1] - pieces[first][0] <= _MOST_CHARS:
        behind += 1
    while first and pieces[behind - 1][1] - pieces[first - 1][0] <= _MOST_CHARS:
        first -= 1
    return pieces[first][0], pieces[behind - 1][1]


def _filled(text: str, start: int) -> tuple[int, int]:
    """Return (start, end) of a passage of the least length from `start` on, or at the end, cut between words."""
    if len(text) - start >= _LEAST_CHARS:
        end = start + _LEAST_CHARS
        space = text.find(" ", end, end + _WORD_CHARS)
        return start, end if space < 0 else space
    begin = len(text) - _LEAST_CHARS - _WORD_CHARS
    space = text.find(" ", begin, begin + _WORD_CHARS)
    return (begin if space < 0 else space + 1), len(text)


_WORD = Pattern(rf"[{terms.LETTER}'’]+")
_CUT = "…"
_MUCH = 0.4
"""A word is weighty if it has this share of the heaviest match's weight."""


def matches(text: str, query: Query) -> list[tuple[int, int]]:
    """Return (start, end) of the words in a hit's text or snippet that match the query, in order."""
    wanted = {*query.terms, *(term for phrase in query.phrases for term in phrase)}
    result: list[tuple[int, int]] = []
    for word in _WORD.compiled.finditer(text):
        own = terms.of(word.group())
        if wanted.intersection(own) or (query.prefixes and terms.begins(word.group(), query.prefixes)):
            result.append(word.span())
    return result


def telling(text: str, query: Query, weights: Mapping[str, float]) -> list[tuple[int, int]]:
    """Return (start, end) of the matches in a text that are weighty beside the heaviest; words of phrases always are.

    `weights` is the weight of each term.
    """
    hits = [(start, end, terms.of(text[start:end])) for start, end in matches(text, query)]
    heaviest = [max((weights[term] for term in own if term in weights), default=None) for _, _, own in hits]
    least = _MUCH * max((weight for weight in heaviest if weight is not None), default=0.0)
    return [
        (start, end)
        for (start, end, _), weight in zip(hits, heaviest, strict=True)
        if weight is None or weight >= least
    ]


def snippet(text: str, query: Query, most_chars: int) -> str:
    """Return the snippet of a text, on one line, with the most matches of the query; the whole text if it fits."""
    line = " ".join(text.split())
    if len(line) <= most_chars:
        return line
    start = _densest(matches(line, query), most_chars)
    start = 0 if start < most_chars // 4 else line.find(" ", max(0, start - most_chars // 4)) + 1
    end = start + most_chars
    if end < len(line):
        end = max(line.rfind(" ", start, end), start + most_chars // 2)
    return f"{_CUT + ' ' if start else ''}{line[start:end]}{' ' + _CUT if end < len(line) else ''}"


def _densest(spans: Sequence[tuple[int, int]], width: int) -> int:
    """Return the start of the window of `width` characters that holds the most of these spans."""
    most, position, behind = 0, 0, 0
    for at, (start, _) in enumerate(spans):
        behind = max(behind, at)
        while behind < len(spans) and spans[behind][1] <= start + width:
            behind += 1
        if behind - at > most:
            most, position = behind - at, start
    return position
