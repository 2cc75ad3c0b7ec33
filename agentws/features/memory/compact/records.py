"""Records of compaction runs: `compact --verify` compares them with the files, `compact --undo` uses the last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from agentws.changes import ABSENT, Change, Move
from agentws.core.disk import local_dir
from agentws.core.disk.change import transaction
from agentws.core.formats import layout
from agentws.core.formats.documents import managed, sources
from agentws.core.formats.documents.sources import Folded, Sidecar, Source
from agentws.core.formats.journal import summary
from agentws.core.formats.secrets import secrets
from agentws.core.notes import entry as note, reading
from agentws.core.notes.document import File
from agentws.core.notes.entry import Entry
from agentws.core.stores import record, seals
from agentws.core.stores.provenance import file_of
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, DiskError, NothingToUndoError, TooLargeError, UnsafeFileError
from agentws.features.daily import log
from agentws.features.memory.compact import inputs
from agentws.features.memory.compact.plan import digest as page, runs
from agentws.features.memory.compact.plan.runs import TakenBack

__all__ = ["TakenBack", "undo_compaction", "verify"]
UNDONE = "compaction.undone"
_LONGEST_CHARS = 200
_MOST_NAMED = 20
_UNREAD = "unread"


def undo_compaction(stores: Stores, *, dry_run: bool = False) -> TakenBack:
    """Undo the newest run of compaction that is not undone yet.

    NothingToUndoError if there is none; ChangedUnderneathError if a file is edited at that moment.
    """
    stores.check_writable()
    with inputs.alone(stores, "compact --undo", dry_run=dry_run):
        return _undone(stores, dry_run=dry_run)


def _undone(stores: Stores, *, dry_run: bool) -> TakenBack:
    records = inputs.everything(stores)
    run = next(reversed(records.sidecar.runs), "")  # the last one written (P18) that is not undone
    if not run:
        raise NothingToUndoError("No compaction to undo.", hint="For other changes: agentws undo")
    memory, sidecar, digest = (file_of(stores.files, path) for path in (layout.MEMORY, sources.PATH, page.PATH))
    moved = [row for row in records.sidecar.every() if row.run == run and row.to and not row.is_deleted]
    done = runs.undone(
        run,
        records.sidecar,
        documents=(memory, sidecar, digest),
        months=records.months,
        archived={row.to: _document(stores, row.to).digest for row in moved},
        taken={row.path for row in moved if stores.files.exists(row.path)},
        heading=stores.manifest.setting("compaction.section"),
        unchanged=_unchanged(stores, run),
    )
    done.dry_run = dry_run
    left = "would not be" if dry_run else "was not"
    done.notices = [f"{path} {left} restored: {why}." for path, why in done.left]
    after = inputs.text_after(digest, done.changes)
    done.notices += close_ticked(stores, digest.text, after, dry_run=dry_run)
    if not dry_run and done.changes.changes:
        stores.apply(done.changes)
        body: dict[str, object] = {"v": 1, "run": run, "days": len(done.days)}
        done.notices += seals.recorded(stores, "The compaction was undone", record.Happening(UNDONE, body))
    done.notices += stores.notices
    return done


def close_ticked(stores: Stores, before: str, after: str, *, dry_run: bool, has_ref: bool = False) -> list[str]:
    """Record in today's log the items that only a box ticked in the digest `before` closes, and that `after` lacks.

    Return a notice of each. With `has_ref` only items with a reference, which nothing records twice.
    """
    texts = ((path, day, _document(stores, path).text) for day, path in inputs.logs(stores))  # not yet archived
    logged = (entry for path, day, text in texts for entry in reading.read(text, path=path, day=day))
    alone = page.ticked_alone(before, after, logged)
    return [_closed(stores, line, entry, ref, dry_run=dry_run) for line, entry, ref in alone if ref or not has_ref]


def _closed(stores: Stores, line: page.Line, entry: Entry, ref: str, *, dry_run: bool) -> str:
    """Record in today's log that an item is closed which only the digest said to be; return a notice of that.

    This comes first: if the run were undone and this process killed, the item would be open again.
    """
    where = f"{page.PATH}:{line.number}"
    kind = note.DROPPED if line.is_crossed else note.DONE
    if dry_run:
        return f"{where} is ticked: today's log would record the item as {kind}."
    words = summary.cut(entry.body.strip(), _LONGEST_CHARS)
    # Words of others are not repeated as the agent's own, and what looks like a secret not at all.
    text = where if entry.src or secrets.find(words) else words
    logged = log.log_closed(stores, text, kind=kind, tags=entry.tags, closes=(ref,) if ref else ())
    return f"{where} was ticked: {logged.path}:{logged.line} now records the item as {kind}."


def _unchanged(stores: Stores, run: str) -> dict[str, Change]:
    """Return, by path, the changes that restore documents unedited since the run, as far as this machine knows."""
    number = next((row["number"] for row in reversed(local_dir.changes(stores.files)) if row.get("run") == run), 0)
    try:
        made = transaction.inverse(stores.files, int(str(number)))
    except DiskError:
        raise
    except AgentwsError:  # made elsewhere, too long ago, or partly forgotten
        return {}
    documents = [change for change in made.changes if not isinstance(change, Move)]
    return {
        document.path: document
        for document in documents
        if file_of(stores.files, document.path).digest == document.expects
    }


def _document(stores: Stores, path: str) -> File:
    try:
        return file_of(stores.files, path)
    except (UnsafeFileError, TooLargeError):
        return File(path, b"", runs.NO_FILE)


@dataclass(frozen=True, slots=True)
class Fault:
    """A difference that `compact --verify` found: `path`, `line` (1-based, 0 for the whole file), what is `wrong`."""

    path: str
    line: int
    wrong: str


@dataclass(slots=True)
class Verified:
    """The result of `compact --verify`.

    `days` and `lines` count what is unchanged, `entries` those of the managed section, `sourced` those of them with a
    source, `sources` those that were followed. `edited` are days that were not archived and have changed since, as they
    may: the next run compacts them again.
    """

    days: int = 0
    lines: int = 0
    entries: int = 0
    sourced: int = 0
    sources: int = 0
    edited: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def verify(stores: Stores) -> Verified:
    """Compare all compacted files and the sources of entries with their recorded digests. Reads only."""
    records = inputs.everything(stores)
    result = Verified(faults=[Fault(path, line, "unreadable record of compaction") for path, line in records.unread])

    @lru_cache(maxsize=1)
    def at(path: str) -> File:
        """Return the file at a path, with the digest UNREAD if it exists and cannot be read."""
        try:
            return file_of(stores.files, path)
        except AgentwsError as error:
            return File(path, error.message.encode("utf-8", "replace"), _UNREAD)

    for row in records.sidecar.every():
        _day(result, row, at)
    memory = file_of(stores.files, layout.MEMORY).text
    entries = managed.read(memory, stores.manifest.setting("compaction.section")).entries
    result.entries = len(entries)
    result.sourced = sum(entry.digest in records.sidecar.made for entry in entries)
    lines = [(layout.MEMORY, entry.line, entry.digest) for entry in entries]
    listed = page.lines(file_of(stores.files, layout.DIGEST).text)
    lines += [(layout.DIGEST, line.number, line.digest) for line in listed]
    for path, line, name in lines:
        made = records.sidecar.made.get(name)
        for source in made.sources if made is not None else ():
            _source(result, source, at, records.sidecar, (path, line))
    result.notices = list(stores.notices)
    if local_dir.interrupted(stores.files):
        result.notices.append(
            "A change was interrupted, which may have caused these findings. "
            "First run agentws compact, which reverts that change, then verify again."
        )
    return result


def _day(result: Verified, row: Folded, at: Callable[[str], File]) -> None:
    if row.is_deleted:
        return
    now = at(row.to or row.path)
    if now.digest == ABSENT:
        result.faults.append(Fault(now.path, 0, "is missing"))
    elif now.digest == _UNREAD:
        result.faults.append(Fault(now.path, 0, f"cannot be compared ({now.text.rstrip('.')})"))
    elif row.is_as_it_was(now.data):
        result.days += 1
        result.lines += now.data.count(b"\n")
    elif not row.to:
        result.edited.append(now.path)
    else:
        lines = row.changed_lines(now.data)
        result.faults += [Fault(now.path, line, "was changed") for line in lines[:_MOST_NAMED]]
        if len(lines) > _MOST_NAMED:
            result.faults.append(Fault(now.path, 0, f"{len(lines) - _MOST_NAMED} more changed lines"))


def _source(
    result: Verified, source: Source, at: Callable[[str], File], sidecar: Sidecar, entry: tuple[str, int]
) -> None:
    """Check a source of the entry at this (path, line)."""
    result.sources += 1
    known = sidecar.places(source.path)
    # An answer's source may be a day that was written again and is not compacted yet, or an archive path.
    places = [row.to for row in known if row.to and not row.is_deleted]
    places += [source.path, *sources.once(source.path)]
    if any(row.is_deleted for row in known) or any(
        sources.of_lines(at(place).data, source.line, source.end) == source.digest for place in places
    ):
        return
    if not {*places} & {*result.edited, *(fault.path for fault in result.faults)}:
        place = f"{places[0]}:{source.line}"
        result.faults.append(Fault(*entry, f"this entry came from {place}, which was changed since"))
