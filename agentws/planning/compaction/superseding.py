"""Older values that a newer line replaces, where that is sure: the same label below the same heading, other words.

A value that holds a number, a path or a quoted name is a record of its own, like a payment: both stand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentws.planning.compaction.lines import exact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.planning.compaction.units import Unit

_LABEL = re.compile(r"^([^:=|→]{3,48}?)\s*(?::|=)\s+(\S.{0,58})$")
_TIMELY = re.compile(
    r"\b(?:date|time|updated?|last|today|yesterday|status|session|next|now|result|note|so far|posted|story|product)\b"
    r"|\b(?:day|week|round|edition|episode|chapter|part|step|phase|attempt|lesson|run|batch|sprint)\s*#?\d|#\d"
    r"|\d\d:\d\d|20\d\d-",
    re.IGNORECASE,
)
_SPACE = re.compile(r"[\s*`_\"'.,;]+")
_LONGEST_CHARS = 160
_MOST_TIMES = 6
"""What changes oftener is a record of days, not a value that was replaced."""


def find(units: Sequence[Unit]) -> dict[int, int]:
    """Index of a unit that says an older value → index of the newest one that says it."""
    said: dict[str, list[tuple[int, str]]] = {}
    for index, unit in enumerate(units):
        for key, value in _values(unit):
            said.setdefault(key, []).append((index, value))
    found: dict[int, int] = {}
    for pairs in said.values():
        newest, value = max(pairs, key=lambda pair: (units[pair[0]].day, pair[0]))
        if not 1 < len({one for _, one in pairs}) <= _MOST_TIMES:
            continue
        for index, older in pairs:
            if older != value and units[index].day < units[newest].day and _may_leave(units[index], units[newest]):
                found[index] = newest
    return found


def _may_leave(older: Unit, newest: Unit) -> bool:
    """False for what is pinned, and between two entries: an earlier run has let both stand."""
    return not older.is_pinned and (older.entry is None or newest.entry is None)


def _values(unit: Unit) -> Iterator[tuple[str, str]]:
    text = unit.text
    if len(text) > _LONGEST_CHARS or text.endswith("?"):
        return
    label = _LABEL.match(text) if unit.about and not unit.is_spoken else None
    if label and not _TIMELY.search(text) and not exact(label.group(2)):
        yield f"{_plain(unit.about)} {_plain(label.group(1))}", _plain(label.group(2))


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()
