"""compact --undo: the state before the last run, with all that came after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.changes import Move
from agentws.errors import AgentwsError, NothingToUndoError, TooLargeError, UnsafeFileError
from agentws.formats import layout
from agentws.formats.documents import sources
from agentws.formats.journal import summary
from agentws.formats.secrets import secrets
from agentws.operations.compact import inputs
from agentws.planning.compact import digest, undo
from agentws.planning.compact.undo import TakenBack
from agentws.planning.notes import entry as note
from agentws.planning.notes import reading
from agentws.planning.notes.document import File
from agentws.storage.disk import local_dir
from agentws.storage.disk.change import transaction
from agentws.storage.workspace import record, seals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.changes import Change
    from agentws.planning.notes.entry import Entry
    from agentws.ports import Verbs
    from agentws.storage.workspace.stores import Stores

__all__ = ["TakenBack", "undo_compaction"]
UNDONE = "compaction.undone"
_LONGEST_CHARS = 200


def undo_compaction(stores: Stores, *, dry_run: bool = False) -> TakenBack:
    """Take back the newest run of compaction that was not taken back yet.

    NothingToUndoError where there is none; ChangedUnderneathError where a file is edited at that moment.
    """
    stores.check_writable()
    if dry_run:
        return _undone(stores, dry_run=True)
    with inputs.alone(stores, "compact --undo"):
        return _undone(stores, dry_run=False)


def _undone(stores: Stores, *, dry_run: bool) -> TakenBack:
    records = inputs.everything(stores)
    run = next(reversed(records.sidecar.runs), "")  # by the order of writing (P18), of those not taken back
    if not run:
        raise NothingToUndoError("No compaction to undo.", hint="For other changes: agentws undo")
    present = _present(stores, records, run)
    done = undo.undo(present, records.sidecar, run)
    done.dry_run = dry_run
    left = "would not be" if dry_run else "was not"
    done.notices = [f"{path} {left} restored: {why}." for path, why in done.left]
    after = inputs.text_after(present.page, done.changes)
    for line, words, ref in digest.ticked_alone(present.page.text, after, _logged(stores)):
        done.notices.append(_closed(stores, line, words, ref, dry_run=dry_run))
    if not dry_run and done.changes.changes:
        stores.apply(done.changes)
        body: dict[str, object] = {"v": 1, "run": run, "days": len(done.days)}
        done.notices += seals.recorded(stores, "The compaction was undone", record.Happening(UNDONE, body))
    done.notices += stores.notices
    return done


def _logged(stores: Stores) -> Iterator[Entry]:
    """What the logs say that are not archived."""
    for day, path in inputs.logs(stores):
        yield from reading.read(_document(stores, path).text, path=path, day=day)


def _closed(stores: Stores, line: digest.Line, words: str, ref: str, *, dry_run: bool) -> str:
    """Write down in today's log what the digest alone said to be over; a notice of it.

    That comes first: were the run taken back and this one killed, the item would be open again.
    """
    where = f"{digest.PATH}:{line.number}"
    kind = note.DROPPED if line.is_crossed else note.DONE
    if dry_run:
        return f"{where} is ticked: today's log would record the item as {kind}."
    words = summary.cut(words, _LONGEST_CHARS)
    verbs: Verbs = stores  # type: ignore[assignment]
    text = where if secrets.find(words) else words
    logged = verbs.log_closed(text, kind=kind, tags=(), closes=(ref,) if ref else ())
    return f"{where} was ticked: {logged.path}:{logged.line} now records the item as {kind}."


def _present(stores: Stores, records: inputs.Everything, run: str) -> undo.Present:
    moved = [row for row in records.sidecar.every() if row.run == run and row.to and not row.is_deleted]
    return undo.Present(
        memory=inputs.document(stores, layout.MEMORY),
        sidecar=inputs.document(stores, sources.PATH),
        months=records.months,
        page=inputs.document(stores, digest.PATH),
        archived={row.to: _document(stores, row.to) for row in moved},
        taken={row.path for row in moved if stores.files.exists(row.path)},
        heading=stores.manifest.setting("compaction.section"),
        unchanged=_unchanged(stores, run),
    )


def _unchanged(stores: Stores, run: str) -> dict[str, Change]:
    """What makes documents of it that are as the run left them, by path, as far as this machine knows."""
    number = next((row["number"] for row in reversed(local_dir.changes(stores.files)) if row.get("run") == run), 0)
    try:
        made = transaction.inverse(stores.files, int(str(number)))
    except AgentwsError:  # it was made elsewhere, too long ago, or something of it was forgotten
        return {}
    documents = [change for change in made.changes if not isinstance(change, Move)]
    return {one.path: one for one in documents if inputs.document(stores, one.path).digest == one.expects}


def _document(stores: Stores, path: str) -> File:
    try:
        return inputs.document(stores, path)
    except (UnsafeFileError, TooLargeError):
        return File(path, b"", undo.NO_FILE)
