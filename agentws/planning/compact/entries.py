"""The lines of logs that compaction adds to MEMORY.md: those that their author marked. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentws.formats import layout
from agentws.formats.documents import managed
from agentws.formats.documents.sources import PERSON
from agentws.formats.markdown import markdown
from agentws.planning.compact.private import is_private

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from agentws.formats.documents.sources import Sidecar
    from agentws.formats.secrets.named import Secrets
    from agentws.planning.notes.entry import Entry

PRESENT = f"{layout.MEMORY} already contains the line"
TAKEN = "curate used the line, or a person declined it"
REMOVED = f"the entry was removed from {layout.MEMORY}"
OUTSIDE = "the line comes from outside"
EARLIER = "the line was written before the workspace was adopted"
OVER = "the line is struck, or closed by a later line"
PRIVATE = "the line is private or contains a secret"


@dataclass(slots=True)
class NewEntry:
    """An entry that a run adds to MEMORY.md.

    Fields:
        text: the words with their day; kind: `decision`, `rule` …; day: the first on which they were written.
        lines: the entries of the logs that say it, the oldest first.
    """

    text: str
    kind: str
    day: str
    lines: list[Entry] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A marked line that a run does not add, and `why`."""

    line: Entry
    why: str


@dataclass(slots=True)
class Selection:
    """The entries that a run adds (`new`), and the marked lines that it does not (`unused`)."""

    new: list[NewEntry] = field(default_factory=list)
    unused: list[MarkedLine] = field(default_factory=list)


def select(
    logs: Iterable[Sequence[Entry]],
    *,
    memory: str,
    known: Sidecar,
    secrets: Secrets,
    private_tags: Collection[str],
    today: str,
    since: str = "",
    closed: Collection[str] = (),
) -> Selection:
    """Return what of the `logs`, the oldest first, enters the document `memory`.

    `known` says what earlier runs and answers did, `secrets` which values are secret, `since` is the day from which on
    marked lines count (ISO, empty for all), `closed` are references that a line closes.
    """
    selection = Selection()
    present = {_folded(managed.without_day(_bullet(unit))) for unit in markdown.units(memory)}
    taken = {
        (source.path, source.line) for row in known.made.values() if not row.run for source in row.sources
    }  # an answer of the author to a brief
    by_words: dict[str, NewEntry] = {}
    for line in (entry for log in logs for entry in log if is_marked(entry)):
        words = " ".join(line.body.split())
        text = managed.with_day(words, line.day, today=today)
        if line.importance:
            text += f" !{line.importance}"
        why = _why_not(line, since=since, closed=closed)
        if not why and _folded(words) in present:
            why = PRESENT
        if not why and ((line.path, line.line) in taken or known.declined.get(managed.of_text(words)) == PERSON):
            why = TAKEN
        if not why and _was_removed(line, (words, text), known):
            why = REMOVED
        if not why and is_private(line, private_tags, secrets):
            why = PRIVATE
        if why:
            selection.unused.append(MarkedLine(line, why))
            continue
        entry = by_words.get(_folded(words))
        if entry is None:
            entry = by_words[_folded(words)] = NewEntry(text, line.kind or "", line.day)
            selection.new.append(entry)
        entry.lines.append(line)
    return selection


def is_marked(entry: Entry) -> bool:
    """Return whether its author marked a line as a decision, lesson, preference, fact or rule."""
    if entry.kind not in managed.KINDS or entry.is_label:
        return False
    return entry.form in (markdown.ITEM, markdown.PARAGRAPH) and any(map(str.isalnum, entry.body))


def _why_not(line: Entry, *, since: str, closed: Collection[str]) -> str:
    """Why a marked line does not count by itself; empty where nothing speaks against it."""
    if line.src:
        return OUTSIDE
    if line.state is not None or line.ref in closed:
        return OVER
    return EARLIER if line.day < since else ""


def _was_removed(line: Entry, texts: Iterable[str], known: Sidecar) -> bool:
    """Return whether MEMORY.md had the line, which is no longer there; earlier versions wrote it without its day."""
    names = [managed.of_text(text) for text in texts]
    made = [row for name in names if (row := known.made.get(name)) is not None]
    last = [row.until for row in (*made, *map(known.stated.get, names)) if row is not None and not row.is_current]
    last += [max((row.day, *row.confirmed)) for row in made]
    return any(line.day <= day for day in last)


def _bullet(unit: markdown.Unit) -> str:
    return unit.text[markdown.marker(unit.text) :]


def _folded(text: str) -> str:
    return "".join(text.casefold().split()).strip("*_.:;!。！")
