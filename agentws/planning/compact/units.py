"""The values of compaction: days go in, entries come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Day:
    """A daily log: its path in the workspace, its day (ISO), its text."""

    path: str
    day: str
    text: str


class Source(NamedTuple):
    """The lines `line` to `end_line` of a file, 1-based and inclusive."""

    path: str
    line: int
    end_line: int
