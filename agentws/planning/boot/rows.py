"""A file as rows that can be shown by themselves: lines, whole fences, heads of tables; a view of its units. Pure.

A row names the one that has to stand `above` it: its heading, the item it belongs to, the head of its table, the label
of its list. Empty lines and thematic breaks are no rows.
"""

from __future__ import annotations

from itertools import pairwise

from agentws.formats.markdown import inset, markdown, quotation
from agentws.formats.text.lazy import Pattern
from agentws.planning.notes import entry, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from agentws.formats.markdown.markdown import Unit

_DATE = Pattern(r"\b20\d\d-[01]\d-[0-3]\d\b")
NOTHING = -1
_LONGEST_FENCE_CHARS = 1200
"""A longer one is shown line by line, and as no fence."""
_LONGEST_LABEL_CHARS = 100
_FEWEST_LETTERS = 8
_LONGEST_NAME_CHARS = 60
_EMPHASIS = "_*"
TELLING_HEADING_CHARS = 8
_FEWEST_LETTERS_SAID = 12
"""Lines of fewer say something only where they stand: `- yes`."""
_WIDE_FROM = "\u2e80"
"""A letter of these scripts says as much as two."""


_NO_LETTERS = bytes(code for code in range(0x80) if not chr(code).isalpha())
_FIELDS = ("above", "heading", "line", "unit")
_USUAL: dict[str, object] = {"is_outside": False, "kind": markdown.ITEM, "level": 0}
"""What most rows have: only other values are remembered."""


class Row:
    """A row: some lines that are shown together.

    `text` ends in a newline; `line` is its first one, 0-based; `kind` as in formats/markdown/markdown.py; `above` is
    the index of the row that it needs, NOTHING without one; `heading` that of its innermost heading; `unit` numbers the
    blocks. `is_outside`: it comes from outside, and is quoted.
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
        """The letters of the row: lines that differ in numbers and times alone share them. Empty where it has few."""
        text = self.text
        letters = text.encode().translate(None, _NO_LETTERS).decode() if text.isascii() else _letters(text)
        letters = letters.casefold()
        return letters if len(letters) >= _FEWEST_LETTERS else ""

    @property
    def is_label(self) -> bool:
        """Return whether it only says what is below it, as `**Next:**` does."""
        text = self.text.rstrip()
        return len(text) <= _LONGEST_LABEL_CHARS and text.rstrip("*_").endswith((":", "："))


def of(text: str) -> list[Row]:
    """The rows of `text`, in order: of the same units as the entries of a note."""
    reader = _Reader()
    for unit in markdown.units(text, frames=True):
        reader.add(unit)
    return reader.rows


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


def plain(rows: Sequence[Row], text: str) -> list[list[object]]:
    """The fields of these rows of `text` as plain values, field by field: `restored` makes the same rows of them.

    In place of what a row says stands None where that is its line.
    """
    lines = markdown.lines_of(text)
    says = [None if row.text == lines[row.line] else row.text for row in rows]
    usual = [entry.sparse([getattr(row, name) for row in rows], value) for name, value in _USUAL.items()]
    return [entry.sparse(says), *usual, *([getattr(row, name) for row in rows] for name in _FIELDS)]


def restored(fields: Sequence[Sequence[Any]], text: str) -> list[Row]:
    """The rows of `text` whose fields are told."""
    lines = markdown.lines_of(text)
    found = []
    says, *usual = (entry.full(told, value) for told, value in zip(fields, (None, *_USUAL.values()), strict=False))
    for own, is_outside, kind, level, above, heading, line, unit in zip(
        says, *usual, *fields[len(_USUAL) + 1 :], strict=True
    ):
        row = Row.__new__(Row)
        row.is_outside, row.kind, row.level = is_outside, kind, level
        row.above, row.heading, row.line, row.unit = above, heading, line, unit
        row.text = lines[line] if own is None else own
        found.append(row)
    return found


def together(rows: Sequence[Row], shown: Sequence[int]) -> dict[int, list[int]]:
    """Return, of the rows that may be `shown`, those that form one paragraph or one item."""
    found: dict[int, list[int]] = {}
    for before, at in pairwise(shown):
        first, row = rows[before], rows[at]
        if row.unit == first.unit and not (_begins(row) or says_nothing(row) or says_nothing(first)):
            group = found.setdefault(before, [before])
            group.append(at)
            found[at] = group
    return found


def _begins(row: Row) -> bool:
    """Return whether a row begins an entry of its own."""
    return (
        row.kind not in (markdown.ITEM, markdown.PARAGRAPH)
        or bool(markdown.marker(row.text))
        or reading.begins_anew(row.text)
    )


def said(rows: Sequence[Row], at: int) -> str:
    """Return the folded content of a row, with the item or label above it; empty for a heading, and
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


def says_nothing(row: Row) -> bool:
    """Return whether a row is what a template left: a remark all in italics or brackets, a field without a value."""
    text = row.text[markdown.marker(row.text) :].strip()
    if not any(map(str.isalnum, text)):
        return True
    if text[0] in _EMPHASIS and text[-1] == text[0]:
        return True
    name, colon, value = text.partition(":")
    value = value.strip(" *_\t")
    is_blank = not any(map(str.isalnum, value)) or (value[0] == "(" and value[-1] == ")")
    return bool(colon) and len(name) <= _LONGEST_NAME_CHARS and is_blank


class _Reader:
    """Adds units to `rows`. `headings` are the rows of headings, by their line; `head` is that of the table."""

    __slots__ = ("_above", "_head", "_headings", "_unit", "rows")

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._headings: dict[int, int] = {}
        self._above = self._head = NOTHING
        self._unit = 0

    def add(self, unit: Unit) -> None:
        """Add the rows of `unit`."""
        heading = self._headings.get(unit.under, NOTHING)
        title = markdown.title_of(unit.text) if unit.kind == markdown.HEADING else ""
        if unit.kind == markdown.HEADING and not title:
            self._headings[unit.line], self._above = heading, NOTHING
            return
        self._unit += 1
        if unit.kind == markdown.HEADING:
            # A heading of one short word says little without the one above it; a day above it says when all of it was.
            is_dated = heading != NOTHING and _is_dated(self.rows[heading].text) and not _is_dated(title)
            above = heading if is_dated or len(title) <= TELLING_HEADING_CHARS else NOTHING
            self._above = self._headings[unit.line] = self._one(unit, above, heading)
        elif unit.kind == markdown.TABLE_HEAD:
            self._head = self._one(unit, self._above, heading, unit.text.partition("\n")[0])
        elif unit.kind == markdown.ROW:
            self._one(unit, self._head if unit.head else self._above, heading)
        elif self._is_fence(unit):
            self._one(unit, self._above, heading)
        else:
            self._lines(unit, heading)

    def _is_fence(self, unit: Unit) -> bool:
        """Return whether a unit holds a fence to be shown whole; one in a paragraph is closed elsewhere, if at all."""
        is_closed = unit.kind != markdown.PARAGRAPH
        return is_closed and inset.has_fence(unit.text) and len(unit.text) <= _LONGEST_FENCE_CHARS

    def _lines(self, unit: Unit, heading: int) -> None:
        """The lines of a paragraph, or of an item, each below the one that is indented less."""
        text = inset.lines(unit.text, quotes=False) if inset.has_fence(unit.text) else unit.text
        is_item = unit.kind == markdown.ITEM
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
            at = self._one(unit, above, heading, line, offset)
            around.append((indent, at))
            if not is_item:
                self._above = at if self.rows[at].is_label else heading

    def _one(self, unit: Unit, above: int, heading: int, text: str = "", offset: int = 0) -> int:
        line, text = unit.line - 1 + offset, text or unit.text
        row = Row(text, line, unit.kind, above=above, heading=heading, unit=self._unit, level=unit.level)
        self.rows.append(row)
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
