"""Reading a note: its entries, each under its headings, with what it says for certain. Pure, one pass, linear."""

from __future__ import annotations

from agentws.formats import layout, origin
from agentws.formats.markdown import markdown, notes
from agentws.planning.notes import statement, vocabulary
from agentws.planning.notes.entry import DONE, OPEN, OVER, STRUCTURE, Entry
from agentws.planning.notes.statement import Above

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
    """Return the entries of `text`, in order; `day` is the ISO day of a log, `words` what its headings may say."""
    return _Reader(path, day, words).read(text, first_line)


def read_line(text: str, *, path: str, day: str = "", words: Vocabulary = vocabulary.USUAL) -> Entry:
    """Return the entry of one item of a list, of one line and alone."""
    text = " ".join(text.split())
    whole = f"- {text}"
    entry = Entry(whole, 1, markdown.ITEM, path, day, (), whole)
    statement.of_line(entry, text, words, Above((), None, words))
    if "(via " in text and (source := origin.of_line(whole)):
        statement.outside(entry, source)
    return entry


class _Reader:
    """Reads one file.

    `above` are the headings of the moment, `around` these with the label above a list; `apart` are headings that a
    thematic break ended: what stands behind it is another matter. `is_listed` tells whether a list stood below them;
    `boxes` are empty ones below a heading with a tick, with its state, `ticked` such headings with a full one.
    """

    __slots__ = (
        *("above", "apart", "around", "boxes", "day", "entries", "is_listed", "known", "path", "ticked", "words"),
    )

    def __init__(self, path: str, day: str, words: Vocabulary) -> None:
        self.path = path
        self.day = day
        self.words = words
        self.entries: list[Entry] = []
        self.known: dict[tuple[str, ...], Above] = {(): Above((), None, words)}
        self.above = self.around = self.apart = self.known[()]
        self.is_listed = False
        self.boxes: list[tuple[Entry, str]] = []
        self.ticked: set[tuple[str, ...]] = set()

    def read(self, text: str, first_line: int) -> list[Entry]:
        headings: tuple[str, ...] = ()
        for unit in markdown.units(text, first_line=first_line):
            if unit.path is not headings:
                headings = unit.path
                self.above = self.around = self._under(headings)
                self.is_listed = False
            if unit.is_apart and self.above is not self.apart:
                self.above = self.around = self.apart = Above(headings, None, None)
            at = len(self.entries)
            kind = unit.kind
            if kind == markdown.ITEM:
                self._item(unit)
                self.is_listed = True
                if self.around.is_ticked:
                    self._note_boxes(self.entries[at:])
            elif kind == markdown.PARAGRAPH:
                self._paragraph(unit)
            else:
                self._one(unit)
            if "(via " in unit.text and kind != markdown.FENCE:
                _take_origins(self.entries[at:], unit)
        for entry, state in self.boxes:
            if entry.headings not in self.ticked and not entry.src:
                entry.state, entry.sure = state, STRUCTURE
        if not self.day:
            _pass_days(self.entries)
        return self.entries

    def _note_boxes(self, entries: list[Entry]) -> None:
        """Note the boxes below a heading with a tick: empty ones were left so, unless others are ticked."""
        for entry in entries:
            if not notes.has_box(entry.first):
                continue
            if entry.state in OVER:
                self.ticked.add(entry.headings)
            elif entry.state == OPEN and notes.kind_in(entry.first) is None:
                self.boxes.append((entry, self.around.state or DONE))

    def _under(self, path: tuple[str, ...]) -> Above:
        found = self.known.get(path)
        if found is None:
            found = self.known[path] = Above(path, self._under(path[:-1]), self.words)
        return found

    def _entry(self, text: str, line: int, form: str, above: Above, whole: str) -> Entry:
        entry = Entry(text, line, form, self.path, self.day, above.path, whole)
        self.entries.append(entry)
        return entry

    def _one(self, unit: markdown.Unit) -> None:
        """Add a table row, a fence, or a heading with nothing below it."""
        text = unit.text.rstrip("\r\n")
        entry = self._entry(text, unit.line, unit.kind, self.around, text)
        entry.head = unit.head
        if unit.kind == markdown.ROW:
            statement.of_row(entry, self.words, self.around)
        elif unit.kind == markdown.HEADING:
            statement.of_line(entry, text.strip("# "), self.words, self.around)
        else:
            entry.said = " ".join(text.split())

    def _paragraph(self, unit: markdown.Unit) -> None:
        """Add a paragraph; a line of it that begins with a mark or bold type begins an entry of its own."""
        self.around = self.above
        text = unit.text.rstrip("\r\n")
        lines = text.split("\n") if "\n" in text else [text]
        starts = [0, *(at for at in range(1, len(lines)) if begins_anew(lines[at]) or _is_quoted(lines, at))]
        for start, end in zip(starts, (*starts[1:], len(lines)), strict=True):
            text = "\n".join(lines[start:end])
            entry = self._entry(text, unit.line + start, markdown.PARAGRAPH, self.around, unit.text)
            above = self._above_text() if self.around is self.above else self.around
            statement.of_line(entry, text, self.words, above)
            self._follow(entry)

    def _item(self, unit: markdown.Unit) -> None:
        """Add a list item, and each that is nested in it."""
        text = unit.text.rstrip("\r\n")
        if "\n" not in text:
            entry = self._entry(text, unit.line, markdown.ITEM, self.around, text)
            statement.of_line(entry, text[markdown.marker(text) :], self.words, self.around)
            return
        above = self.around
        lines = text.split("\n")
        starts = _starts(lines)
        nest: list[
            tuple[int, int, Above]
        ] = []  # of each item around: its indent, its index, what is above its children
        for (start, indent, form), (end, next_indent, _) in zip(
            starts, (*starts[1:], (len(lines), -1, "")), strict=True
        ):
            while nest and nest[-1][0] >= indent:
                nest.pop()
            around = nest[-1][2] if nest else above if form == markdown.ITEM else self._above_text()
            text = "\n".join(lines[start:end])
            entry = self._entry(text, unit.line + start, form, around, unit.text)
            body = text[markdown.marker(text) :]
            statement.of_line(entry, body, self.words, around)
            if nest:
                entry.parent = nest[-1][1]
                statement.below(entry, self.entries[entry.parent])
            if form == markdown.PARAGRAPH:
                self._follow(entry)
            name = statement.label(entry, body) if next_indent > indent else ""
            nest.append((indent, len(self.entries) - 1, self._named(around, name)))

    def _above_text(self) -> Above:
        """What stands above a paragraph: behind a list it is said about that, and is no item of it."""
        return Above(self.above.path, None, None) if self.is_listed else self.above

    def _follow(self, entry: Entry) -> None:
        """Let what follows a label stand under it."""
        name = "" if entry.parent is not None else statement.label(entry, entry.text)
        self.around = self._named(self.above, name)

    def _named(self, above: Above, name: str) -> Above:
        """What stands above a list below a label of this name; without a name `above` itself."""
        return Above((*above.path, name), above, self.words) if name else above


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


def _is_quoted(lines: list[str], at: int) -> bool:
    """Return whether a quotation begins in a line."""
    return lines[at].lstrip().startswith(">") and not lines[at - 1].lstrip().startswith(">")


def begins_anew(line: str) -> bool:
    """Return whether a line below another one begins with bold type or a sign that marks it."""
    body = line.lstrip()
    return body.startswith("**") or (not body[:1].isascii() and notes.begins_with_mark(body))
