"""The closure of open items: the items that a reference or a few words mean, and changes that close one. Pure.

An item is closed by a log line or a ticked box. Words match in any script.
"""

from __future__ import annotations

import unicodedata

from agentws.core import Record, Result
from agentws.core.formats import layout
from agentws.core.formats.documents import daily
from agentws.core.formats.journal import summary
from agentws.core.markdown import markdown, notes
from agentws.core.notes import reference, similarity
from agentws.core.notes.entry import DONE, DROPPED, OVER, Entry
from agentws.core.text import origin
from agentws.errors import AmbiguousError, NothingOpenError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.core.formats.documents.task import Task
    from agentws.core.notes.open_items import File


TASK, STEP, BOX, LINE, APPROVAL = "task", "step", "box", "line", "approval"
"""What is open: a task, a box in the file of one, a box in MEMORY.md, a line of a log, a question to a person."""
STALE_DAYS = 14
"""What no day has mentioned for longer is stale: only the list of `todo --stale` asks."""
_LONGEST_CHARS = 200
_CROSS = "❌"
_DRAWN, _TICKED = ("☐", "⬜"), "☑"


class Row(Record, Result):
    """An open item that can be closed, as a row of `agentws todo`.

    Fields:
        ref: its reference, long enough to be unique.
        text: its text, in one line. heading: what it is about, if only its place in the file shows it; else empty.
        path, line: where its newest wording is, 1-based.
        form: TASK, STEP, BOX, LINE or APPROVAL.
        state: `open` or `waiting`; for a task the status in its file.
        since, last: the first and the newest day of a log with it; empty without one.
        days: the number of days on which it was written.
        due: its due date (ISO), or empty.
        is_late: whether the due date is past.
        is_stale: whether no log has mentioned it for long.
        src: the origin of an item from outside, which is not the agent's.
        tags: its tags.
        said: all entries with it, newest first; empty for a task.
        slug: the task that it is, or is a step of; else empty.
    """

    ref: str
    text: str
    path: str
    line: int
    form: str = LINE
    state: str = "open"
    heading: str = ""
    since: str = ""
    last: str = ""
    days: int = 1
    due: str = ""
    is_late: bool = False
    is_stale: bool = False
    src: str = ""
    tags: tuple[str, ...] = ()
    said: Sequence[Entry] = ()
    slug: str = ""


class Open:
    """The open items of a workspace that can be closed.

    `rows` are the agent's own: those of `core/notes/open_items.py` in its order, then those of the features. `outside`
    are items from outside, which are not the agent's. `files` have all entries that count; `closed` are those that were
    open, each with the entry that closed it. `unread` says of each file that was not read why; the notices do so too.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.outside: list[Row] = []
        self.notices: list[str] = []
        self.unread: list[str] = []
        self.files: list[File] = []
        self.closed: dict[Entry, Entry] = {}


def words(text: str, note: str) -> str:
    """Return the text of the log line for the closure of an item: the item, and the note about it."""
    shortened = summary.cut(text, _LONGEST_CHARS)
    return f"{shortened}: {note.strip()}" if note.strip() else shortened


def can_be_ticked(entry: Entry) -> bool:
    """Return whether an entry's closure is a tick: a check box of MEMORY.md or a task (docs/format/task.md).

    `compact` removes ticked boxes from the digest: a line in a log closes its items for ever.
    """
    is_step = entry.path.startswith(f"{layout.TASKS}/")
    return (
        not (entry.day or entry.path == layout.DIGEST)
        and notes.has_box(entry.first)
        and not (is_step and "[" not in entry.first)
    )


def ticked(text: str, boxes: Sequence[Entry], kind: str) -> str | None:
    """Return the document with these closed entries' boxes ticked, or crossed if dropped; no other line changes.

    None if one of them is no longer in the document.
    """
    lines = text.split("\n")
    plain = [line.rstrip("\r") for line in lines]
    for entry in boxes:
        first, at = entry.first.rstrip("\r"), entry.line - 1
        if plain[at : at + 1] != [first]:
            if first not in plain:
                return None
            at = plain.index(first)
        lines[at] = _ticked(lines[at], kind)
        plain[at] = ""
    return "\n".join(lines)


def numbers(task: Task, boxes: Sequence[Entry]) -> list[int]:
    """Return the numbers (from 1) that the boxes of entries to close have in their task, without checked ones."""
    wanted = [entry.first[markdown.marker(entry.first) + 3 :].strip() for entry in boxes]
    return [number for number, (text, checked) in enumerate(task.boxes, 1) if not checked and text in wanted]


def _ticked(line: str, kind: str) -> str:
    at = markdown.marker(line)
    cross = f" {_CROSS}" if kind == daily.DROPPED else ""
    indent = len(line[at:]) - len(line[at:].lstrip())
    if line[at + indent :].startswith(_DRAWN):
        at += indent
        return f"{line[:at]}{_TICKED}{cross}{line[at + 1 :]}"
    return f"{line[:at]}[x]{cross}{line[at + 3 :]}"


def closed_items(files: Sequence[File], closed: dict[Entry, Entry]) -> list[Row]:
    """Return a row for each closed item, newest first.

    Place, day (`last`) and state of a row are those of the line that closed it. `closed` has the entries that were
    open, each with that line.
    """
    itself = [entry for file in files for entry in file.entries if entry.state in OVER and not entry.closes]
    rows = []
    for entry, by in (*closed.items(), *zip(itself, itself, strict=True)):
        state = state_by(by)
        rows.append(Row(entry.ref, entry.body.strip(), by.path, by.line, state=state, last=by.day, said=[entry]))
    return sorted(rows, key=lambda row: row.last, reverse=True)


def state_by(closing: Entry) -> str:
    """Return the state of an item after its closure by this entry: `done` (also by a newer list), or `dropped`."""
    return DROPPED if closing.state == DROPPED else DONE


_MOST_NEAR, _MOST_SHOWN = 5, 8
_WITH_ARTICLES = ("\u0590", "\u08ff")
"""The first and last character of scripts whose articles and prepositions are written to the word."""
_FEWEST_BEHIND = 3
_MOST_SHARING = 2
"""A word that more items have does not tell them apart: `the`."""
_FEWEST_CUT_SHORT = 4
"""A word with fewer letters is near to itself alone: `of` is not near to an office."""


def named(words: Sequence[str], among: Open) -> list[Row]:
    """Return the open items that match these words: by reference, else by text (the agent's own items only).

    AmbiguousError, NothingOpenError; UsageError for several references and a word.
    """
    referred = [by_reference(word, [*among.rows, *among.outside]) for word in words]
    if all(referred):
        return list(dict.fromkeys(_only(word, rows) for word, rows in zip(words, referred, strict=True)))
    given = " ".join(words)
    rows = literally(given, among.rows)
    if rows:
        return [_only(given, rows)]
    unknown = [word for word, rows in zip(words, referred, strict=True) if not rows]
    if len(words) - len(unknown) > 1 and not any(map(reference.is_like_ours, unknown)):
        raise UsageError("References and words are mixed. Nothing was closed.", hint="Give references only, or words.")
    closed = _closed(unknown if len(unknown) < len(words) else [given, *words], among)
    raise _nothing_open(" ".join(unknown), closed, nearest(given, among.rows))


def _closed(given: Sequence[str], among: Open) -> list[tuple[str, Row]]:
    """Return the closed items that these references mean, with their reference; else those with the first text."""
    items = closed_items(among.files, among.closed)
    named = [(word, by_reference(word, items)) for word in given]
    closed = [(word, rows[0]) for word, rows in named if rows]
    return closed or [(given[0], row) for row in literally(given[0], items)]


def _nothing_open(given: str, closed: Sequence[tuple[str, Row]], near: Sequence[Row]) -> NothingOpenError:
    hint = f"Nearest open items:\n{_lines(near)}" if near else "List open items: agentws todo"
    if not closed:
        return NothingOpenError(f"No open item matches {given!r}.", hint=hint)
    name, row = closed[0]
    day = f" on {row.last}" if row.last else ""
    verb = "dropped" if row.state == daily.DROPPED else "closed"
    place = f"{words(row.text, '')} ({row.path}:{row.line})"
    return NothingOpenError(f"{name!r} was already {verb}{day}: {place}", hint=hint)


def _only(given: str, rows: Sequence[Row]) -> Row:
    if len(rows) == 1:
        return rows[0]
    more = f"\n  and {len(rows) - _MOST_SHOWN} more: agentws todo" if len(rows) > _MOST_SHOWN else ""
    raise AmbiguousError(
        f"{len(rows)} open items match {given!r}. Nothing was closed.",
        hint=f"Name one by reference:\n{_lines(rows[:_MOST_SHOWN])}{more}",
    )


def _lines(rows: Sequence[Row]) -> str:
    return "\n".join(
        f"  {row.ref}  {words(row.text, '')}{origin.ending(row.src)}  ({row.path}:{row.line})" for row in rows
    )


def by_reference(given: str, rows: Sequence[Row]) -> list[Row]:
    """Return the open items that match this reference: `t3fk`, `^t3fk`, a longer form of it, or FILE:LINE."""
    name = given.removeprefix("^")
    if not name:
        return []

    def is_called(entry: Entry) -> bool:
        return name == entry.ref or (len(name) > reference.SHORTEST and name == entry.longer_ref(len(name)))

    exact = [row for row in rows if name == row.ref or any(map(is_called, row.said))]
    if exact:
        return exact
    longer = [row for row in rows if len(name) >= reference.SHORTEST and row.ref.startswith(name)]
    return longer or [row for row in rows if row.path and given == f"{row.path}:{row.line}"]


def literally(given: str, rows: Sequence[Row]) -> list[Row]:
    """Return the open items that match all of these words, in any order, also as beginnings of longer words.

    An item with exactly this text wins over one with more words; accents count only if they decide. If no word begins
    so, an Arabic or Hebrew word may match at its end, after its article.
    """
    wanted = similarity.words(given)
    if not wanted:
        return [row for row in rows if given.strip() and given.strip() in row.text]
    exact = [row for row in rows if similarity.words(row.text) == wanted]
    if exact:
        return exact
    return _all_of(given, rows, _folded) or _all_of(given, rows, _bare) or _all_of(given, rows, _bare, ending=True)


def nearest(given: str, rows: Sequence[Row]) -> list[Row]:
    """Return the open items that match most of these words, those with the rarest words first."""
    texts = [_bare(row.text) for row in rows]
    worth = [0.0] * len(rows)
    for word in _parts(_bare(given)):
        sharing = [at for at, text in enumerate(texts) if _is_near(word, text)]
        for at in sharing if sum(word in _parts(texts[at]) for at in sharing) <= _MOST_SHARING else ():
            worth[at] += 1 / len(sharing)
    best = sorted((at for at in range(len(rows)) if worth[at]), key=lambda at: -worth[at])
    return [rows[at] for at in best[:_MOST_NEAR]]


def _is_near(word: str, text: str) -> bool:
    is_whole = len(word) < _FEWEST_CUT_SHORT and word.isascii()
    return word in _parts(text) if is_whole else _is_in(word, text)


def _all_of(given: str, rows: Sequence[Row], fold: Callable[[str], str], *, ending: bool = False) -> list[Row]:
    wanted = _parts(fold(given))
    texts = [(row, fold(row.text)) for row in rows]
    return [row for row, text in texts if all(_is_in(word, text, ending=ending) for word in wanted)]


def _is_in(word: str, text: str, *, ending: bool = False) -> bool:
    """Return whether a word begins a word of a text, or is in the text if its script has no spaces."""
    if any(map(similarity.is_unspaced, word)):
        return word in text
    if ending and len(word) >= _FEWEST_BEHIND and _WITH_ARTICLES[0] <= word[0] <= _WITH_ARTICLES[1]:
        return any(part.endswith(word) for part in _parts(text))
    return any(part.startswith(word) for part in _parts(text))


def _parts(text: str) -> list[str]:
    return "".join(char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in text).split()


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _bare(text: str) -> str:
    """Return the text without accents: `Müller` and `Muller` are the same to a person in a hurry."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in plain if unicodedata.category(char) != "Mn")
