"""A file as rows that can be shown by themselves: lines, whole fences, heads of tables. Pure.

A row names the one that has to stand `above` it: its heading, the item it belongs to, the head of its table, the label
of its list. Empty lines and thematic breaks are no rows.
"""

from __future__ import annotations

from agentws.formats import inset, markdown, quotation
from agentws.formats.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from agentws.formats.markdown import Block

_DATE = Pattern(r"\b20\d\d-[01]\d-[0-3]\d\b")
NOTHING = -1
_LONGEST_FENCE_CHARS = 1200
"""A longer one is shown line by line, and as no fence."""
_LONGEST_LABEL_CHARS = 100
_FEWEST_LETTERS = 8
TELLING_HEADING_CHARS = 8
_FEWEST_LETTERS_SAID = 12
"""Lines of fewer say something only where they stand: `- yes`."""
_WIDE_FROM = "\u2e80"
"""A letter of these scripts says as much as two."""


_FIELDS = ("above", "heading", "is_outside", "kind", "level", "line", "unit")


class Row:
    """Some lines that are shown together.

    `text` ends in a newline; `line` is its first one, 0-based; `kind` as in formats/markdown.py; `above` is the index
    of the row that it needs, NOTHING without one; `heading` that of its innermost heading; `unit` numbers the blocks.
    `is_outside`: it comes from outside, and is quoted.
    """

    __slots__ = ("above", "heading", "is_outside", "kind", "level", "line", "text", "unit")

    def __init__(self, text: str, line: int, kind: str, *, above: int, heading: int, unit: int, level: int = 0) -> None:
        self.is_outside = quotation.is_quoted(text)
        self.text = text if text.endswith("\n") else f"{text}\n"
        self.line = line
        self.kind = kind
        self.above = above
        self.heading = heading
        self.unit = unit
        self.level = level

    @property
    def gist(self) -> str:
        """Its letters: lines that differ in numbers and times alone have the same one. Empty where it has few."""
        letters = "".join(filter(str.isalpha, self.text)).casefold()
        return letters if len(letters) >= _FEWEST_LETTERS else ""

    @property
    def is_label(self) -> bool:
        """Return whether it only says what is below it, as `**Next:**` does."""
        text = self.text.rstrip()
        return len(text) <= _LONGEST_LABEL_CHARS and text.rstrip("*_").endswith((":", "："))


def of(text: str) -> list[Row]:
    """The rows of `text`, in order."""
    reader = _Reader()
    for block in markdown.blocks(text, first_line=0):
        reader.add(block)
    return reader.rows


def plain(rows: Sequence[Row], text: str) -> list[list[object]]:
    """The fields of these rows of `text` as plain values, field by field: `restored` makes the same rows of them.

    In place of what a row says stands None where that is its line.
    """
    lines = markdown.lines_of(text)
    says = [None if row.text == lines[row.line] else row.text for row in rows]
    return [says, *([getattr(row, name) for row in rows] for name in _FIELDS)]


def restored(fields: Sequence[Sequence[Any]], text: str) -> list[Row]:
    """The rows of `text` whose fields are told."""
    lines = markdown.lines_of(text)
    found = []
    for told in zip(*fields, strict=True):
        row = Row.__new__(Row)
        says, row.above, row.heading, row.is_outside, row.kind, row.level, row.line, row.unit = told
        row.text = lines[row.line] if says is None else says
        found.append(row)
    return found


def said(rows: Sequence[Row], at: int) -> str:
    """What a row says wherever it stands, folded, with the item or label that it stands below; empty for a heading, and
    where it has few letters.
    """
    if not _says_enough(rows[at].text):
        return ""
    lines = []
    while at != NOTHING and rows[at].kind != markdown.HEADING:
        lines.append(" ".join(rows[at].text[markdown.marker(rows[at].text) :].casefold().split()))
        at = rows[at].above
    return "\n".join(lines)


def _says_enough(text: str) -> bool:
    """Return whether a text has so many letters that it says something wherever it stands."""
    letters = 0
    for char in text:
        if char.isalpha():
            letters += 1 + (char >= _WIDE_FROM)
            if letters >= _FEWEST_LETTERS_SAID:
                return True
    return False


class _Reader:
    """Adds blocks to `rows`."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._headings: list[tuple[int, int]] = []
        self._above = NOTHING
        self._head = NOTHING
        self._unit = 0

    def add(self, block: Block) -> None:
        """Add the rows of `block`."""
        kind = block.kind
        if kind in (markdown.BLANK, markdown.RULE):
            return
        if kind != markdown.ROW:
            self._head = NOTHING
        if kind == markdown.HEADING:
            self._heading(block)
            return
        self._unit += 1
        if kind == markdown.TABLE_HEAD:
            self._head = self._one(block.text.partition("\n")[0], block.line, kind, self._above)
        elif kind == markdown.ROW:
            self._one(block.text, block.line, kind, self._above if self._head == NOTHING else self._head)
        elif inset.has_fence(block.text) and len(block.text) <= _LONGEST_FENCE_CHARS:
            self._one(block.text, block.line, kind, self._above)
        else:
            text = inset.lines(block.text, quotes=False) if inset.has_fence(block.text) else block.text
            self._lines(text, block)

    def _heading(self, block: Block) -> None:
        self._headings = [one for one in self._headings if one[0] < block.level]
        self._above = NOTHING
        if not block.title:
            return
        outer = self._headings[-1][1] if self._headings else NOTHING
        # A heading of one short word says little without the one above it; a day above it says when all of it was.
        is_dated = outer != NOTHING and _is_dated(self.rows[outer].text) and not _is_dated(block.title)
        above = outer if is_dated or len(block.title) <= TELLING_HEADING_CHARS else NOTHING
        self._unit += 1
        at = self._one(block.text, block.line, markdown.HEADING, above, level=block.level)
        self._headings.append((block.level, at))
        self._above = at

    def _lines(self, text: str, block: Block) -> None:
        """The lines of a paragraph, or of an item, each below the one that is indented less."""
        is_item = block.kind == markdown.ITEM
        heading = self._headings[-1][1] if self._headings else NOTHING
        if not is_item:
            self._above = heading
        around: list[tuple[int, int]] = []
        for offset, line in enumerate(text.rstrip("\n").split("\n")):
            if not line.strip():
                continue
            wide = line.expandtabs(4)
            indent = len(wide) - len(wide.lstrip())
            around = [one for one in around if one[0] < indent]
            above = around[-1][1] if is_item and around else self._above
            at = self._one(line, block.line + offset, block.kind, above)
            around.append((indent, at))
            if not is_item:
                self._above = at if self.rows[at].is_label else heading

    def _one(self, text: str, line: int, kind: str, above: int, *, level: int = 0) -> int:
        heading = self._headings[-1][1] if self._headings else NOTHING
        self.rows.append(Row(text, line, kind, above=above, heading=heading, unit=self._unit, level=level))
        return len(self.rows) - 1


def _is_dated(title: str) -> bool:
    return "20" in title and _DATE.search(title) is not None


def telling(rows: Sequence[Row]) -> Iterator[int]:
    """The indices of rows that are shown for themselves: all but headings and labels with something below them."""
    needed = {row.above for row in rows}
    for index, row in enumerate(rows):
        if row.kind == markdown.HEADING:
            below = rows[index + 1] if index + 1 < len(rows) else None
            if below is None or (below.kind == markdown.HEADING and below.level <= row.level):
                yield index
        elif row.kind != markdown.TABLE_HEAD and (index not in needed or not row.is_label):
            yield index
