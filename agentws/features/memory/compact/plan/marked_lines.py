"""Selects the marked lines of logs that compaction adds to MEMORY.md, and says why others are not added. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from agentws.core.formats import layout
from agentws.core.formats.documents import managed, sources
from agentws.core.formats.secrets import named, secrets
from agentws.core.markdown import markdown, notes
from agentws.core.notes.entry import STANDING, Entry, topic

PRESENT = f"{layout.MEMORY} already contains the line"
TAKEN = "curate used the line, or a person declined it"
REMOVED = f"the entry was removed from {layout.MEMORY}"
OUTSIDE = "the line comes from outside"
EARLIER = "the line was written before the workspace was adopted"
OVER = "the line is struck, or closed by a later line"
PRIVATE = "the line is private or contains a secret"
OPEN = "the line is an open item"
INTRODUCES = "the line ends in a colon, and no unmarked line is below it"
_STRIKE = "~~"
_TOPIC_CHARS = 80
_COLONS = (":", "：")


@dataclass(slots=True)
class NewEntry:
    """An entry that a compaction adds to MEMORY.md.

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
    """A marked line that a compaction does not add to MEMORY.md, and `why`."""

    line: Entry
    why: str


@dataclass(slots=True)
class Selection:
    """The entries that a compaction adds to MEMORY.md (`new`), and the marked lines that it does not add (`unused`)."""

    new: list[NewEntry] = field(default_factory=list)
    unused: list[MarkedLine] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Closed:
    """The lines that other lines close: by reference (`refs`), or by striking the same words (`struck`).

    `struck` maps folded words to the day and the line at which they were last struck or dropped.
    """

    refs: Collection[str] = ()
    struck: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    def has(self, entry: Entry) -> bool:
        """Return whether a marked line is closed by its reference, or by a later line."""
        return entry.ref in self.refs or self.struck.get(folded(entry.body), ("", 0)) > (entry.day, entry.line)


def closed_in(files: Iterable[Sequence[Entry]]) -> Closed:
    """Return what the entries of these files close, so that no closed marked line enters MEMORY.md."""
    entries = [entry for file in files for entry in file if entry.closes or entry.state == notes.DROPPED]
    struck: dict[str, tuple[str, int]] = {}
    for entry in entries:
        if entry.state == notes.DROPPED:
            for words in map(folded, (entry.body, *entry.text.split(_STRIKE)[1::2])):
                struck[words] = max(struck.get(words, ("", 0)), (entry.day, entry.line))
    return Closed({ref for entry in entries for ref in entry.closes}, struck)


def select(
    logs: Iterable[Sequence[Entry]],
    *,
    memory: str,
    known: sources.Sidecar,
    hidden: named.Secrets,
    private_tags: Collection[str],
    today: str,
    since: str = "",
    closed: Closed,
    is_over: Callable[[str], bool] = lambda _: False,
) -> Selection:
    """Return which marked lines of the `logs`, the oldest first, enter the document `memory`.

    `known` are the records of earlier runs and answers, `hidden` the secret values, `since` the first day whose marked
    lines count (ISO, empty for all), `closed` what other lines close. `is_over`
    says whether a text was rejected or replaced.
    """
    selection = Selection()
    present = lines_of(memory)
    # The sources of an answer to a curation brief belong to no run.
    taken = {(source.path, source.line) for row in known.made.values() if not row.run for source in row.sources}
    labels = private_labels(private_tags)
    by_words: dict[str, NewEntry] = {}
    marked = ((entry, _introduced(log, at)) for log in logs for at, entry in enumerate(log) if is_marked(entry))
    for line, below in marked:
        lines = [line, *below]
        words = " ".join(f"{line.body} {'; '.join(each.body for each in below)}".split())
        text = managed.with_day(words, line.day, today=today, topic=topic(line, most=_TOPIC_CHARS))
        text += f" !{line.importance}" if line.importance else ""
        if any(each.src for each in lines):
            why = OUTSIDE
        elif line.state in STANDING:
            why = OPEN
        elif line.state is not None or closed.has(line):
            why = OVER
        elif line.day < since:
            why = EARLIER
        elif folded(words) in present:
            why = PRESENT
        elif (line.path, line.line) in taken or known.declined.get(managed.of_text(words)) == sources.PERSON:
            why = TAKEN
        elif _was_removed(line, (words, text), known) or is_over(words) or is_over(text):
            why = REMOVED
        elif any(is_private(each, labels, hidden) for each in lines):
            why = PRIVATE
        elif words.endswith(_COLONS):
            why = INTRODUCES
        else:
            entry = by_words.get(folded(words))
            if entry is None:
                entry = by_words[folded(words)] = NewEntry(text, line.kind or "", line.day)
                selection.new.append(entry)
            entry.lines += lines
            continue
        selection.unused.append(MarkedLine(line, why))
    return selection


def _introduced(log: Sequence[Entry], at: int) -> list[Entry]:
    """Return the lines below one that ends in a colon, which are a part of its sentence; not items and marked lines."""
    line = log[at]
    if not line.body.rstrip("*_ ").endswith(_COLONS):
        return []
    path = (*line.headings, line.said.rstrip("*_:： "))
    below = takewhile(lambda each: each.headings[: len(path)] == path, log[at + 1 :])
    return [each for each in below if each.state is None and not is_marked(each)]


def lines_of(memory: str) -> set[str]:
    """Return the texts of a document's lines, folded and without their days."""
    return {folded(managed.without_day(unit.text[markdown.marker(unit.text) :])) for unit in markdown.units(memory)}


def folded(text: str) -> str:
    """Return the letters of a text that are compared to find two lines in the same words."""
    return "".join(text.casefold().split()).strip("*_.:;!。！")


def is_marked(entry: Entry) -> bool:
    """Return whether its author marked a line as a decision, lesson, preference, fact or rule."""
    if entry.kind not in managed.KINDS:
        return False
    return entry.form in (markdown.ITEM, markdown.PARAGRAPH) and any(map(str.isalnum, entry.body))


def private_labels(private_tags: Collection[str]) -> list[str]:
    """Return the tags of private entries, which never enter MEMORY.md, in lower case: the manifest's and agentws's."""
    return ["private", "secret", *(tag.lstrip("#").casefold() for tag in private_tags)]


def is_private(entry: Entry, labels: Sequence[str], known: named.Secrets) -> bool:
    """Return whether a log entry is private or contains a secret: it never enters MEMORY.md, and stays in its log.

    `known` are values that another line calls secret.
    """
    if entry.kind in labels or notes.has_label("\n".join((*entry.headings, entry.whole)), labels):
        return True
    if any(map(named.is_of_secrets, entry.headings)):
        return True
    return bool(secrets.find(entry.text)) or known.stand_in(entry.text)


def _was_removed(line: Entry, texts: Iterable[str], known: sources.Sidecar) -> bool:
    """Return whether MEMORY.md had the line, but no longer has it; earlier versions wrote it without its day."""
    names = [managed.of_text(text) for text in texts]
    made = [row for name in names if (row := known.made.get(name)) is not None]
    last = [row.until for row in (*made, *map(known.stated.get, names)) if row is not None and not row.is_current]
    last += [max((row.day, *row.confirmed)) for row in made]
    return any(line.day <= day for day in last)
