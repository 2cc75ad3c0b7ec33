"""Where a text from outside arrives in what a reader prints, and whether its origin stands with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_KEYS = ("src", "told_src")


def in_output(printed: str, canary: str, origin: str) -> tuple[int, list[str]]:
    """(how often the canary arrives, each place where it does so without its origin).

    The origin stands in the same line, in the first line of the item or quotation that the line belongs to, or in JSON
    beside the text or above it.
    """
    try:
        told = json.loads(printed)
    except ValueError:
        return in_text(printed, canary, origin)
    arrived, unmarked = 0, []
    for text, sources in _texts(told, ()):
        count, without = in_text(text, canary, origin)
        arrived += count
        unmarked += [] if any(origin in source for source in sources) else without
    return arrived, unmarked


def in_text(text: str, canary: str, origin: str) -> tuple[int, list[str]]:
    """As `in_output`, for Markdown."""
    lines = text.split("\n")
    places = [at for at, line in enumerate(lines) if canary in line]
    return len(places), [lines[at] for at in places if not any(origin in line for line in _entry(lines, at))]


def _entry(lines: list[str], at: int) -> Iterator[str]:
    """The line and those above it that it belongs to: of its quotation, else those that it is indented below."""
    yield lines[at]
    depth = _depth(lines[at])
    while at > 0 and lines[at].startswith(">") and lines[at - 1].startswith(">"):
        at -= 1
        yield lines[at]
    while depth and at > 0:
        at -= 1
        if lines[at].strip() and _depth(lines[at]) < depth:
            depth = _depth(lines[at])
            yield lines[at]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _texts(told: Any, sources: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(told, str):
        yield told, sources
    elif isinstance(told, list):
        for one in told:
            yield from _texts(one, sources)
    elif isinstance(told, dict):
        inside = sources + tuple(told[key] for key in _KEYS if isinstance(told.get(key), str))
        for one in told.values():
            yield from _texts(one, inside)
