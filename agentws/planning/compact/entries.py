"""The lines of logs that compaction adds to MEMORY.md: those that their author marked. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentws.formats import layout
from agentws.formats.documents import managed
from agentws.formats.documents.sources import PERSON
from agentws.formats.markdown import markdown, notes
from agentws.formats.secrets import named, secrets

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from agentws.formats.documents.sources import Sidecar
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
    hidden: named.Secrets,
    private_tags: Collection[str],
    today: str,
    since: str = "",
    closed: Collection[str] = (),
) -> Selection:
    """Return what of the `logs`, the oldest first, enters the document `memory`.

    `known` says what earlier runs and answers did, `hidden` which values are secret, `since` is the day from which on
    marked lines count (ISO, empty for all), `closed` are references that a line closes.
    """
    selection = Selection()
    present = {folded(managed.without_day(unit.text[markdown.marker(unit.text) :])) for unit in markdown.units(memory)}
    # What an answer of the author to a brief was made of belongs to no run.
    taken = {(source.path, source.line) for row in known.made.values() if not row.run for source in row.sources}
    labels = private_labels(private_tags)
    by_words: dict[str, NewEntry] = {}
    for line in (entry for log in logs for entry in log if is_marked(entry)):
        words = " ".join(line.body.split())
        text = managed.with_day(words, line.day, today=today) + (f" !{line.importance}" if line.importance else "")
        if line.src:
            why = OUTSIDE
        elif line.state is not None or line.ref in closed:
            why = OVER
        elif line.day < since:
            why = EARLIER
        elif folded(words) in present:
            why = PRESENT
        elif (line.path, line.line) in taken or known.declined.get(managed.of_text(words)) == PERSON:
            why = TAKEN
        elif _was_removed(line, (words, text), known):
            why = REMOVED
        elif is_private(line, labels, hidden):
            why = PRIVATE
        else:
            entry = by_words.get(folded(words))
            if entry is None:
                entry = by_words[folded(words)] = NewEntry(text, line.kind or "", line.day)
                selection.new.append(entry)
            entry.lines.append(line)
            continue
        selection.unused.append(MarkedLine(line, why))
    return selection


def folded(text: str) -> str:
    """Return the letters of a text by which two lines are in the same words."""
    return "".join(text.casefold().split()).strip("*_.:;!。！")


def is_marked(entry: Entry) -> bool:
    """Return whether its author marked a line as a decision, lesson, preference, fact or rule."""
    if entry.kind not in managed.KINDS or entry.is_label:
        return False
    return entry.form in (markdown.ITEM, markdown.PARAGRAPH) and any(map(str.isalnum, entry.body))


def private_labels(private_tags: Collection[str]) -> list[str]:
    """Return the tags of private entries, in lower case: the manifest's and our own."""
    return ["private", "secret", *(tag.lstrip("#").casefold() for tag in private_tags)]


def is_private(entry: Entry, labels: Sequence[str], known: named.Secrets) -> bool:
    """Return whether an entry is private or contains a secret: it is copied nowhere, and stays in its log.

    `known` are values that another line calls secret.
    """
    if entry.kind in labels or notes.has_label("\n".join((*entry.headings, entry.whole)), labels):
        return True
    if any(map(named.is_of_secrets, entry.headings)):
        return True
    return bool(secrets.find(entry.text)) or known.stand_in(entry.text)


def _was_removed(line: Entry, texts: Iterable[str], known: Sidecar) -> bool:
    """Return whether MEMORY.md had the line, which is no longer there; earlier versions wrote it without its day."""
    names = [managed.of_text(text) for text in texts]
    made = [row for name in names if (row := known.made.get(name)) is not None]
    last = [row.until for row in (*made, *map(known.stated.get, names)) if row is not None and not row.is_current]
    last += [max((row.day, *row.confirmed)) for row in made]
    return any(line.day <= day for day in last)
