"""What was done, as a log tells it: its last parts by how they began and ended, the very last in full. Pure."""

from __future__ import annotations

from agentws.formats import notes
from agentws.planning import lines as _lines
from agentws.planning.lines import bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.lines import Line

_MOST_PARTS, _LAST_LINES = 12, 8
_MOST_CHARS, _LEAST_CHARS = 360, 110
_MOST_HEADING = 80


def parts(lines: Sequence[Line], indices: Sequence[int]) -> list[str]:
    """What the last parts of a log are about, one line each: its heading, what it begins with, what came of it.

    `indices` are the lines to tell. The last part is told line by line.
    """
    groups: dict[tuple[str, ...], list[Line]] = {}
    for index in indices:
        line = lines[index]
        if line.parent is None and not line.is_label:
            groups.setdefault(line.path, []).append(line)
    chosen = list(groups.items())[-_MOST_PARTS:]
    last = max((place for place, (path, _) in enumerate(chosen) if not _is_account(path)), default=-1)
    told: list[str] = []
    for place, (path, part) in enumerate(chosen):
        heading = path[-1] if path else ""
        if place == last:
            told += [under(heading, bare(line.text)) for line in part[:_LAST_LINES]]
        else:
            shown = _ends(part, 4) if _is_account(path) else _ends(part, 2)
            most = max(_LEAST_CHARS, _MOST_CHARS // len(shown))
            told.append(under(heading, "; ".join(_lines.shortened(bare(line.text), most) for line in shown)))
    return told


def under(heading: str, words: str) -> str:
    """`words` with the heading that they stand under before them."""
    return f"{_lines.shortened(heading, _MOST_HEADING)}: {words}" if heading else words


def _ends(part: list[Line], most: int) -> list[Line]:
    """The lines that a part begins and ends with, so many of each."""
    return [*part[:most], *part[most:][-most:]]


def _is_account(path: tuple[str, ...]) -> bool:
    """True for a heading below which is listed what is done: it sums up, and is no part of the work."""
    return bool(path) and notes.kind_of_heading(path[-1]) == "done"
