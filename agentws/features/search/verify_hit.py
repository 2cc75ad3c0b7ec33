"""Belief in the index: the fields that it gives for a unit, checked against the lines of the unit's file."""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.core.text import origin
from agentws.features.search.plan.unit import HEADER, TASKS, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


_HEADER_LINES = 40
_STATES = ("", "open", "waiting", "done", "dropped")
_MARKED = slice(6, 11)
"""Columns kind, state, importance, tags and src of a row, which the search replaces in content of others."""


def is_well_formed(unit: Unit) -> bool:
    """Return whether each field of an indexed unit has its type; a damaged index is not believed so far."""
    texts = (unit.day, unit.time, unit.room, unit.form, unit.kind, unit.state, unit.src, unit.audience, unit.head)
    return (
        all(type(each) is str for each in (*texts, unit.path, unit.task, unit.text, *unit.tags, *unit.headings))
        and all(type(each) is int for each in (unit.line, unit.end_line, unit.importance))
        and 0 < unit.line <= unit.end_line
    )


def is_backed(unit: Unit, lines: Sequence[str]) -> bool:
    """Return whether the lines of its file confirm the fields of a unit: day, time, state, headings and origin.

    False is not proof: the file has to be parsed to know (`is_among`).
    """
    if " " in unit.kind or " " in unit.task or unit.state not in _STATES:
        return False
    if unit.day not in unit.path and not _stands(unit.day, lines):
        return False
    if unit.time and not (len(unit.time) == 5 and unit.time.replace(":", "").isdecimal()):
        return False
    if not all(_stands(heading, lines) for heading in unit.headings):
        return False
    if unit.form == HEADER and not (unit.room == TASKS and _is_titled(unit, lines)):
        return False
    if unit.src:
        return unit.src == origin.OTHER or _stands(unit.src, lines)
    return not origin.within(unit.text) and not _names_origin(lines)


def is_same_event(unit: Unit, read: Unit, *, stranger: str) -> bool:
    """Return whether an indexed event equals the one just read; if its src is `stranger`, kind and src may differ."""
    if (unit.day, unit.time, unit.state, unit.text) != (read.day, read.time, read.state, read.text):
        return False
    return unit.src == stranger or (unit.src, unit.kind) == (read.src, read.kind)


def is_among(unit: Unit, rows: Sequence[tuple[Any, ...]]) -> bool:
    """Return whether an indexed unit equals one of the rows that were just parsed from its file."""
    own_row = unit.row()
    if unit.src != origin.OTHER:
        return own_row in rows
    return any(_unmarked(own_row) == _unmarked(row) for row in rows)


def _unmarked(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*row[: _MARKED.start], *row[_MARKED.stop :])


def _stands(words: str, lines: Sequence[str]) -> bool:
    return any(words in line for line in lines)


def _is_titled(unit: Unit, lines: Sequence[str]) -> bool:
    """Return whether the title and status in a task's header unit are in the lines of its file."""
    try:
        decoded = plainjson.loads(unit.head)
    except ValueError:
        return False
    if not isinstance(decoded, dict):
        return False
    shown = [decoded.get(name) or "" for name in ("title", "status")]
    return all(isinstance(words, str) and _stands(words, lines) for words in shown)


def _names_origin(lines: Sequence[str]) -> bool:
    """Return whether the front matter may name an outside origin for the whole file."""
    return lines[:1] == ["---"] and any(line.lstrip().startswith("src") for line in lines[:_HEADER_LINES])
