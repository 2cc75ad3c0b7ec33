"""compact: old logs are archived, and what their author marked in them enters MEMORY.md."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from itertools import count
from typing import TYPE_CHECKING

from agentws.changes import Move, Write
from agentws.errors import AgentwsError, UsageError
from agentws.formats import layout, origin
from agentws.formats.documents import managed
from agentws.formats.secrets import named
from agentws.formats.text import names
from agentws.operations.compact import exclusive, inputs, parts, reading, retention
from agentws.operations.compact import summarizer as summarizing
from agentws.planning.compact import digest, entries, fold, page, private
from agentws.planning.notes import open_items, vocabulary
from agentws.storage.disk import clock
from agentws.storage.workspace import marks, provenance, record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime
    from typing import Any

    from agentws.changes import ChangeSet
    from agentws.formats.documents.managed import ManagedEntry
    from agentws.formats.documents.sources import Made
    from agentws.formats.manifest import Manifest
    from agentws.planning.compact.entries import Selection
    from agentws.planning.compact.page import Page
    from agentws.planning.notes.document import File
    from agentws.ports import Verbs
    from agentws.storage.workspace.stores import Stores

    Progress = Callable[[str, int, int], None]

BEGAN, FINISHED = "compaction.began", "compaction.finished"
_IGNORED = ("compaction.budget", "compaction.mode")
"""Settings of earlier versions."""


class Compacted:
    """The result of a run, or of a dry run.

    `days` are the paths of the logs that were compacted and where each is now, empty where it stayed; `moved` other
    files that the rules of retention moved, and logs that were compacted before logs moved; `deleted` those that the
    rules deleted. `skipped` are files that cannot be compacted or moved, each with its reason: they stay. `new` are the
    entries that were added to MEMORY.md, `unused` the marked lines that were not, each with its reason. `page` is the
    digest after the run; `memory` and `digest` are the texts of MEMORY.md and the digest before and after.
    `journal` says what became of its segments, None if nothing was done; `checkpoints` are the paths of those that
    their rules keep no longer.
    `must_agree`: it is the first run here, and nobody has agreed to it yet; nothing was changed.
    """

    __slots__ = (
        "changes", "checkpoints", "days", "deleted", "digest", "dry_run", "journal", "memory", "moved", "must_agree",
        "new", "notices", "page", "run", "skipped", "unused",
    )  # fmt: skip

    def __init__(self, run: str, changes: ChangeSet, selection: Selection, page: Page, *, dry_run: bool) -> None:
        self.run = run
        self.changes = changes
        self.new = selection.new
        self.unused = selection.unused
        self.page = page
        self.dry_run = dry_run
        self.must_agree = False
        self.days: Sequence[tuple[str, str]] = ()
        self.moved: Sequence[tuple[str, str]] = ()
        self.deleted: Sequence[str] = ()
        self.skipped: Sequence[tuple[str, str]] = ()
        self.memory = self.digest = ("", "")
        self.journal: Any = None
        self.checkpoints: Sequence[str] = ()
        self.notices: list[str] = []

    def follow(self, first: Compacted) -> None:
        """Tell of the run before this one too."""
        self.new, self.unused = [*first.new, *self.new], [*first.unused, *self.unused]
        self.changes = parts.changed(first.changes, self.changes)
        self.days, self.moved = [*first.days, *self.days], [*first.moved, *self.moved]
        self.deleted = [*first.deleted, *self.deleted]
        self.memory, self.digest = (first.memory[0], self.memory[1]), (first.digest[0], self.digest[1])


def compact(
    stores: Stores,
    *,
    before: str | None = None,
    budget: int | None = None,
    tokenizer: str | None = None,
    summarizer: str | None = None,
    settings: str | None = None,
    agreed: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Compacted:
    """Compact every log that is older than `before` (`14d`, a date): archive it, and add its marked lines to MEMORY.md.

    `summarizer` is the command line of a program that then answers the brief of `curate`, `builtin` for none; without
    it, what the user's own `settings` file (a path) names. Its answer is checked; where it fails nothing changes.
    More than parts.MOST_BYTES of logs are compacted in several runs, each whole by itself, the oldest logs first.
    The first run in a workspace whose logs stay where they are changes nothing until `agreed`. `budget` and `tokenizer`
    have no effect. ChangedUnderneathError where MEMORY.md or a log was edited meanwhile, LockHeldError where another
    run is at it: nothing is changed then.
    """
    stores.check_writable()
    stores.manifest.check("compaction", "retention")
    ignored = [name for name, value in (("--budget", budget), ("--tokenizer", tokenizer)) if value is not None]
    ignored += [key for key in _IGNORED if stores.manifest.setting(key)]
    first_kept = _first_kept(stores, before)
    if dry_run:
        done = _every(stores, first_kept, agreed=agreed, dry_run=True, progress=progress)
        done.journal = _journal(stores, dry_run=True)
        done.checkpoints = _checkpoints(stores, dry_run=True)
    else:
        try:
            with exclusive.alone(stores, "compact"):
                stores.notices = _expire(stores)
                done = _every(stores, first_kept, agreed=agreed, dry_run=False, progress=progress)
                if not done.must_agree:
                    done.journal = _journal(stores, dry_run=False)
                    done.checkpoints = _checkpoints(stores, dry_run=False)
        except Exception as error:  # a bug too: what fails every night must be loud, whatever it is
            marks.add_failure(stores.files, marks.COMPACTION, f"{stores.clock.now():%Y-%m-%d %H:%M}: {error}")
            raise
        if not done.must_agree:
            marks.clear_failures(stores.files, marks.COMPACTION)
            stores.notices += summarizing.ask(stores, summarizer, settings)
    stores.notices += summarizing.wanted(stores, summarizer, settings)[1]
    stores.notices += [f"{name} has no effect: only marked lines enter {layout.MEMORY}." for name in ignored]
    done.notices = list(dict.fromkeys(stores.notices))
    return done


def _journal(stores: Stores, *, dry_run: bool) -> Any:
    """Retire and compress old segments of the journal, or say which."""
    verbs: Verbs = stores  # type: ignore[assignment]
    earlier = stores.notices
    done = verbs.compact_journal(dry_run=dry_run)
    stores.notices = [*earlier, *stores.notices]  # another verb begins with none
    return done


def _expire(stores: Stores) -> list[str]:
    """Record which approvals expired, for the rules of retention; the notices so far, and those of that."""
    verbs: Verbs = stores  # type: ignore[assignment]
    said = stores.notices
    return [*said, *verbs.expire_approvals()]  # another verb begins with none


def _checkpoints(stores: Stores, *, dry_run: bool) -> list[str]:
    if not stores.files.exists(layout.CHECKPOINTS):
        return []
    from agentws.operations.compact import checkpoints  # most workspaces have none

    return checkpoints.prune(stores, dry_run=dry_run)


def _every(stores: Stores, before: str, *, agreed: bool, dry_run: bool, progress: Progress | None) -> Compacted:
    """One run, or as many as a long history needs; where nothing is changed yet, the first of them."""
    ends = parts.ends(stores, before)
    count = len(ends)
    if progress is not None:
        progress("runs", 0, count)
    done = _run(stores, before=ends[0], agreed=agreed, dry_run=dry_run)
    if dry_run or done.must_agree:
        ends = ends[:1]
    for number, end in enumerate(ends[1:], 1):
        if progress is not None:
            progress("runs", number, count)
        earlier = done
        done = _run(stores, before=end, agreed=agreed, dry_run=False)
        done.follow(earlier)
    if count > 1:
        stores.notices.append(parts.told(count, ends[0], is_done=len(ends) == count))
    if progress is not None:
        progress("runs", count, count)
    return done


def _run(stores: Stores, *, before: str, agreed: bool, dry_run: bool) -> Compacted:
    now = stores.clock.now()
    today = now.date().isoformat()
    read = retention.into(stores, inputs.read(stores, before=before), today)
    if not digest.is_ours(read.folder.page.text):
        stores.notices.append(
            f"{digest.PATH} was not written by agentws, so the logs stay where they are. Rename that file."
        )
        read.folder = _staying(read.folder, {file.path for _, file, _ in read.folder.moves})
    selection, after, folder = _decided(stores, read, today)
    run = _name(now, read.sidecar.runs)
    changes = fold.fold(folder, selection.new, after, run=run, heard=_heard(stores, read))
    done = Compacted(run, changes, selection, after, dry_run=dry_run)
    done.days = [(one.path, folder.archive.get(one.path, "")) for _, one in folder.days]
    done.moved = [(one.path, to) for _, one, to in folder.shelved]
    done.deleted = [one.path for _, one in folder.expired]
    done.skipped = read.skipped
    stores.notices += [f"{path} is unchanged: {why}." for path, why in read.skipped]
    done.memory, done.digest = _text(folder.memory, changes), _text(folder.page, changes)
    asks = read.is_first and not stores.manifest.setting("compaction.archive") and not agreed
    done.must_agree = asks and bool(changes.changes)
    if changes.changes and not dry_run and not done.must_agree:
        _apply(stores, done)
    return done


def _decided(stores: Stores, read: inputs.Input, today: str) -> tuple[Selection, Page, fold.Folder]:
    """The entries that a run adds, the digest after it, and the input without the logs that may not move."""
    folder = read.folder
    logs = reading.Logs(stores, folder)
    before = folder.page.text
    after, closed = page.Page(before), reading.closed(logs.due.values())
    if digest.is_ours(before) and (logs.moving or before.strip()):
        files = logs.every(before)
        items = open_items.of(files, today=today, words=vocabulary.extended(stores.manifest.vocabulary))
        closed |= reading.closed(files)
        held = page.held(items, logs.moving)
        if held:
            stores.notices.append(
                f"Not archived: {names.some(sorted(held))}. A line there closes an item of another file."
            )
            folder = _staying(folder, held)
        after = page.after(before, items, logs.moving - held, logs.texts)
    selection = entries.select(
        logs.due.values(),
        memory=folder.memory.text,
        known=read.sidecar,
        secrets=named.Secrets(file.text for _, file in folder.days),
        private_tags=private.tags(stores.manifest.setting("boot.private_tags")),
        today=today,
        since=_since(stores.manifest),
        closed=closed,
    )
    return selection, after, folder


def _heard(stores: Stores, read: inputs.Input) -> dict[ManagedEntry, Made]:
    """The entries that an earlier version made of text from outside without its mark, each with its row."""
    section = managed.read(read.folder.memory.text, read.folder.heading).entries
    rows = {one: read.sidecar.made.get(one.digest) for one in section if not origin.of_line(one.text)}
    known = {one: row for one, row in rows.items() if row is not None}
    origins = provenance.unmarked(stores.files, known.values())
    return {one: row.with_keys(src=origins[row.entry]) for one, row in known.items() if row.entry in origins}


def _staying(folder: fold.Folder, paths: Collection[str]) -> fold.Folder:
    """The input of a run without the moves of these logs."""
    archive = {path: to for path, to in folder.archive.items() if path not in paths}
    return replace(folder, archive=archive, shelved=[one for one in folder.shelved if one[1].path not in paths])


def _since(manifest: Manifest) -> str:
    """The first day (ISO) whose marked lines count; empty for all, in a workspace that was not adopted."""
    since = str(manifest.setting("compaction.since"))
    return since or ("" if manifest.setting("compaction.archive") else manifest.created[:10])


def _apply(stores: Stores, done: Compacted) -> None:
    told = {"run": done.run, "days": len(done.days), "first": done.days[0][0] if done.days else ""}
    before = {change.path: change.expects for change in done.changes.changes if change.path == layout.MEMORY}
    _, notices = record.record(stores, [record.Happening(BEGAN, {"v": 1, **told, "before": before})])
    stores.notices += notices
    stores.apply(done.changes, run=done.run)
    stores.notices += _edited_on_the_way(stores, done.changes)
    counts = {"new": len(done.new)}
    finished = record.Happening(FINISHED, {"v": 1, **told, **counts})
    stores.notices += exclusive.told(stores, "The logs were compacted", finished)


def _edited_on_the_way(stores: Stores, changes: ChangeSet) -> list[str]:
    """What is not where it went to as it was when it was folded: no lock holds an editor off."""
    moved = {change.to: change.expects for change in changes.changes if isinstance(change, Move)}
    edited = [path for path, expected in moved.items() if _now(stores, path) != expected]
    return [
        f"{path}: edited while it was moved. The edit is kept; agentws compact --verify lists it." for path in edited
    ]


def _now(stores: Stores, path: str) -> str:
    try:
        return stores.files.digest(path)
    except AgentwsError:
        return ""  # --verify says why


def _name(now: datetime, runs: Collection[str]) -> str:
    """The name of a run: the second it began in, with a number where another one began in it too."""
    name = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    number = next(number for number in count(1) if _numbered(name, number) not in runs)
    return _numbered(name, number)


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}.{number}"


def _first_kept(stores: Stores, before: str | None) -> str:
    """The first day (ISO) that is too young to be folded."""
    text = before or stores.manifest.setting("compaction.before")
    try:
        return clock.moment(text, now=stores.clock.now()).date().isoformat()
    except UsageError as error:
        if before:
            raise
        raise UsageError(f"{layout.MANIFEST}: compaction.before: {error.message}", hint=error.hint) from error


def _text(file: File, changes: ChangeSet) -> tuple[str, str]:
    """A document before and after the changes."""
    after = file.text
    for one in changes.changes:
        if one.path == file.path:
            after = one.data.decode("utf-8", "surrogateescape") if isinstance(one, Write) else ""
    return file.text, after
