"""Reads the entries of a note, each under its headings, with its marks and state. Pure, one pass, linear.

Kind and state of an entry come from its marks, its box and the marker at its beginning, never from a heading or a word
inside a sentence.
"""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.markdown import comment, markdown, notes
from agentws.core.notes import reference, vocabulary
from agentws.core.notes.entry import (
    DONE,
    DROPPED,
    MARKED,
    OPEN,
    OVER,
    STRUCTURE,
    TEXT,
    TOPIC_END,
    WAITING,
    Entry,
    is_sign,
)
from agentws.core.notes.vocabulary import Vocabulary
from agentws.core.text import origin

_FENCES = ("```", "~~~")
STATES = {"todo": OPEN, "waiting": WAITING, "done": DONE, "dropped": DROPPED}
"""The state that a kind gives."""
STANDING_KINDS = ("decision", "rule", "lesson", "preference", "fact")
"""Kinds of what holds and is not to be done."""
_OWN_KINDS = frozenset((*STATES, *STANDING_KINDS, "question", "error"))
"""The words between brackets that need no looking up."""
_BRACKETS = {"[": "]", "【": "】", "［": "］"}
_LONGEST_LABEL_CHARS = 80
_DASHES = ("- ", "– ", "— ", ": ", "| ")
_LONGEST_KIND_CHARS = 26
_STRONG, _STRIKE = "**", "~~"
_ENDINGS = (")", "✅", "☑", "✔", "❌", "⏳", "⌛", "🔴", "\ufe0f")


def read(
    text: str,
    *,
    path: str,
    day: str = "",
    words: Vocabulary = vocabulary.USUAL,
    first_line: int = 1,
) -> list[Entry]:
    """Read the entries of the note `text`, in order; `day` is the ISO day of a log, `words` the vocabulary."""
    return _Reader(path, day, words).read(text, first_line)


class _Reader:
    """Reads one file. `above` are the headings of the moment, `around` these with the label above a list."""

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
            commented = comment.lines(text, first_line)
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
        if unit.kind == markdown.ROW:  # it has no kind and no state
            cells = text.strip().strip("|").split("|")
            entry.said = " | ".join(filter(None, (_plain(cell.strip()) for cell in cells)))
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
            _of_line(entry, text, self.words)
            self._follow(entry)

    def _begins_anew(self, lines: list[str], at: int) -> bool:
        line = lines[at]
        is_quote = line.lstrip().startswith(">")
        if is_quote or lines[at - 1].lstrip().startswith(">"):
            return is_quote and not lines[at - 1].lstrip().startswith(">")
        body = line.lstrip()
        is_marked = body[:1] in _BRACKETS and _begun(body, self.words)[1] is not None
        return is_marked or begins_anew(line) or self.words.marker(body) is not None

    def _item(self, unit: markdown.Unit) -> None:
        """Add a list item, and each that is nested in it."""
        text = unit.text.rstrip("\r\n")
        if "\n" not in text:
            entry = self._entry(text, unit.line, markdown.ITEM, self.around, text)
            _of_line(entry, text[markdown.marker(text) :], self.words)
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
            _of_line(entry, body, self.words)
            if nest:
                entry.parent = nest[-1][1]
            if form == markdown.PARAGRAPH:
                self._follow(entry)
            name = _label(entry, body) if next_indent > indent else ""
            nest.append((indent, len(self.entries) - 1, (*headings, name) if name else headings))

    def _follow(self, entry: Entry) -> None:
        """Let what follows a label have it as a heading."""
        name = "" if entry.parent is not None else _label(entry, entry.text)
        self.around = (*self.above, name) if name else self.above


def _take_origins(entries: list[Entry], unit: markdown.Unit) -> None:
    """Tell the entries of a unit which of them come from outside."""
    lines = unit.text.split("\n")
    sources = origin.of_item(lines) if unit.kind == markdown.ITEM else [origin.of_all(lines)] * len(lines)
    for entry in entries:
        outside = list(filter(None, sources[entry.line - unit.line : entry.end_line - unit.line + 1]))
        if outside:  # it loses what only the agent's own words have
            entry.src = origin.lowest(outside)
            entry.kind = entry.state = None
            entry.sure = TEXT


def _pass_days(entries: list[Entry]) -> None:
    """Skip the day that compaction put before a text, and its topic: `2026-10-01, Pump: …`. They are not its own."""
    from agentws.core.formats.documents import managed  # most files are logs

    for entry in entries:
        is_made = managed.HEADING in entry.headings or entry.path == layout.DIGEST
        if is_made and entry.said[10:11] in (" ", ",") and layout.is_day(entry.said[:10]):
            topic_end = entry.said.find(TOPIC_END, 11) if entry.said[10:12] == ", " else -1
            entry.core = max(entry.core, topic_end + len(TOPIC_END) if topic_end > 0 else 11)


def _starts(lines: list[str]) -> list[tuple[int, int, str]]:
    """(line, indent, form) of each entry in an item: nested items, and what follows below them at a lower indent."""
    result = [(0, _indent(lines[0]), markdown.ITEM)]
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
            result.append((at, _indent(line), markdown.ITEM))
        elif not lines[at - 1].strip() or begins_anew(line):
            indent = _indent(line)
            if indent <= result[-1][1]:
                result.append((at, indent, markdown.PARAGRAPH))
    return result


def _closes(line: str) -> bool:
    """Return whether a line that begins with a fence is one alone."""
    body = line.strip()
    return not body.strip(body[0])


def _indent(line: str) -> int:
    if "\t" in line:
        line = line.expandtabs(4)
    return len(line) - len(line.lstrip(" "))


def begins_anew(line: str) -> bool:
    """Return whether reading finds a new entry in a line below another one: it has bold type or a state sign."""
    body = line.lstrip()
    return body.startswith("**") or (not body[:1].isascii() and notes.begins_with_mark(body))


# What a line says of itself


def _of_line(entry: Entry, body: str, words: Vocabulary) -> None:
    """Set an entry's fields from its first line: `body`, without its bullet."""
    first, newline, rest = body.partition("\n")
    first = first.strip()
    start, kind = _begun(first, words)
    is_quote = first[:1] == ">"  # somebody else's words ask for nothing and end nothing
    marker = None if is_quote else words.marker(start)
    statement = _ended(_plain(start))
    if marker:
        behind = _ended(_plain(start[marker[1] :].lstrip()))
        entry.core = len(statement) - len(behind) if statement.endswith(behind) else 0
    entry.said = f"{statement} {' '.join(_plain(rest).split())}" if newline else statement
    mark = None if is_quote else _mark(first, is_item=entry.form == markdown.ITEM)
    if mark == WAITING and kind and STATES.get(kind) in OVER:
        mark = None  # `[done]` says what has become of what was waited for
    entry.kind = kind or (marker[0] if marker else None)
    entry.state = mark or (STATES.get(entry.kind) if entry.kind else None)
    if mark == DONE and entry.kind in STANDING_KINDS:
        entry.state = None  # it is confirmed, and holds on
    if mark or kind:
        entry.sure = MARKED
    elif marker:
        entry.sure = STRUCTURE


def _mark(first: str, *, is_item: bool) -> str | None:
    """The state that the box and the signs of a line give. What has a reference is not closed by a strike."""
    if first[:1] != "[" and _STRIKE not in first and first.isascii():
        return None
    if _STRIKE in first and reference.written(first):
        first = first.replace(_STRIKE, "")
    return notes.state(f"- {first}" if first[:1] == "[" and is_item else first)


def _label(entry: Entry, body: str) -> str:
    """Return what a line names that is listed below it, empty where it is no label: `**Next:**`, `Next:`."""
    line = body.strip()
    bare = line.rstrip("*_ ")
    is_strong = line.startswith("**") and line.endswith("**") and line.count("**") == 2
    if len(line) > _LONGEST_LABEL_CHARS or "\n" in line or not (is_strong or bare.endswith((":", "："))):
        return ""
    entry.is_label = True
    return entry.said.rstrip("*_:： ")


def _begun(body: str, words: Vocabulary) -> tuple[str, str | None]:
    """Return `body`, a line after its bullet, without the marks at its beginning, and the kind that they give."""
    kind: str | None = None
    emphasis = ""
    while body and not body[0].isalpha():
        char = body[0]
        if char in _BRACKETS:
            end = body.find(_BRACKETS[char], 0, _LONGEST_KIND_CHARS)
            if end == 2 and notes.is_box(body[:3]):
                body = body[3:].lstrip()
                continue
            named = _named(body, end, words) if end > 0 else None
            if named is None and not (end > 0 and _clock(body[1:])):
                break
            kind = kind or named
            body = body[end + 1 :].lstrip(" :：") if named else body[end + 1 :].lstrip()
        elif char in "*_~":
            if body[:2] not in (_STRONG, "__", _STRIKE):
                break
            emphasis = body[:2] if body[0] == "*" else emphasis
            body = body[2:].lstrip()
        elif char.isdigit():
            width = _clock(body)
            if not width:
                break
            body = body[width:].lstrip()
            body = body[2:].lstrip() if body.startswith(_DASHES) else body
        elif is_sign(char):
            body = body[1:].lstrip()
        else:
            break
    return f"{emphasis}{body}" if emphasis else body, kind


def _named(body: str, end: int, words: Vocabulary) -> str | None:
    """Return the kind that the bracketed word at the beginning of `body` names, in any language; else None.

    Also one that `log --kind` wrote; not the text of a link.
    """
    if body[end + 1 : end + 2] == "(":
        return None
    word = body[1:end]
    if word in _OWN_KINDS:
        return word
    return words.kind(word) or notes.kind_in(body[: end + 2])


def _plain(text: str) -> str:
    """Return `text` without strong emphasis and strikes; text between backticks is unchanged."""
    if _STRONG not in text and _STRIKE not in text:
        return text
    parts = text.split("`")
    for place in range(0, len(parts), 2):
        parts[place] = parts[place].replace(_STRONG, "").replace(_STRIKE, "")
    return "`".join(parts).strip()


def _ended(body: str) -> str:
    """Return `body` without the marks that it ends in."""
    if not (body.endswith(_ENDINGS) or "^" in body or " #" in body or " !" in body or body[-1:].isdecimal()):
        return body
    before = ""
    while body != before:
        before = body = body.rstrip()
        if body.endswith(")"):
            at = max(body.rfind("(via "), body.rfind("(closes "))
            if at >= 0 and ")" not in body[at:-1] and body[at - 1 : at] != "\\":
                body = body[:at]
            continue
        if body and is_sign(body[-1]):
            body = body[:-1]
            continue
        before_word, _, word = body.rpartition(" ")
        if before_word and (_is_mark(word) or (layout.is_day(word) and is_sign(before_word[-1]))):  # `✅ 2026-11-24`
            body = before_word
    return body


def _clock(text: str) -> int:
    """Return the width of the time of day that `text` begins with, 0 where it begins with none."""
    for hours in (2, 1):
        end = hours + 3
        if text[hours : hours + 1] == ":" and len(text) >= end and (text[:hours] + text[hours + 1 : end]).isdecimal():
            return 0 if text[end : end + 1].isalnum() or text[end : end + 1] == ":" else end
    return 0


def _is_mark(word: str) -> bool:
    sign, name = word[0], word[1:]
    if sign == "^":
        return reference.is_one(name)
    if sign == "!":
        return name.isdecimal()
    return sign == "#" and not name.isdecimal() and bool(name)
