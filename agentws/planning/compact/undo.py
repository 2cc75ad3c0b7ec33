"""A run of compaction taken back: the state before it, with all that came after it. Pure.

Entries that the run made leave MEMORY.md, those it took out come back, the days go where they were. What people and
other runs wrote since stays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentws.changes import ABSENT, Change, ChangeSet, Move, Write
from agentws.formats.documents import managed, sources
from agentws.planning.compact import digest as page
from agentws.planning.compact.entries import turned

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.formats.documents.sources import Folded, Sidecar
    from agentws.planning.notes.document import File

NO_FILE = "no file"
"""The digest of what stands in the archive and is no file that may be moved."""
DELETED = "a retention rule deleted this file (try: agentws undo)"


@dataclass(frozen=True, slots=True)
class Present:
    """The workspace as it is now: the documents that a run writes, its archived days by path, and `taken` paths.

    `unchanged` are changes that make of documents what they were before the run, by path: those are as it left them.
    """

    memory: File
    sidecar: File
    months: Sequence[File]
    page: File
    archived: Mapping[str, File]
    taken: Collection[str]
    heading: str
    unchanged: Mapping[str, Change]


@dataclass(slots=True)
class TakenBack:
    """The run that is taken back: the `changes` for that, the `days` that come back, those `left`, each with why."""

    run: str
    changes: ChangeSet
    days: Sequence[str]
    left: Sequence[tuple[str, str]]
    dry_run: bool = False
    notices: list[str] = field(default_factory=list)


def undo(present: Present, known: Sidecar, run: str) -> TakenBack:
    """Return what takes `run` back."""
    folded = [row for row in known.every() if row.run == run]
    back, left = _moves(present, folded)
    staying = {path for path, _ in left}
    days = [row for row in folded if row.to not in staying]
    made = _made_in(present.sidecar, run)
    sidecar = sources.without_entries(sources.without_run(present.sidecar.text, run), made)
    changes = turned(present.sidecar, sidecar)
    for month in present.months:
        rows = [row for row in folded if row.to in staying and sources.month_path(row.day) == month.path]
        text = sources.without_run(month.text, run)
        # What is no longer in the archive, and was not deleted by a rule, is known no more.
        kept = [sources.kept(row) for row in rows if row.is_deleted or present.archived[row.to].digest != ABSENT]
        changes += turned(month, sources.joined(text, kept) if kept else text)
    changes += back
    changes += turned(present.page, _page(present.page.text, made, {row.day for row in days}))
    changes += present.memory.becomes(_memory(present, known, run, made))
    if not left:  # then all of the run goes, and what is as it left it becomes what it was, byte for byte
        as_before = dict(present.unchanged)
        before = as_before.get(present.sidecar.path)
        known_then = before.data.decode("utf-8", "surrogateescape") if isinstance(before, Write) else ""
        if not {*sidecar.split("\n")} <= {*known_then.split("\n"), ""}:  # it marked what came from outside
            as_before.pop(present.memory.path, None)
            as_before.pop(present.sidecar.path, None)
        paths = {change.path for change in changes}
        rest = [change for path, change in as_before.items() if path not in paths]
        changes = [*rest, *(as_before.get(change.path, change) for change in changes)]
    return TakenBack(run, ChangeSet("compact --undo", tuple(changes)), [row.path for row in days], left)


def _moves(present: Present, folded: Sequence[Folded]) -> tuple[list[Change], list[tuple[str, str]]]:
    """(the moves that bring files back, those that cannot come back, each with the reason)."""
    back: list[Change] = []
    left: list[tuple[str, str]] = []
    for row in folded:
        there = present.archived[row.to].digest if row.to and not row.is_deleted else ""
        if row.is_deleted:
            left.append((row.to, DELETED))
        elif row.to and there == ABSENT:
            left.append((row.to, "the file is no longer in the archive"))
        elif there == NO_FILE:
            left.append((row.to, "the path is not a regular file"))
        elif row.path in present.taken:
            left.append((row.to, f"{row.path} was created again since"))
        elif row.to:
            back.append(Move(row.to, row.path, expects=there))
    return back, left


def _memory(present: Present, known: Sidecar, run: str, made: Collection[str]) -> str:
    """MEMORY.md without what the run made, and with what a run of an earlier version took out."""
    entries = {entry.digest for entry in managed.read(present.memory.text, present.heading).entries}
    left = [row for row in known.left.values() if row.run == run and row.entry not in entries]
    back = [(row.kind, row.text) for row in left if not row.kind.startswith("digest/")]
    if not entries.intersection(made) and not back:
        return present.memory.text
    return managed.rewritten(
        present.memory.text, heading=present.heading, leaving=made, joining=back, order=managed.EVERY
    )


def _made_in(sidecar: File, run: str) -> set[str]:
    """What a run made, without what stood there before and was only confirmed by it."""
    stood: set[str] = set()
    made: set[str] = set()
    for name, its_run, is_made in sources.turns(sidecar.text):
        if its_run != run:
            (stood.add if is_made else stood.discard)(name)
        elif is_made and name not in stood:
            made.add(name)
    return made


def _page(text: str, made: Collection[str], days: Collection[str]) -> str:
    """The digest without what the run wrote there; the next list goes with its log, which is back."""
    if not page.is_ours(text):
        return text
    if page.next_day(text) in days:
        text = page.without_next(text)
    return page.rewritten(text, leaving=made) if any(line.digest in made for line in page.lines(text)) else text
