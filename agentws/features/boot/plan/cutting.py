"""Cuts a block that boot cannot show whole: into items or sentences, of which the first and last are kept. Pure."""

from __future__ import annotations

from agentws.core.markdown import inset, markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.tokens.counters import Measure

_SENTENCE_ENDS = (". ", "! ", "? ", "。", "！", "？", "।", "؟ ")


class Cut:
    """The first and last sentences of a section's block that is too long to show, and the size of the gap."""

    __slots__ = ("head", "lines", "tail", "units")

    def __init__(self, head: str, tail: str, lines: int, units: int) -> None:
        self.head = head
        self.tail = tail
        self.lines = lines
        self.units = units


def items(text: str) -> list[str]:
    """Return the outermost items of a list, each with what is nested in it; joined they are the list."""
    result: list[str] = []
    for line in markdown.lines_of(text):
        if result and (line[:1] in " \t\n" or not line.strip()):
            result[-1] += line
        else:
            result.append(line)
    return result


def sentences(text: str) -> list[str]:
    """Return the sentences of a block; joined they are the block."""
    pieces: list[str] = []
    for line in markdown.lines_of(text):
        if pieces and not line.strip():
            pieces[-1] += line
            continue
        start, at = 0, markdown.marker(line)
        while at < len(line):
            end = next((stop for stop in _SENTENCE_ENDS if line.startswith(stop, at)), "")
            at += len(end) or 1
            if end:
                pieces.append(line[start:at])
                start = at
        pieces.append(line[start:])
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
