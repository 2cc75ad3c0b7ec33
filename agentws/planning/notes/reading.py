"""Reading a note: its entries, each under its headings, with what it says of itself. Pure, one pass, linear."""

from __future__ import annotations

from agentws.formats import layout, origin
from agentws.formats.markdown import markdown, notes
from agentws.planning.notes import statement, vocabulary
from agentws.planning.notes.entry import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.planning.notes.vocabulary import Vocabulary

_FENCES = ("```", "~~~")


def read(
    text: str,
    *,
    path: str,
    day: str = "",
    words: Vocabulary = vocabulary.USUAL,
    first_line: int = 1,
) -> list[Entry]:
    """Return the entries of `text`, in order; `day` is the ISO day of a log, `words` the vocabulary."""
    return _Reader(path, day, words).read(text, first_line)


def read_line(text: str, *, path: str, day: str = "", words: Vocabulary = vocabulary.USUAL) -> Entry:
    """Return the entry of one item of a list, of one line and alone."""
    return read(f"- {' '.join(text.split())}", path=path, day=day, words=words)[0]


class _Reader:
    """Reads one file. `above` are the headings of the moment, `around` these with the label above a list."""

    __slots__ = ("above", "around", "day", "entries", "path", "words")

    def __init__(self, path: str, day: str, words: Vocabulary) -> None:
        self.path = path
        self.day = day
        self.words = words
        self.entries: list[Entry] = []
        self.above: tuple[str, ...] = ()
        self.around: tuple[str, ...] = ()

    def read(self, text: str, first_line: int) -> list[Entry]:
        for unit in markdown.units(text, first_line=first_line):
            if unit.path is not self.above:
                self.above = self.around = unit.path
            at = len(self.entries)
            if unit.kind == markdown.ITEM:
                self._item(unit)
            elif unit.kind == markdown.PARAGRAPH:
                self._paragraph(unit)
            else:
                self._other(unit)
            if "(via " in unit.text and unit.kind != markdown.FENCE:
                _take_origins(self.entries[at:], unit)
        if not self.day:
            _pass_days(self.entries)
        if "<!--" in text:
            commented = _commented(text, first_line)
            for entry in self.entries:
                if entry.line in commented:
                    entry.kind = entry.state = None
        return self.entries

    def _entry(self, text: str, line: int, form: str, headings: tuple[str, ...], whole: str) -> Entry:
        entry = Entry(text, line, form, self.path, self.day, headings, whole)
        self.entries.append(entry)
        return entry

    def _other(self, unit: markdown.Unit) -> None:
        """Add a table row, a fence, or a heading with nothing below it."""
        text = unit.text.rstrip("\r\n")
        entry = self._entry(text, unit.line, unit.kind, self.around, text)
        entry.head = unit.head
        if unit.kind == markdown.ROW:
            statement.of_row(entry)
        elif unit.kind == markdown.HEADING:
            entry.said = text.strip("# ")
        else:
            entry.said = " ".join(text.split())

    def _paragraph(self, unit: markdown.Unit) -> None:
        """Add a paragraph; a line of it that begins with a mark, a marker or bold type begins an entry of its own."""
        self.around = self.above
        text = unit.text.rstrip("\r\n")
        lines = text.split("\n") if "\n" in text else [text]
        starts = [0, *(at for at in range(1, len(lines)) if self._begins_anew(lines, at))]
        for start, end in zip(starts, (*starts[1:], len(lines)), strict=True):
            text = "\n".join(lines[start:end])
            entry = self._entry(text, unit.line + start, markdown.PARAGRAPH, self.around, unit.text)
            statement.of_line(entry, text, self.words)
            self._follow(entry)

    def _begins_anew(self, lines: list[str], at: int) -> bool:
        line = lines[at]
        is_quote = line.lstrip().startswith(">")
        if is_quote or lines[at - 1].lstrip().startswith(">"):
            return is_quote and not lines[at - 1].lstrip().startswith(">")
        return begins_anew(line) or self.words.marker(line.lstrip()) is not None

    def _item(self, unit: markdown.Unit) -> None:
        """Add a list item, and each that is nested in it."""
        text = unit.text.rstrip("\r\n")
        if "\n" not in text:
            entry = self._entry(text, unit.line, markdown.ITEM, self.around, text)
            statement.of_line(entry, text[markdown.marker(text) :], self.words)
            return
        above = self.around
        lines = text.split("\n")
        starts = _starts(lines)
        nest: list[tuple[int, int, tuple[str, ...]]] = []
        # Of each item around: its indent, its index, and the headings of its children.
        for (start, indent, form), (end, next_indent, _) in zip(
            starts, (*starts[1:], (len(lines), -1, "")), strict=True
        ):
            while nest and nest[-1][0] >= indent:
                nest.pop()
            headings = nest[-1][2] if nest else above if form == markdown.ITEM else self.above
            text = "\n".join(lines[start:end])
            entry = self._entry(text, unit.line + start, form, headings, unit.text)
            body = text[markdown.marker(text) :]
            statement.of_line(entry, body, self.words)
            if nest:
                entry.parent = nest[-1][1]
            if form == markdown.PARAGRAPH:
                self._follow(entry)
            name = statement.label(entry, body) if next_indent > indent else ""
            nest.append((indent, len(self.entries) - 1, (*headings, name) if name else headings))

    def _follow(self, entry: Entry) -> None:
        """Let what follows a label have it as a heading."""
        name = "" if entry.parent is not None else statement.label(entry, entry.text)
        self.around = (*self.above, name) if name else self.above


def _commented(text: str, first_line: int) -> set[int]:
    """The numbers of the lines that begin inside an HTML comment: nothing in it is asked for."""
    found: set[int] = set()
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start)) >= 0:
        first = first_line + text.count("\n", 0, start)
        found.update(range(first + 1, first + text.count("\n", start, end) + 1))
        start = text.find("<!--", end)
    return found


def _take_origins(entries: list[Entry], unit: markdown.Unit) -> None:
    """Tell the entries of a unit which of them come from outside."""
    lines = unit.text.split("\n")
    sources = origin.of_item(lines) if unit.kind == markdown.ITEM else [origin.of_all(lines)] * len(lines)
    for entry in entries:
        outside = list(filter(None, sources[entry.line - unit.line : entry.end_line - unit.line + 1]))
        if outside:
            statement.outside(entry, origin.lowest(outside))


def _pass_days(entries: list[Entry]) -> None:
    """Let what compaction wrote begin behind the day on which it was said: that is no date of its own."""
    from agentws.formats.documents import managed  # most files are logs

    for entry in entries:
        is_made = managed.HEADING in entry.headings or entry.path == layout.DIGEST
        if is_made and entry.said[10:11] == " " and layout.is_day(entry.said[:10]):
            entry.core = max(entry.core, 11)


def _starts(lines: list[str]) -> list[tuple[int, int, str]]:
    """(line, indent, form) of each entry in an item: nested items, and what follows below them at a lower indent."""
    found = [(0, _indent(lines[0]), markdown.ITEM)]
    fence = ""
    closers = {
        line.strip()[:3]: at for at, line in enumerate(lines) if line.strip().startswith(_FENCES) and _closes(line)
    }
    for at in range(1, len(lines)):
        line = lines[at]
        body = line.lstrip()
        if not body:
            continue
        if fence:
            fence = "" if body.startswith(fence) and _closes(line) else fence
        elif body[:3] in closers:
            fence = body[:3] if closers[body[:3]] > at else ""
        elif markdown.marker(line):
            found.append((at, _indent(line), markdown.ITEM))
        elif not lines[at - 1].strip() or begins_anew(line):
            indent = _indent(line)
            if indent <= found[-1][1]:
                found.append((at, indent, markdown.PARAGRAPH))
    return found


def _closes(line: str) -> bool:
    """Return whether a line that begins with a fence is one alone."""
    body = line.strip()
    return not body.strip(body[0])


def _indent(line: str) -> int:
    if "\t" in line:
        line = line.expandtabs(4)
    return len(line) - len(line.lstrip(" "))


def begins_anew(line: str) -> bool:
    """Return whether a line below another one begins with bold type or a sign that marks it."""
    body = line.lstrip()
    return body.startswith("**") or (not body[:1].isascii() and notes.begins_with_mark(body))
