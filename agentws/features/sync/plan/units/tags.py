"""The tags at the end of a unit's first line: a merge never loses those that restrict the audience. Pure.

A unit that one side made private stays private, even if the other side has edited the words.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentws.core.formats import audience
from agentws.core.markdown import notes

PRIVATE = "private"
_TAG, _SHARED = f"#{PRIVATE}", f"#{audience.TAG}"
_MARKS = ("#", "!", "^")
_ORIGIN = " (via "


def plain(text: str) -> str:
    """Return a text without audience tags, so that entries compare equal whatever their audience."""
    if "#" not in text:
        return text
    words, names, end = _cut(_first(text))
    kept = [tag for tag in names if tag.casefold() not in (_TAG, _SHARED)]
    return text if len(kept) == len(names) else _joined(words, kept, end) + text[len(_first(text)) :]


def is_private(text: str) -> bool:
    """Return whether the text itself is tagged private, whatever the headings above it."""
    return notes.has_label(text, (PRIVATE,))


def narrowed(base: str | None, *sides: str) -> list[str]:
    """Return the sides of a unit with the tags of the narrowest audience among them, and tags that a side added."""
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
    """Return a unit that leaves the place below these headings, with the tags of the headings added."""
    every = [*headings]
    wanted = {tag: None for each in every for tag in _cut(each)[1] if tag[0] == "#" and tag.casefold() != _SHARED}
    if any(is_private(each) for each in every):
        wanted[_TAG] = None
    return _with(text, [*wanted], is_shared=True) if wanted else text


def _with(text: str, wanted: Iterable[str], *, is_shared: bool) -> str:
    words, names, end = _cut(_first(text))
    kept = [tag for tag in names if is_shared or tag.casefold() != _SHARED]
    known = {tag.casefold() for tag in kept} | ({_TAG} if is_private(text) else set())
    new = [tag for tag in wanted if tag.casefold() not in known]
    if not new and len(kept) == len(names):
        return text
    return _joined(words, [*kept, *new], end) + text[len(_first(text)) :]


def _first(text: str) -> str:
    return text.partition("\n")[0]


def _cut(line: str) -> tuple[str, list[str], str]:
    """Return the words of a line, the tags and marks behind them, and its end: an origin, the end of a table row."""
    words = line.rstrip(" \t\r|")
    at = words.rfind(_ORIGIN)
    if at > 0 and words.endswith(")") and " " not in words[at + len(_ORIGIN) :]:
        words = words[:at]
    end = line[len(words) :]
    names: list[str] = []
    while True:
        before, _, last = words.rpartition(" ")
        if not before.strip() or len(last) < len("#a") or not last.startswith(_MARKS):
            return words, names[::-1], end
        names.append(last)
        words = before.rstrip(" \t")


def _joined(words: str, tags: Iterable[str], end: str) -> str:
    return " ".join((words, *tags)) + end
