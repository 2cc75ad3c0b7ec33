"""The ChangeSet of a compaction run, and that of its undo. Pure.

The order: the sidecar records where each new entry comes from and what each log was, the logs move to the archive, and
MEMORY.md is replaced last: with that the run has happened.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from agentws.changes import ABSENT, Change, ChangeSet, Move, Remove, Write
from agentws.core.formats import digest
from agentws.core.formats.documents import managed, sources
from agentws.core.notes.document import File
from agentws.core.notes.entry import Entry
from agentws.core.text import origin
from agentws.features.memory.compact.plan import digest as pages
from agentws.features.memory.compact.plan.digest import Page
from agentws.features.memory.compact.plan.marked_lines import NewEntry

NO_FILE = "no file"
"""The digest of something in the archive that is no regular file, and so cannot be moved."""
DELETED = "a retention rule deleted this file (try: agentws undo)"


@dataclass(frozen=True, slots=True)
class Folder:
    """The inputs of a compaction run: the documents that it writes, and the `days` to compact, each with its date.

    `known` are the records of earlier runs, `skipped` the files that cannot be compacted or moved, each with its
    reason: they stay. `page` is the digest, `old_page` the file that receives an earlier version's digest, `months` are
    the records of days, by path. `shelved` are files that were compacted while days did not move, or that a retention
    rule moves. `archive` has the target of each file; a day that it does not name stays. Archived days that are
    `expired` by such a rule are deleted. `rest` is the first day (ISO) for which this run has no room, empty if it has.
    """

    memory: File
    sidecar: File
    months: Mapping[str, File]
    page: File
    old_page: File
    days: Sequence[tuple[str, File]]
    archive: Mapping[str, str]
    known: sources.Sidecar
    skipped: list[tuple[str, str]]
    rest: str = ""
    shelved: Sequence[tuple[str, File]] = ()
    expired: Sequence[tuple[sources.Folded, File]] = ()
    heading: str = managed.HEADING

    @property
    def moves(self) -> list[tuple[str, File, str]]:
        """Every file that the compaction run moves: its day, the file, its target."""
        files = [*self.days, *self.shelved]
        return [(day, file, self.archive[file.path]) for day, file in files if file.path in self.archive]

    @property
    def is_first(self) -> bool:
        """Return whether this is the first run of compaction in the workspace."""
        return not (self.known.runs or self.known.folded or self.known.made)


def fold(
    folder: Folder, new: Sequence[NewEntry], page: Page, heard: Mapping[managed.ManagedEntry, sources.Made], *, run: str
) -> ChangeSet:
    """Return the changes of one compaction run, none if there is nothing to do.

    `heard` are entries that an earlier version made of text from outside without marking it, each with its row, which
    has the source: they get the mark, which stays when the run is undone.
    """
    files = [*folder.days, *folder.shelved]
    rows = [
        sources.Folded(
            file.path, folder.archive.get(file.path, ""), day=day, size=len(file.data), digest=digest.of(file.data),
            lines=sources.line_digests(file.data), run=run,
        )
        for day, file in files
    ]  # fmt: skip
    rows += [sources.deleted(row, run) for row, _ in folder.expired]
    data = {file.path: file.data for _, file in files}
    made = [_made(entry.text, entry.lines, data, run, kind=entry.kind) for entry in new]
    made += [_made(line.text, line.lines, data, run) for line in page.new]
    marked = {
        entry: entry.text.rstrip().removesuffix(" !10").rstrip() + origin.ending(row.src)
        for entry, row in heard.items()
    }
    made += [row.with_keys(entry=managed.of_text(marked[entry]), run="") for entry, row in heard.items()]
    left = [sources.Left(entry.digest, entry.text, kind=entry.kind, run="") for entry in marked]
    changes: list[Change] = []
    if rows or made or page.text != folder.page.text:
        # Even if it made nothing: this file records the order of all runs, and no two can change it at once.
        ran = sources.Ran(run, days=len(folder.days))
        changes += folder.sidecar.becomes(sources.joined(folder.sidecar.text, [*made, *left, ran]))
    for path in sorted({sources.month_path(row.day) for row in rows}):
        of_month = [row for row in rows if sources.month_path(row.day) == path]
        changes += folder.months[path].becomes(sources.joined(folder.months[path].text, of_month))
    if page.is_reduced and folder.page.text not in folder.old_page.text:
        changes += folder.old_page.becomes(f"{folder.old_page.text}{folder.page.text}")
    changes += [Remove(file.path, expects=file.digest) for _, file in folder.expired]
    changes += [Move(file.path, to, expects=file.digest) for _, file, to in folder.moves]
    changes += turned(folder.page, page.text) if page.text != folder.page.text else []
    memory = managed.rewritten(
        folder.memory.text,
        heading=folder.heading,
        leaving={entry.digest for entry in marked},
        joining=[
            *((managed.KINDS[entry.kind], entry.text) for entry in new),
            *((managed.HEARD, text) for text in marked.values()),
        ],
        order=managed.ORDER,
    )
    changes += folder.memory.becomes(memory)
    return ChangeSet("compact", tuple(changes))


def turned(file: File, text: str) -> list[Change]:
    """Return the changes by which a run or its undo gives a document this `text`, or removes it if that is empty."""
    if not text and file.digest != ABSENT:
        return [Remove(file.path, expects=file.digest)]
    return file.becomes(text)


def _made(text: str, lines: Sequence[Entry], data: Mapping[str, bytes], run: str, *, kind: str = "") -> sources.Made:
    """Return the sidecar row of an entry or a digest line; its sources are the log lines that this run compacts."""
    days = sorted({line.day for line in lines})
    places = [
        sources.Source(line.path, line.line, line.end_line, sources.of_lines(data[line.path], line.line, line.end_line))
        for line in lines
        if line.path in data
    ]
    return sources.Made(
        managed.of_text(text), places, day=max(days, default=""), run=run, src=origin.UNKNOWN, kind=kind,
        first=min(days, default=""), confirmed=days,
    )  # fmt: skip


@dataclass(slots=True)
class TakenBack:
    """The undo of a compaction run: its `changes`, the `days` that come back, those that do not (`left`) and why."""

    run: str
    changes: ChangeSet
    days: Sequence[str]
    left: Sequence[tuple[str, str]]
    dry_run: bool = False
    notices: list[str] = field(default_factory=list)


def undone(
    run: str,
    known: sources.Sidecar,
    *,
    documents: tuple[File, File, File],
    months: Sequence[File],
    archived: Mapping[str, str],
    taken: Collection[str],
    heading: str,
    unchanged: Mapping[str, Change],
) -> TakenBack:
    """Return the undo of a compaction run.

    `documents` are MEMORY.md, the sidecar and the digest as they are now; `archived` are the digests of the files at
    the archive paths of the run's days, `taken` the original paths where a file exists again. `unchanged` are changes,
    by path, that restore documents as they were before the run: those that nobody edited since.
    """
    memory, rows_of, page = documents
    folded = [row for row in known.every() if row.run == run]
    back, left = _moves(folded, archived, taken)
    staying = {path for path, _ in left}
    days = [row for row in folded if row.to not in staying]
    made = _made_in(rows_of, run)
    sidecar = sources.without_entries(sources.without_run(rows_of.text, run), made)
    changes = turned(rows_of, sidecar)
    for month in months:
        rows = [row for row in folded if row.to in staying and sources.month_path(row.day) == month.path]
        text = sources.without_run(month.text, run)
        # The record of a file that is not in the archive, and that no rule deleted, is dropped.
        kept = [sources.kept(row) for row in rows if row.is_deleted or archived[row.to] != ABSENT]
        changes += turned(month, sources.joined(text, kept) if kept else text)
    changes += back
    changes += turned(page, _page(page.text, made, {row.day for row in days}))
    changes += memory.becomes(_memory(memory.text, heading, known, run, made))
    if not left:  # all of the run is undone, so files that are unedited since become what they were, byte for byte
        as_before = dict(unchanged)
        before = as_before.get(rows_of.path)
        known_then = before.data.decode("utf-8", "surrogateescape") if isinstance(before, Write) else ""
        if not {*sidecar.split("\n")} <= {*known_then.split("\n"), ""}:  # the run marked entries from outside
            as_before.pop(memory.path, None)
            as_before.pop(rows_of.path, None)
        paths = {change.path for change in changes}
        rest = [change for path, change in as_before.items() if path not in paths]
        changes = [*rest, *(as_before.get(change.path, change) for change in changes)]
    return TakenBack(run, ChangeSet("compact --undo", tuple(changes)), [row.path for row in days], left)


def _moves(
    folded: Sequence[sources.Folded], archived: Mapping[str, str], taken: Collection[str]
) -> tuple[list[Change], list[tuple[str, str]]]:
    """Return (the moves that bring files back, the files that cannot come back, each with the reason)."""
    back: list[Change] = []
    left: list[tuple[str, str]] = []
    for row in folded:
        there = archived[row.to] if row.to and not row.is_deleted else ""
        if row.is_deleted:
            left.append((row.to, DELETED))
        elif row.to and there == ABSENT:
            left.append((row.to, "the file is no longer in the archive"))
        elif there == NO_FILE:
            left.append((row.to, "the path is not a regular file"))
        elif row.path in taken:
            left.append((row.to, f"{row.path} was created again since"))
        elif row.to:
            back.append(Move(row.to, row.path, expects=there))
    return back, left


def _memory(text: str, heading: str, known: sources.Sidecar, run: str, made: Collection[str]) -> str:
    """Return MEMORY.md without the entries that the run made, and with those that an earlier version's run removed."""
    entries = {entry.digest for entry in managed.read(text, heading).entries}
    left = [row for row in known.left.values() if row.run == run and row.entry not in entries]
    back = [(row.kind, row.text) for row in left if not row.kind.startswith("digest/")]
    if not entries.intersection(made) and not back:
        return text
    return managed.rewritten(text, heading=heading, leaving=made, joining=back, order=managed.EVERY)


def _made_in(sidecar: File, run: str) -> set[str]:
    """Return the entries that a run made, without those that existed before and were only confirmed by it."""
    stood: set[str] = set()
    made: set[str] = set()
    for name, its_run, is_made in sources.turns(sidecar.text):
        if its_run != run:
            (stood.add if is_made else stood.discard)(name)
        elif is_made and name not in stood:
            made.add(name)
    return made


def _page(text: str, made: Collection[str], days: Collection[str]) -> str:
    """Return the digest without the run's lines; its next list is removed if the log of that list is back."""
    if not pages.is_ours(text):
        return text
    if pages.next_day(text) in days:
        text = pages.without_next(text)
    return pages.rewritten(text, leaving=made) if any(line.digest in made for line in pages.lines(text)) else text
