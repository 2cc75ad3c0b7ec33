"""The tags at the end of a unit's first line: those that say who may hear it never get lost in a merge. Pure.

What a side has told its own people alone stays so, also where the other side has edited the words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.formats import audience
from agentws.core.markdown import notes

if TYPE_CHECKING:
    from collections.abc import Iterable

PRIVATE = "private"
_TAG, _SHARED = f"#{PRIVATE}", f"#{audience.TAG}"
_MARKS = ("#", "!", "^")
_ORIGIN = " (via "


def plain(text: str) -> str:
    """Return a text without what says who may hear it: the same entry, whoever may."""
    if "#" not in text:
        return text
    words, found, end = _cut(_first(text))
    kept = [tag for tag in found if tag.casefold() not in (_TAG, _SHARED)]
    return text if len(kept) == len(found) else _joined(words, kept, end) + text[len(_first(text)) :]


def is_private(text: str) -> bool:
    """Return whether a text is kept from a shared audience, whatever stands above it."""
    return notes.has_label(text, (PRIVATE,))


def narrowed(base: str | None, *sides: str) -> list[str]:
    """Return the sides of a unit, each for the narrowest audience of them, with the tags that either has added."""
    if all("#" not in side for side in sides):
        return [*sides]
    ends = [_cut(_first(side))[1] for side in sides]
    known = {tag.casefold() for tag in (_cut(_first(base))[1] if base is not None else ())}
    new = [tag for end in ends for tag in end if base is not None and tag[0] == "#" and tag.casefold() not in known]
    wanted = sorted({tag for tag in new if tag.casefold() not in (_TAG, _SHARED)})
    wanted += [_TAG] if any(is_private(side) for side in sides) else []
    is_shared = all(audience.of_entry(_first(side)) == audience.SHARED for side in sides)
    return [_with(side, wanted, is_shared=is_shared) for side in sides]


def below(text: str, headings: Iterable[str]) -> str:
    """Return a unit that leaves the place below these headings, with the tags that these carried."""
    every = [*headings]
    wanted = {tag: None for each in every for tag in _cut(each)[1] if tag[0] == "#" and tag.casefold() != _SHARED}
    if any(is_private(each) for each in every):
        wanted[_TAG] = None
    return _with(text, [*wanted], is_shared=True) if wanted else text


def _with(text: str, wanted: Iterable[str], *, is_shared: bool) -> str:
    words, found, end = _cut(_first(text))
    kept = [tag for tag in found if is_shared or tag.casefold() != _SHARED]
    known = {tag.casefold() for tag in kept} | ({_TAG} if is_private(text) else set())
    new = [tag for tag in wanted if tag.casefold() not in known]
    if not new and len(kept) == len(found):
        return text
    return _joined(words, [*kept, *new], end) + text[len(_first(text)) :]


def _first(text: str) -> str:
    return text.partition("\n")[0]


def _cut(line: str) -> tuple[str, list[str], str]:
    """The words of a line, the tags and marks behind them, and how it ends: where it came from, the end of a row."""
    words = line.rstrip(" \t\r|")
    at = words.rfind(_ORIGIN)
    if at > 0 and words.endswith(")") and " " not in words[at + len(_ORIGIN) :]:
        words = words[:at]
    end = line[len(words) :]
    found: list[str] = []
    while True:
        before, _, last = words.rpartition(" ")
        if not before.strip() or len(last) < len("#a") or not last.startswith(_MARKS):
            return words, found[::-1], end
        found.append(last)
        words = before.rstrip(" \t")


def _joined(words: str, tags: Iterable[str], end: str) -> str:
    return " ".join((words, *tags)) + end
