"""Cuts a block that boot cannot show whole: into items or sentences, of which the first and last are kept. Pure."""

from __future__ import annotations

from agentws.core import Record
from agentws.core.markdown import inset, markdown
from agentws.features.boot.plan.file_lines import indent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.tokens.counters import Measure

_ENDS = (".", "!", "?", "。", "！", "？", "।", "؟")
_SENTENCE_END = "[.!?؟] |[。！？।]"
_TABLE_HEAD_LINES = 2


class Cut(Record):
    """The first and last sentences of a section's block that is too long to show, and the size of the gap."""

    head: str
    tail: str
    lines: int
    units: int


def items(text: str) -> list[str]:
    """Return the outermost items of a list, or the rows of a table, each with what is nested in it; joined they are the
    block. What introduces them, or is the head of the table, is a part of the first one.
    """
    lines = markdown.lines_of(text)
    starts = [at for at, line in enumerate(lines) if markdown.marker(line)]
    least = min((indent(lines[at]) for at in starts), default=0)
    starts = [at for at in starts if indent(lines[at]) == least]
    if not starts:
        starts = [at for at, line in enumerate(lines) if markdown.is_row(line)][_TABLE_HEAD_LINES:]
    ends = [*starts[1:], len(lines)]
    return ["".join(lines[start:end]) for start, end in zip([0, *starts[1:]], ends, strict=False)]


def sentences(text: str) -> list[str]:
    """Return the sentences of a block, or its lines where none is broken; joined they are the block."""
    runs: list[list[str]] = []
    is_prose, is_open = not inset.has_fence(text), False  # a sentence that is open goes on in the next line
    for line in markdown.lines_of(text):
        if runs and (not line.strip() or (is_open and line.lstrip()[:1].islower())):
            runs[-1].append(line)
        else:
            runs.append([line])
        if line.strip():
            is_open = is_prose and not line.rstrip().endswith(_ENDS)
    import re

    pieces: list[str] = []
    for run in map("".join, runs):
        start = 0
        for end in re.compile(_SENTENCE_END).finditer(run, markdown.marker(run)):
            pieces.append(run[start : end.end()])
            start = end.end()
        pieces.append(run[start:])
    return [piece for piece in pieces if piece]


def both_ends(pieces: Sequence[str], first: int, last: int, measure: Measure) -> Cut:
    """Return the `first` and `last` ones of the pieces of a block that is cut."""
    stop = len(pieces) - last
    head, missing, tail = "".join(pieces[:first]), "".join(pieces[first:stop]), "".join(pieces[stop:])
    tail = _apart(f"{tail.rstrip()}\n") if tail.strip() else ""
    return Cut(f"{_apart(head).rstrip()}\n", tail, len(missing.strip().split("\n")), measure(missing))


def _apart(text: str) -> str:
    """Return a part of a block; what a fence contained is escaped like any line, because the fence may be torn."""
    return inset.lines(text, quotes=False) if inset.has_fence(text) else text
