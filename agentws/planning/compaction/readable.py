"""Sentences of one note put together until each can be read alone: none begins in the middle, none ends at a colon."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from agentws.planning.compaction import kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.compaction.units import Source, Unit

MOST_CHARS = 300
"""What would be longer stays apart, or is left out where it cannot stand alone."""
_LEANS = re.compile(
    r"(?:this|these|those|that|it|its|they|their|he|she|his|her|each|both|and|but|or|so|then|also|instead|because|"
    r"which|however|therefore|otherwise|returns|now|next|same|dies|das|diese|und|aber|auch|dann)\b(?!\W*:)",
    re.IGNORECASE,
)
_SMALL = re.compile(r"[a-z]{3,}\b(?![._/-]\w)")
_PRONOUN = re.compile(
    r"(?:it|its|they|their|these|those|this|that|which|and|but|or|so)\b(?! (?:week|month|year))(?!\W*:)", re.IGNORECASE
)
_PAIRS = (("(", ")"), ("“", "”"), ("[", "]"))
_QUOTE = re.compile(r'(?<!\d)"')
"""One that is not the sign of inches."""
_CONTRAST = re.compile(
    r"^(?:(?:problem|root cause|cause|fix(?:ed)?|lesson|solution|finding|hypothesis|resolution|symptom|result|"
    r"action|status|impact|why|decision)\**+|actual\b.*):",
    re.IGNORECASE,
)


def joined(units: Sequence[Unit]) -> list[Unit]:
    """The units of one note, in order, each with what it cannot be read without; those that stay cut off are left out.

    What belongs to one paragraph, or one item of a list, is one unit where it is short enough.
    """
    found: list[Unit] = []
    for unit in units:
        before = found[-1] if found else None
        leans = _leans(unit.text, is_first=before is None)
        if before is None or unit.about != before.about:
            if not leans:
                found.append(unit)
        elif leans or is_cut_off(before.text) or unit.sources == before.sources:
            if len(before.text) + len(unit.text) < MOST_CHARS:
                found[-1] = _together(before, unit)
            elif not leans:
                found.append(unit)
        else:
            found.append(unit)
    return [unit for unit in found if not is_cut_off(unit.text)]


def is_cut_off(text: str) -> bool:
    """True where something must follow: after a colon, a comma, inside brackets or quotation marks."""
    end = text.rstrip("*_ ")
    if end.endswith((":", ",")) or ('"' in text and len(_QUOTE.findall(text)) % 2):
        return True
    return any(left in text and text.count(left) > text.count(right) for left, right in _PAIRS)


def _leans(text: str, *, is_first: bool) -> bool:
    if is_first:
        return _PRONOUN.match(text) is not None
    return _LEANS.match(text) is not None or _CONTRAST.match(text) is not None or _SMALL.match(text) is not None


def _together(one: Unit, other: Unit) -> Unit:
    gap = " " if one.text.endswith((".", "!", "?", ":", ";", "…", "。", ",")) else "; "
    sources: dict[Source, None] = dict.fromkeys((*one.sources, *other.sources))
    is_open = False in (one.done, other.done)
    return replace(
        one,
        text=f"{one.text}{gap}{other.text}",
        sources=tuple(sources),
        kind=kinds.TODO if is_open else one.kind,
        done=False if is_open else one.done,
    )
