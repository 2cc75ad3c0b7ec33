"""Carries out the runs of `compact`: archives old logs, and adds to MEMORY.md the lines that their author marked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain, count

from agentws.changes import ChangeSet
from agentws.core.formats import layout
from agentws.core.formats.documents import managed
from agentws.core.formats.documents.managed import ManagedEntry
from agentws.core.formats.documents.sources import Made
from agentws.core.formats.secrets import named
from agentws.core.notes import open_items, vocabulary
from agentws.core.notes.entry import Entry
from agentws.core.stores import provenance, record, seals
from agentws.core.stores.stores import Stores
from agentws.core.text import names, origin
from agentws.features.journal.compaction import JournalCompacted
from agentws.features.memory.compact import inputs
from agentws.features.memory.compact.plan import digest, marked_lines, runs
from agentws.features.memory.compact.plan.digest import Page
from agentws.features.memory.compact.plan.marked_lines import MarkedLine, NewEntry, Selection
from agentws.features.memory.compact.plan.runs import Folder

BEGAN, FINISHED = "compaction.began", "compaction.finished"


@dataclass(slots=True, kw_only=True)
class Compacted:
    """The result of a compaction, or of its dry run.

    `days` are the paths of the compacted logs and their archive paths, empty if one stayed; `moved` other files that
    retention rules moved, and logs that were compacted before logs moved; `deleted` those that the rules deleted.
    `skipped` are files that cannot be compacted or moved, each with its reason: they stay. `new` are the entries added
    to MEMORY.md, `unused` the marked lines that were not, each with its reason. `page` is the digest after the run;
    `memory` and `digest` are the texts of MEMORY.md and the digest before and after. `journal` says what was done with
    journal segments, None if nothing; `checkpoints` are the paths of those that their rules keep no longer. `rest` is
    the first day (ISO) that is left to another run. `must_agree`: this is the first run here and needs consent; nothing
    was changed.
    """

    run: str
    changes: ChangeSet
    new: list[NewEntry]
    unused: list[MarkedLine]
    page: Page
    dry_run: bool
    days: Sequence[tuple[str, str]]
    moved: Sequence[tuple[str, str]]
    deleted: Sequence[str]
    skipped: Sequence[tuple[str, str]]
    memory: tuple[str, str]
    digest: tuple[str, str]
    must_agree: bool
    rest: str
    journal: JournalCompacted | None = None
    checkpoints: Sequence[str] = ()
    notices: list[str] = field(default_factory=list)

    def follow(self, first: Compacted) -> None:
        """Add the result of the compaction run before; a document that both wrote is shown as this one left it."""
        for name in ("new", "unused", "days", "moved", "deleted"):
            setattr(self, name, [*getattr(first, name), *getattr(self, name)])
        late = {change.path for change in self.changes.changes}
        early = [change for change in first.changes.changes if change.path not in late]
        self.changes = ChangeSet(self.changes.verb, (*early, *self.changes.changes))
        self.memory, self.digest = (first.memory[0], self.memory[1]), (first.digest[0], self.digest[1])


def carry_out(stores: Stores, before: str, *, agreed: bool, dry_run: bool) -> Compacted:
    """Carry out one run of compaction, or as many as a long history needs; only the first if nothing may change yet."""
    done = _run(stores, "", before, agreed=agreed, dry_run=dry_run)
    if done.rest and (dry_run or done.must_agree):
        stores.notices.append(
            f"The logs are compacted in several runs, the oldest first. Shown here: the first, logs before {done.rest}."
        )
        return done
    number = 1
    while done.rest:
        earlier, done = done, _run(stores, done.rest, before, agreed=agreed, dry_run=False)
        done.follow(earlier)
        number += 1
    if number > 1:
        stores.notices.append(
            f"The logs were compacted in {number} runs. To take back the newest: agentws compact --undo (repeatable)."
        )
    return done


def _run(stores: Stores, since: str, before: str, *, agreed: bool, dry_run: bool) -> Compacted:
    now = stores.clock.now()
    today = now.date().isoformat()
    folder = inputs.read(stores, since=since, before=before)
    if not folder.is_first and (closed := _close_ticked(stores, folder.page.text, dry_run=dry_run)):
        stores.notices += closed
        folder = inputs.read(stores, since=since, before=before)  # today's log may be among these files
    if not digest.is_ours(folder.page.text):
        stores.notices.append(
            f"{digest.PATH} was not written by agentws, so the logs stay where they are. Rename that file."
        )
        folder = _staying(folder, {file.path for _, file, _ in folder.moves})
    selection, after, folder = _decided(stores, folder, today)
    run = _name(now, folder.known.runs)
    changes = runs.fold(folder, selection.new, after, _heard(stores, folder), run=run)
    asks = folder.is_first and not stores.manifest.setting("compaction.archive") and not agreed
    done = Compacted(
        run=run,
        changes=changes,
        new=selection.new,
        unused=selection.unused,
        page=after,
        dry_run=dry_run,
        days=[(file.path, folder.archive.get(file.path, "")) for _, file in folder.days],
        moved=[(file.path, folder.archive[file.path]) for _, file in folder.shelved],
        deleted=[file.path for _, file in folder.expired],
        skipped=folder.skipped,
        memory=(folder.memory.text, inputs.text_after(folder.memory, changes)),
        digest=(folder.page.text, inputs.text_after(folder.page, changes)),
        must_agree=asks and bool(changes.changes),
        rest=folder.rest,
    )
    stores.notices += [f"{path} is unchanged: {why}." for path, why in folder.skipped]
    if changes.changes and not dry_run and not done.must_agree:
        _apply(stores, done)
    return done


def _close_ticked(stores: Stores, page: str, *, dry_run: bool) -> list[str]:
    """Record in today's log the items that only their ticked box in the digest closes, as a run removes it."""
    if not (digest.is_ours(page) and any(line.is_ticked for line in digest.lines(page))):
        return []
    from agentws.features.memory.compact import records  # seldom

    return records.close_ticked(stores, page, "", dry_run=dry_run, has_ref=True)


def _decided(stores: Stores, folder: Folder, today: str) -> tuple[Selection, Page, Folder]:
    """Return the entries that a run adds, the digest after it, and the inputs without the logs that must stay."""
    logs = inputs.Logs(stores, folder)
    before = folder.page.text
    after = digest.Page(before)
    files: list[Sequence[Entry]]
    if digest.is_ours(before) and (logs.texts or before.strip()):
        files = logs.every(before)
        items = open_items.of(files, today=today, words=vocabulary.extended(stores.manifest.vocabulary))
        held = digest.held(items, logs.texts.keys())
        if held:
            stores.notices.append(
                f"Not archived: {names.some(sorted(held))}. A line there closes an item of another file."
            )
            folder = _staying(folder, held)
        after = digest.after(before, items, logs.texts.keys() - held, logs.texts)
    else:
        files = [*logs.due.values(), *logs.later()]
    adopted = "" if stores.manifest.setting("compaction.archive") else stores.manifest.created[:10]
    since = stores.manifest.setting("compaction.since") or adopted  # empty in a workspace that was not adopted
    selection = marked_lines.select(
        logs.due.values(),
        memory=folder.memory.text,
        known=folder.known,
        hidden=named.Secrets((file.text for _, file in folder.days), keeps_out=stores.keeps_out()),
        private_tags=stores.manifest.setting("boot.private_tags"),
        today=today,
        since=since,
        closed=marked_lines.closed_in(files),
        is_over=stores.is_over,
    )
    return selection, after, folder


def _heard(stores: Stores, folder: Folder) -> dict[ManagedEntry, Made]:
    """Return the entries that an earlier version made of text from outside without marking it, each with its row."""
    section = managed.read(folder.memory.text, folder.heading).entries
    rows = {entry: folder.known.made.get(entry.digest) for entry in section if not origin.of_line(entry.text)}
    known = {entry: row for entry, row in rows.items() if row is not None}
    origins = provenance.unmarked(stores.files, known.values())
    return {entry: row.with_keys(src=origins[row.entry]) for entry, row in known.items() if row.entry in origins}


def _staying(folder: Folder, paths: Collection[str]) -> Folder:
    """Return the inputs of a run, with these logs not moved."""
    archive = {path: to for path, to in folder.archive.items() if path not in paths}
    return replace(folder, archive=archive, shelved=[row for row in folder.shelved if row[1].path not in paths])


def _apply(stores: Stores, done: Compacted) -> None:
    body = {"v": 1, "run": done.run, "days": len(done.days), "first": done.days[0][0] if done.days else ""}
    before = {change.path: change.expects for change in done.changes.changes if change.path == layout.MEMORY}
    _, notices = record.record(stores, [record.Happening(BEGAN, {**body, "before": before})])
    stores.notices += notices
    stores.apply(done.changes, run=done.run)
    finished = record.Happening(FINISHED, {**body, "new": len(done.new)})
    stores.notices += seals.recorded(stores, "The logs were compacted", finished)


def _name(now: datetime, taken: Collection[str]) -> str:
    """Return the name of a run: the second in which it began, and a number if another one began in it too."""
    name = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return next(each for each in chain([name], (f"{name}.{number}" for number in count(2))) if each not in taken)
