"""What went wrong as a log tells it, with what is said behind it: why, and how it was put right. Pure."""

from __future__ import annotations

from agentws.formats import handoff
from agentws.planning import meaning
from agentws.planning.overtaken import roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.planning.lines import Line

_MOST_BEHIND = 40
_MOST_REASONS = 2


def is_put_right(lines: Sequence[Line], index: int) -> bool:
    """True where something behind line `index` says how that was put right, so that both are told together.

    That is a line of the same part of the log, or one below a heading beside it such as `The fix`. What stands in a
    list of failed attempts is none.
    """
    line = lines[index]
    if any(handoff.heading_of(step) == handoff.FAILED for step in line.path[-2:]):
        return False
    known = roots(" ".join([*line.path[-1:], line.text]))
    for other in _behind(lines, index):
        found = lines[other]
        is_same = found.path[: len(line.path)] == line.path
        if is_same and meaning.is_way_out(found.text):
            return True
        if not is_same and meaning.is_way_out(found.path[-1]) and known & roots(found.text):
            return True
    return False


def reasons(lines: Sequence[Line], index: int) -> list[int]:
    """The lines of the same part of the log behind line `index` that say why that went wrong."""
    same = (other for other in _behind(lines, index) if lines[other].path == lines[index].path)
    return [other for other in same if meaning.is_cause(lines[other].text)][:_MOST_REASONS]


def _behind(lines: Sequence[Line], index: int) -> Iterator[int]:
    """The lines behind one that are about the same: below it, in its part of the log, in a part beside that."""
    line = lines[index]
    around = line.path[:-1] if line.parent is None else lines[line.parent].path[:-1]
    for other in range(index + 1, min(len(lines), index + _MOST_BEHIND)):
        path = lines[other].path
        is_beside = bool(around) and path[: len(around)] == around
        if lines[other].shelf != line.shelf or not (is_beside or path[: len(line.path)] == line.path):
            return
        yield other
