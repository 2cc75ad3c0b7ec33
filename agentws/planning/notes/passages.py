"""The last passages of a Markdown text as they stand, with their headings, within a size. Pure."""

from __future__ import annotations

from agentws.formats.markdown import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from agentws.formats.markdown.markdown import Block

_CUT = "…\n"
_DEEPEST = 7


class Passages:
    """The end of a text: `text`, and how many lines that say something stand before it (`before`)."""

    __slots__ = ("before", "text")

    def __init__(self, text: str, before: int) -> None:
        self.text = text
        self.before = before


def last(text: str, room: int) -> Passages:
    """Return as many whole blocks from the end of `text` as fit into `room` bytes, below the headings they stand under.

    Of a last block that is larger than that alone the end is returned, in whole lines.
    """
    if not text.strip():
        return Passages("", 0)
    parts = markdown.blocks(text.rstrip() + "\n")
    used, start = 0, len(parts)
    while start and used + _size(parts[start - 1].text) <= room:
        start -= 1
        used += _size(parts[start].text)
    while start < len(parts) and parts[start].kind == markdown.BLANK:
        start += 1
    shown = "".join(part.text for part in parts[start:]) or _end(parts[-1].text, room)
    shown = "".join(_above(parts, min(start, len(parts) - 1))) + shown
    return Passages(shown, max(0, _lines(text) - _lines(shown)))


def without(text: str, lines: Collection[int]) -> str:
    """Return `text` without these lines (from 1), and without the headings that have nothing below them for that.

    Of several empty lines one stays.
    """
    if not lines:
        return text
    kept = "".join(line for at, line in enumerate(markdown.lines_of(text), start=1) if at not in lines)
    parts, lacking = markdown.blocks(kept), _bare(markdown.blocks(text))
    empty = [part for part in _bare(parts) if not _take(lacking, part)]
    left = [part for part in parts if not any(part is one for one in empty)]
    blank = [part.kind == markdown.BLANK for part in left]
    return "".join(
        "\n" if is_blank else part.text
        for part, is_blank, was_blank in zip(left, blank, [False, *blank], strict=False)
        if not (is_blank and was_blank)
    )


def _take(parts: list[Block], wanted: Block) -> bool:
    """Take the first heading of the same words out of `parts`; False where there is none."""
    found = next((at for at, part in enumerate(parts) if part.text == wanted.text), None)
    if found is not None:
        del parts[found]
    return found is not None


def _bare(parts: list[Block]) -> list[Block]:
    """The headings with nothing below them but such headings."""
    found: list[Block] = []
    below = 0  # the level of what stands below this place: what is no heading is deeper than all of them
    for part in reversed(parts):
        if part.kind == markdown.HEADING and part.level >= below:
            found.append(part)
        elif part.kind == markdown.HEADING:
            below = part.level
        elif part.kind not in (markdown.BLANK, markdown.RULE):
            below = _DEEPEST
    return found[::-1]


def _above(parts: list[Block], start: int) -> list[str]:
    """The headings that the block at `start` stands under, and the head of its table, as they stand."""
    found: list[str] = []
    level = parts[start].level if parts[start].kind == markdown.HEADING else _DEEPEST
    is_row = parts[start].kind == markdown.ROW
    for part in reversed(parts[:start]):
        if is_row and part.kind != markdown.ROW:
            found += [part.text] if part.kind == markdown.TABLE_HEAD else []
            is_row = False
        if part.kind == markdown.HEADING and part.level < level:
            found.append(part.text)
            level = part.level
    return found[::-1]


def _end(text: str, room: int) -> str:
    """The last lines of a block that is too large, at least the end of one."""
    found: list[str] = []
    used = len(_CUT)
    for line in reversed(markdown.lines_of(text)):
        used += _size(line)
        if used > room:
            break
        found.append(line)
    return _CUT + "".join(found[::-1]) if found else _CUT + text[-(room // 4) :]


def _lines(text: str) -> int:
    """How many lines of a text say something."""
    return sum(bool(line.strip("… ")) for line in text.split("\n"))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
