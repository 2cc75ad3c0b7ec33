"""Reading a note: its entries, each with kind and state, and how sure these are. Pure, one pass, linear.

What counts, in this order: marks of the line itself, a marker word at its beginning, the heading it stands under.
A word inside a sentence never does.
"""

from __future__ import annotations

from agentws.formats import markdown, notes, origin
from agentws.planning.notes import vocabulary
from agentws.planning.notes.entry import DONE, DROPPED, MARKED, OPEN, OVER, STRUCTURE, WAITING, Entry
from agentws.planning.notes.said import said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.planning.notes.vocabulary import Vocabulary

_LONGEST_LABEL_CHARS = 80
_STATES = {"todo": OPEN, "question": OPEN, "waiting": WAITING, "done": DONE, "dropped": DROPPED}
"""The state that a kind gives."""
_KINDS = {
    "open": "todo",
    "decisions": "decision",
    "rules": "rule",
    "lessons": "lesson",
    "preferences": "preference",
    "facts": "fact",
    "questions": "question",
    "errors": "error",
}
"""The kind that a heading of the vocabulary gives; other words are kinds themselves."""
_SHORTEST_LINE_CHARS = 2
_LONGEST_CELL_CHARS = 40
_FENCES = ("```", "~~~")


class _Above:
    """What the headings above an entry say of it, read once for all that stand below them."""

    __slots__ = ("kind", "path", "state")

    def __init__(self, path: tuple[str, ...], words: Vocabulary) -> None:
        self.path = path
        self.kind: str | None = None
        self.state: str | None = None
        for title in reversed(path):
            mark = notes.state(title)
            kind = words.heading(title)
            if mark or kind:
                self.kind = _KINDS.get(kind, kind) if kind else None
                self.state = mark if mark in OVER else _STATES.get(self.kind or "", mark)
                break


def read(
    text: str,
    *,
    path: str,
    day: str = "",
    words: Vocabulary = vocabulary.USUAL,
    first_line: int = 1,
) -> list[Entry]:
    """Return the entries of `text`, in order; `day` is the ISO day of a log, `words` what its headings may say."""
    return _Reader(path, day, words).read(text, first_line)


class _Reader:
    """Reads one file. `label` is the line above a list that names what is in it."""

    __slots__ = ("above", "day", "entries", "known", "label", "path", "words")

    def __init__(self, path: str, day: str, words: Vocabulary) -> None:
        self.path = path
        self.day = day
        self.words = words
        self.entries: list[Entry] = []
        self.known: dict[tuple[str, ...], _Above] = {}
        self.above = self._above(())
        self.label = ""

    def read(self, text: str, first_line: int) -> list[Entry]:
        headings: tuple[str, ...] = ()
        for unit in markdown.units(text, first_line=first_line):
            if unit.path is not headings:
                headings = unit.path
                self.above = self._above(headings)
                self.label = ""
            if unit.kind == markdown.PARAGRAPH:
                self.label = ""
            has_origin = "(via " in unit.text and unit.kind != markdown.FENCE
            at = len(self.entries)
            if unit.kind == markdown.ITEM:
                self._item(unit)
            elif unit.kind == markdown.PARAGRAPH:
                self._paragraph(unit)
            else:
                self._one(unit)
            if has_origin:
                _from_outside(self.entries[at:], unit)
        return self.entries

    def _above(self, path: tuple[str, ...]) -> _Above:
        found = self.known.get(path)
        if found is None:
            found = self.known[path] = _Above(path, self.words)
        return found

    def _entry(self, text: str, line: int, form: str, above: _Above, whole: str) -> Entry:
        """A new entry, with what its own line says, else what stands above it."""
        entry = Entry(text, line, form=form, path=self.path, day=self.day)
        entry.headings = above.path
        entry.whole = whole
        self.entries.append(entry)
        return entry

    def _one(self, unit: markdown.Unit) -> None:
        """A table row, a fence, an empty heading."""
        text = _ended(unit.text)
        entry = self._entry(text, unit.line, unit.kind, self._under_label(), text)
        entry.head = unit.head
        if unit.kind == markdown.FENCE:
            entry.said = " ".join(text.split())
        elif unit.kind == markdown.ROW:
            _read_row(entry, self.words, self._under_label())
        else:
            _read_line(entry, self.words, self._under_label())

    def _under_label(self) -> _Above:
        return self._above((*self.above.path, self.label)) if self.label else self.above

    def _paragraph(self, unit: markdown.Unit) -> None:
        """A paragraph; a line of it that begins with a mark or a label begins an entry of its own."""
        lines = _ended(unit.text).split("\n")
        starts = [0] + [at for at in range(1, len(lines)) if _begins_anew(lines[at])]
        for place, start in enumerate(starts):
            end = starts[place + 1] if place + 1 < len(starts) else len(lines)
            text = "\n".join(lines[start:end])
            entry = self._entry(text, unit.line + start, unit.kind, self._under_label(), unit.text)
            _read_line(entry, self.words, self._under_label())
            if entry.is_label:
                self.label = entry.said.rstrip("*_:： ")

    def _item(self, unit: markdown.Unit) -> None:
        """A list item, and each that is nested in it."""
        lines = _ended(unit.text).split("\n")
        above = self._under_label()
        if len(lines) == 1:
            _read_line(self._entry(lines[0], unit.line, unit.kind, above, unit.text), self.words, above)
            return
        nest: list[tuple[int, int, _Above]] = []  # indent, index and what stands above of each item around
        starts = _starts(lines)
        for place, (start, indent, form) in enumerate(starts):
            end = starts[place + 1][0] if place + 1 < len(starts) else len(lines)
            while nest and nest[-1][0] >= indent:
                nest.pop()
            parent = self.entries[nest[-1][1]] if nest else None
            around = nest[-1][2] if nest else above
            if parent is not None and parent.is_label:
                around = self._above((*parent.headings, parent.said.rstrip("*_:： ")))
            index = len(self.entries)
            entry = self._entry("\n".join(lines[start:end]).rstrip(), unit.line + start, form, around, unit.text)
            entry.parent = nest[-1][1] if nest else None
            _read_line(entry, self.words, around)
            if parent is not None:
                _below(entry, parent)
            has_more = place + 1 < len(starts) and starts[place + 1][1] > indent
            if not has_more and form == markdown.ITEM:
                entry.is_label = False
            nest.append((indent, index, around))
            if form == markdown.PARAGRAPH and place + 1 == len(starts) and _is_label(entry, entry.text):
                entry.is_label = True
                self.label = entry.said.rstrip("*_:： ")


def _read_line(entry: Entry, words: Vocabulary, above: _Above) -> None:
    """Give an entry what its first line says of it: its marks, the word it begins with, else what stands above."""
    text = entry.text
    entry.said = said(text)
    entry.is_label = _is_label(entry, text)
    line = entry.first if "\n" in text else text
    kind = notes.kind_in(line[:60]) if "[" in line else None
    mark = notes.state(line)
    marker = words.marker(entry.said)
    if marker:
        entry.core = marker[1]
    own = kind or (_KINDS.get(marker[0], marker[0]) if marker else None)
    entry.kind = own or above.kind
    if kind or mark:
        entry.sure = MARKED
    elif entry.kind or above.state:
        entry.sure = STRUCTURE
    entry.state = mark or (_STATES.get(own) if own else None) or above.state
    entry.is_urgent = notes.is_urgent(line)
    if entry.is_label and not mark:
        entry.state = None


def _below(entry: Entry, parent: Entry) -> None:
    """Let a nested item know its parent: what is below one that is over is over, but where it says another thing."""
    if entry.sure == MARKED or (entry.core and entry.state):
        return
    if parent.state in OVER:
        entry.state, entry.sure = parent.state, STRUCTURE
    elif not parent.is_label:
        entry.state = None  # it says more of its parent, and is not to be done itself


def _read_row(entry: Entry, words: Vocabulary, above: _Above) -> None:
    """Give a row of a table the state that one of its cells names; where two do, none: it compares things."""
    cells = [cell.strip(" *_") for cell in entry.text.strip().strip("|").split("|")]
    entry.said = " | ".join(filter(None, map(said, cells)))
    entry.kind, entry.state = above.kind, above.state
    entry.sure = STRUCTURE if above.kind or above.state else entry.sure
    found = []
    for cell in cells:
        mark = notes.state(cell)
        word = words.heading(cell) if 0 < len(cell) <= _LONGEST_CELL_CHARS and cell is not cells[0] else None
        state = mark or _STATES.get(_KINDS.get(word, word) if word else "")
        if state:
            found.append((state, MARKED if mark else STRUCTURE))
    if len(found) == 1:
        entry.state, entry.sure = found[0]


def _from_outside(entries: list[Entry], unit: markdown.Unit) -> None:
    """Take kind and state from what others wrote."""
    lines = unit.text.split("\n")
    is_item = unit.kind == markdown.ITEM
    sources = origin.of_item(lines) if is_item else [origin.of_all(lines)] * len(lines)
    for entry in entries:
        entry.src = (
            origin.lowest(filter(None, sources[entry.line - unit.line : entry.end_line - unit.line + 1]))
            if any(sources[entry.line - unit.line : entry.end_line - unit.line + 1])
            else ""
        )
        if entry.src:
            entry.kind = entry.state = None
            entry.sure = "text"
            entry.is_urgent = False


def _starts(lines: list[str]) -> list[tuple[int, int, str]]:
    """(line, indent, form) of each entry in an item: nested items, and what follows below one at a lower indent."""
    found = [(0, _indent(lines[0]), markdown.ITEM)]
    fence = ""
    for at in range(1, len(lines)):
        line = lines[at]
        body = line.lstrip()
        if fence:
            fence = "" if body.startswith(fence) and not body.strip(fence[0]).strip() else fence
        elif body.startswith(_FENCES):
            fence = body[:3] if any(one.lstrip().startswith(body[:3]) for one in lines[at + 1 :]) else ""
        elif body and markdown.marker(line):
            found.append((at, _indent(line), markdown.ITEM))
        elif body and _indent(line) <= found[-1][1] and (not lines[at - 1].strip() or _begins_anew(line)):
            found.append((at, _indent(line), markdown.PARAGRAPH))
    return found


def _indent(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _begins_anew(line: str) -> bool:
    """Return whether a line inside a paragraph begins with a mark or a label in bold type."""
    body = line.lstrip()
    return body.startswith("**") or (not body[:1].isascii() and notes.begins_with_mark(body))


def _is_label(entry: Entry, text: str) -> bool:
    if len(text) > _LONGEST_LABEL_CHARS or "\n" in text:
        return False
    body = text.rstrip()
    if body.endswith((":", "：", ":**", "：**", ":*", ":__")):
        return True
    return entry.form == markdown.PARAGRAPH and body.startswith("**") and body.endswith("**") and body.count("**") == 2


def _ended(text: str) -> str:
    return text.rstrip("\r\n")
