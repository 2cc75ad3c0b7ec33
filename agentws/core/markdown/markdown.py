"""Parses Markdown into units: an item with its children, under its heading path. See docs/format/daily.md.

Real notes are headings, prose, lists, tables and check boxes. A unit is a bullet with what is indented below it, a
paragraph, a table row (with its header), a fenced block, or a heading with nothing below it. Parsing is line by line
and linear; nothing is rewritten, and `blocks` partitions the text exactly.
"""

from __future__ import annotations

HEADING = "heading"
ITEM = "item"
PARAGRAPH = "paragraph"
ROW = "row"
TABLE_HEAD = "table-head"
FENCE = "fence"
RULE = "rule"
BLANK = "blank"

_BEGINNINGS = "#-*+_|"
"""First characters of a heading, rule, row or list item, except numbers."""
_BULLETS = frozenset(("- ", "* ", "+ ", "-\t", "*\t", "+\t"))
_LONGEST_NUMBER = 9
_LONGEST_HEADING_CHARS = 1000
_LONGEST_TABLE_HEAD_CHARS = 2000
"""Longer ones are read as ordinary text: each item has its headings, and cost must stay linear."""


class Block:
    """A Markdown block: consecutive whole lines. `text` keeps its line ends; `line` is 1-based."""

    __slots__ = ("kind", "level", "line", "text")

    def __init__(self, kind: str, text: str, line: int, level: int = 0) -> None:
        self.kind = kind
        self.text = text
        self.line = line
        self.level = level

    @property
    def title(self) -> str:
        """The words of a Markdown heading block, without its marks."""
        return title_of(self.text)


class Unit:
    """A unit of Markdown: one item to read, under its headings.

    `path` are the headings above it, outermost first; `under` is the line of the innermost one (0: none), which
    distinguishes equal headings; `head` is the table header of a row (two lines), else empty; `text` is the item with
    its children, line ends kept; `line` and `end_line` are 1-based. `is_apart`: a thematic break separates it from its
    heading. `level` is that of a heading, else 0.
    """

    __slots__ = ("head", "is_apart", "kind", "level", "line", "path", "text", "under")

    def __init__(
        self,
        block: Block,
        path: tuple[str, ...],
        under: int,
        head: str = "",
        *,
        is_apart: bool = False,
    ) -> None:
        self.kind = block.kind
        self.text = block.text
        self.line = block.line
        self.level = block.level
        self.path = path
        self.under = under
        self.head = head
        self.is_apart = is_apart

    @property
    def end_line(self) -> int:
        """The last line of the Markdown item, 1-based."""
        return self.line + self.text.rstrip("\n").count("\n")


def title_of(heading: str) -> str:
    """Return the words of a Markdown heading line, without its marks."""
    return heading.strip().lstrip("#").strip().rstrip("#").strip()


def lines_of(text: str) -> list[str]:
    """Return the lines of Markdown `text` with their ends, split only at newlines: joined they are `text` again."""
    parts = text.split("\n")
    last = parts.pop()
    lines = [part + "\n" for part in parts]
    if last:
        lines.append(last)
    return lines


def blocks(text: str, *, first_line: int = 1) -> list[Block]:
    """Return the Markdown blocks of `text`, in order; joined they are `text` again."""
    lines = lines_of(text)
    firsts = [line.lstrip()[:1] for line in lines]
    fences = fences_of(lines) if "```" in text or "~~~" in text else {}
    result: list[Block] = []
    at = 0
    while at < len(lines):
        end, kind, level = _block_at(lines, firsts, at, fences)
        result.append(Block(kind, "".join(lines[at:end]), first_line + at, level))
        at = end
    return result


def units(text: str, *, first_line: int = 1, frames: bool = False) -> list[Unit]:
    """Return the Markdown units of `text`, in order, each under its headings.

    With `frames`, also headings with something below them, and table headers.
    """
    passages: list[Unit] = []
    path: list[tuple[int, str, int]] = []
    titles: tuple[str, ...] = ()
    head = ""
    under = 0
    every = blocks(text, first_line=first_line)
    parts = [block for block in every if block.kind not in (BLANK, RULE)]
    breaks = [block.line for block in reversed(every) if block.kind == RULE]
    behind = 0
    for place, block in enumerate(parts):
        while breaks and breaks[-1] < block.line:
            behind = breaks.pop()
        if block.kind != ROW:
            head = block.text if block.kind == TABLE_HEAD else ""
        if block.kind == HEADING:
            path = [step for step in path if step[0] < block.level]
            if frames or (block.level > 1 and block.title and _is_empty(parts, place)):
                above = tuple(title for _, title, _ in path)
                passages.append(Unit(block, above, path[-1][2] if path else 0))
            under = block.line
            path.append((block.level, block.title, block.line))
            titles = tuple(title for _, title, _ in path)  # one object for all items below, as notes.read relies on
        elif frames or block.kind != TABLE_HEAD:
            passages.append(Unit(block, titles, under, head, is_apart=behind > under))
    return passages


def _is_empty(parts: list[Block], place: int) -> bool:
    """Return True for a heading with nothing below it, which is an item itself."""
    if place + 1 == len(parts):
        return True
    return parts[place + 1].kind == HEADING and parts[place + 1].level <= parts[place].level


def heading_level(line: str) -> int:
    """Return the level of a Markdown (ATX) heading, 1 to 6, else 0."""
    if not line.startswith("#") or len(line) > _LONGEST_HEADING_CHARS:
        return 0
    marks = len(line) - len(line.lstrip("#"))
    rest = line[marks:]
    return marks if marks <= 6 and (not rest.strip() or rest[0] in " \t") else 0


def is_empty(text: str) -> bool:
    """Return whether a Markdown text has nothing but headings, or comments of a program in a fence."""
    return all(heading_level(line) or line.startswith("```") or not line.strip() for line in text.split("\n"))


def marker(line: str) -> int:
    """Return the width of a Markdown list marker with indent and the space after it (`- `, `* `, `12. `), else 0."""
    body = line.lstrip(" \t")
    indent = len(line) - len(body)
    if body[:2] in _BULLETS:
        return indent + 2
    if not "0" <= body[:1] <= "9":
        return 0
    digits = len(body) - len(body.lstrip("0123456789"))
    numbered = 0 < digits <= _LONGEST_NUMBER and body[digits : digits + 2] in (". ", ") ")
    return indent + digits + 2 if numbered else 0


def is_row(line: str) -> bool:
    """Return True for a line of a Markdown table."""
    body = line.strip()
    return len(body) > 1 and body.startswith("|") and body.endswith("|")


def is_rule(line: str) -> bool:
    """Return True for a Markdown thematic break: three or more of `-`, `*` or `_` alone on a line."""
    body = line.strip(" \t\r\n")
    if not body or body[0] not in "-*_" or body[-1] != body[0]:
        return False
    body = line.replace(" ", "").replace("\t", "").rstrip("\r\n")
    return len(body) >= 3 and body[0] in "-*_" and body == body[0] * len(body)


def _block_at(lines: list[str], firsts: list[str], at: int, fences: dict[int, int]) -> tuple[int, str, int]:
    """(end, kind, heading level) of the block that begins at line index `at`.

    `firsts` are the first characters of the lines behind their white space, empty for an empty line.
    """
    line = lines[at]
    first = firsts[at]
    if not first:
        return _end_of_blank(firsts, at), BLANK, 0
    if at in fences:
        return fences[at], FENCE, 0
    if first not in _BEGINNINGS and not first.isdigit():  # most lines of prose
        return _end_of_paragraph(lines, firsts, at, fences), PARAGRAPH, 0
    level = heading_level(line) if first == "#" else 0
    if level:
        return at + 1, HEADING, level
    if is_rule(line):
        return at + 1, RULE, 0
    if first == "|" and is_row(line):
        if _is_delimiter(lines, at + 1):
            return at + 2, TABLE_HEAD, 0
        return at + 1, ROW, 0
    if marker(line):
        return _end_of_item(lines, firsts, at, fences), ITEM, 0
    return _end_of_paragraph(lines, firsts, at, fences), PARAGRAPH, 0


def _end_of_item(lines: list[str], firsts: list[str], at: int, fences: dict[int, int]) -> int:
    """Return the index after the item: deeper indented lines belong to it, also after blank lines."""
    indent = _indent(lines[at])
    end = at + 1
    while end < len(lines):
        if not firsts[end]:
            follower = _end_of_blank(firsts, end)
            if follower < len(lines) and _indent(lines[follower]) > indent:
                end = follower
                continue
            break
        is_deeper = _indent(lines[end]) > indent
        if is_deeper and end in fences:
            end = fences[end]
            continue
        if not is_deeper and _ends_a_block(lines, firsts, end, fences):
            break
        end += 1
    return end


def _end_of_paragraph(lines: list[str], firsts: list[str], at: int, fences: dict[int, int]) -> int:
    end = at + 1
    while end < len(lines) and firsts[end] and not _ends_a_block(lines, firsts, end, fences):
        end += 1
    return end


def _ends_a_block(lines: list[str], firsts: list[str], at: int, fences: dict[int, int]) -> bool:
    """Return whether a line begins another block than that of the line before it."""
    line = lines[at]
    first = firsts[at]
    if at in fences:
        return True
    if first not in _BEGINNINGS and not first.isdigit():
        return False
    if first == "|":
        return is_row(line)
    return bool(heading_level(line) if first == "#" else marker(line)) or is_rule(line)


def fences_of(lines: list[str]) -> dict[int, int]:
    """Return index of opening Markdown fence → index after its closing line. An unclosed fence is ordinary text."""
    marks = [(index, mark) for index, line in enumerate(lines) if (mark := _fence(line))]
    ends = _ends(lines) if marks else []
    result: dict[int, int] = {}
    hopeless: dict[tuple[str, int], int] = {}
    behind = 0
    for place, (index, mark) in enumerate(marks):
        # A fence inside an item ends with it at the latest: one that was never closed must not swallow what follows.
        around = (mark[0], ends[index])
        if index < behind or len(mark) >= hopeless.get(around, len(mark) + 1):
            continue
        closer = _closer(lines, marks, place, ends[index])
        if closer is not None:
            result[index] = behind = closer + 1
        else:
            # Nothing closes this one, so nothing closes a later one that is as long: never look again, stay linear.
            hopeless[around] = len(mark)
    return result


def open_fence(lines: list[str]) -> int:
    """Return the index of the first unclosed Markdown fence, the number of lines without one."""
    fences, behind = fences_of(lines), 0
    for index, line in enumerate(lines):
        if index in fences:
            behind = fences[index]
        elif index >= behind and _fence(line):
            return index
    return len(lines)


def _closer(lines: list[str], marks: list[tuple[int, str]], place: int, end: int) -> int | None:
    mark = marks[place][1]
    for other in range(place + 1, len(marks)):
        index, candidate = marks[other]
        if index >= end:
            return None
        rest = lines[index].strip()
        if candidate[0] == mark[0] and len(candidate) >= len(mark) and rest == mark[0] * len(rest):
            return index
    return None


def _ends(lines: list[str]) -> list[int]:
    """Return, for each line, the index of the next line with less indent, at which its item ends."""
    ends = [len(lines)] * len(lines)
    waiting: list[tuple[int, int]] = []
    for index, line in enumerate(lines):
        if line.strip():
            indent = _indent(line)
            while waiting and waiting[-1][0] > indent:
                ends[waiting.pop()[1]] = index
            waiting.append((indent, index))
    return ends


def _fence(line: str) -> str:
    """The fence mark at the start of a line (three or more of ` or ~), else the empty string.

    A word in backticks is not a fence: behind a mark of backticks there are no more of them.
    """
    body = line.lstrip(" \t")
    for char in "`~":
        if body.startswith(char * 3):
            behind = body.lstrip(char)
            return "" if char == "`" and char in behind else char * (len(body) - len(behind))
    return ""


def _is_delimiter(lines: list[str], at: int) -> bool:
    if at >= len(lines) or not is_row(lines[at]) or len(lines[at - 1] + lines[at]) > _LONGEST_TABLE_HEAD_CHARS:
        return False
    return not lines[at].strip().strip("|").replace("|", "").replace("-", "").replace(":", "").strip()


def _indent(line: str) -> int:
    """Columns of white space before the text; a tab counts as four."""
    if line[:1] not in (" ", "\t"):
        return 0
    before = line[: len(line) - len(line.lstrip(" \t"))]
    return len(before) + 3 * before.count("\t")


def _end_of_blank(firsts: list[str], at: int) -> int:
    while at < len(firsts) and not firsts[at]:
        at += 1
    return at
