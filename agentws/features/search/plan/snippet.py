"""The snippet of a hit: the part of its text that answers, on one line, and the words in it that match. Pure."""

from __future__ import annotations

from agentws.core.text.lazy import Pattern
from agentws.features.search.plan import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.features.search.plan.query import Query

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


def best(text: str, query: Query, most_chars: int) -> str:
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
