"""What is left of a chosen entry when a summarizer has told some of its sentences in other words. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from agentws.planning.compaction import claims

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.planning.compaction.asking import Line
    from agentws.planning.compaction.checking import Bullet
    from agentws.planning.compaction.choice import Kept

_TOLD_SHARE = 0.5
_CUT = "\0"
_SEAM = ("…", ";")
"""What may stand on either side of a cut, and goes with it."""
_LEAD = re.compile(r"\d{4}-\d\d-\d\d(?: [^\0]{1,150}:)?")


def of(entry: Kept, said: Sequence[Bullet]) -> Kept | None:
    """The entry without the sentences that bullets tell: as it was where they tell none, None where they tell all."""
    text, told = entry.text, set()
    for line in _cited(entry, said):
        for sentence in line.sentences:
            if sentence in text and _is_told(sentence, line, said):
                text = text.replace(sentence, _CUT, 1)
                told.add(line.place)
    if text == entry.text:
        return entry
    rest = _mended(text)
    # A line of which one sentence is left is still where the entry comes from.
    left = [one for one in entry.sources if (one.path, one.line) not in told or _stands(one.path, one.line, rest, said)]
    worth = round(entry.worth * len(rest) / len(entry.text))
    return replace(entry, text=rest, sources=left, worth=worth) if rest and left else None


def _cited(entry: Kept, said: Sequence[Bullet]) -> Iterator[Line]:
    places = {(source.path, source.line) for source in entry.sources}
    lines = {line.place: line for bullet in said for line in bullet.lines}
    yield from (line for place, line in lines.items() if place in places)


def _is_told(sentence: str, line: Line, said: Sequence[Bullet]) -> bool:
    """True where the bullets that cite its line say most of its words."""
    texts = (bullet.text for bullet in said if any(one.place == line.place for one in bullet.lines))
    words = {term for text in texts for term in claims.terms(text)}
    terms = claims.terms(sentence)
    return sum(claims.shared(term, words) for term in terms) >= _TOLD_SHARE * len(terms)


def _stands(path: str, number: int, text: str, said: Sequence[Bullet]) -> bool:
    """True where another sentence of the line stands in `text`."""
    lines = (line for bullet in said for line in bullet.lines if line.place == (path, number))
    return any(sentence in text for line in lines for sentence in line.sentences)


def _mended(text: str) -> str:
    """A text with gaps where sentences were cut out; empty where nothing but its beginning is left."""
    last = text.count(_CUT)
    pieces = enumerate(text.split(_CUT))
    parts = [part for at, piece in pieces if (part := _trimmed(piece, left=at > 0, right=at < last))]
    lead = _LEAD.fullmatch(parts[0]) if parts else None
    if lead is None:
        return " … ".join(parts)
    return f"{parts[0]} {' … '.join(parts[1:])}" if parts[1:] else ""


def _trimmed(text: str, *, left: bool, right: bool) -> str:
    """A text without what belongs to the cuts beside it."""
    if left:
        text = text.lstrip()
        text = text[1:].lstrip() if text.startswith(_SEAM) else text
    if right:
        text = text.rstrip()
        text = text[:-1].rstrip() if text.endswith(_SEAM) else text
    return text
