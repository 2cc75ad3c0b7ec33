"""One text as several, each within the cap of a reader that takes several texts. Pure.

A part ends where a section ends, or where a heading below it does, if it is then at least three quarters full; else
between two blocks; within a block only where it is larger than a part, at a line's end; and within a line only where
that alone is larger, at a space.
"""

from __future__ import annotations

from agentws.formats.markdown import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Measure = Callable[[str], int]

_SECTION, _HEADING = 2, 3
_INSIDE = 9


class _Atom:
    """A piece that stays whole: what it measures, and the level of the heading it begins with."""

    __slots__ = ("level", "size", "text")

    def __init__(self, text: str, size: int, level: int = _INSIDE) -> None:
        self.text = text
        self.size = size
        self.level = level


def split(text: str, *, most: int, size: Measure, heading: str = "") -> list[str]:
    """The parts of `text`, in order; joined they are `text` again, byte for byte.

    The first part is at most `most` by `size`; each of the others is so with `heading` before it, which is up to the
    caller to put there. `size` of a text must not exceed the sum of its parts', as counters promise it for lines.
    """
    atoms = list(_atoms(text, most - size(heading), size))
    found: list[str] = []
    at = 0
    while at < len(atoms):
        above = heading if found else ""
        end = _end(atoms, at, most, size, above)
        found.append("".join(atom.text for atom in atoms[at:end]))
        at = end
    return found


def _end(atoms: list[_Atom], at: int, most: int, size: Measure, above: str) -> int:
    """Where the part ends that begins at `at`."""
    room = most - size(above)
    end, filled = at, 0
    while end < len(atoms) and filled + atoms[end].size <= room:
        filled += atoms[end].size
        end += 1
    end = max(end, at + 1)
    while end > at + 1 and size(above + "".join(atom.text for atom in atoms[at:end])) > most:
        end -= 1
    return end if end == len(atoms) else _nicer_end(atoms, at, end, room)


def _nicer_end(atoms: list[_Atom], at: int, end: int, room: int) -> int:
    """The last place up to `end` that a reader would choose, or `end` where the part would be too empty."""
    for level in (_SECTION, _HEADING):
        filled = sum(atom.size for atom in atoms[at:end])
        for place in range(end, at, -1):
            if filled * 4 < room * 3:
                break
            if atoms[place].level <= level:
                return place
            filled -= atoms[place - 1].size
    return end


def _atoms(text: str, most: int, size: Measure) -> Iterator[_Atom]:
    """The blocks of `text`, cut where one is larger than `most`."""
    for block, level in _blocks(text):
        measured = size(block)
        if measured <= most:
            yield _Atom(block, measured, level)
            continue
        pieces = (piece for line in markdown.lines_of(block) for piece in _pieces(line, most, size))
        for place, piece in enumerate(pieces):
            yield _Atom(piece, size(piece), _INSIDE if place else level)


def _blocks(text: str) -> Iterator[tuple[str, int]]:
    """The blocks of `text` with the level of their heading: a heading goes with what follows, as does a table's head,
    and an empty line with what it follows.
    """
    held, level, waits = "", _INSIDE, False
    for block in markdown.blocks(text):
        if held and not waits and block.kind != markdown.BLANK:
            yield held, level
            held, level = "", _INSIDE
        if block.kind == markdown.HEADING and not held:
            level = block.level
        if block.kind != markdown.BLANK:
            waits = block.kind in (markdown.HEADING, markdown.TABLE_HEAD)
        held += block.text
    if held:
        yield held, level


def _pieces(line: str, most: int, size: Measure) -> Iterator[str]:
    while len(line) > most or size(line) > most:
        end = _longest(line[:most], most, size)
        end = line.rfind(" ", 0, end) + 1 or end
        yield line[:end]
        line = line[end:]
    if line:
        yield line


def _longest(line: str, most: int, size: Measure) -> int:
    """How many characters of `line` are at most `most` by `size`; never none."""
    low, high = 1, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        if size(line[:middle]) <= most:
            low = middle
        else:
            high = middle - 1
    return low
