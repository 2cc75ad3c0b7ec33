"""compact --undo: the state before the last run, with all that came after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.changes import Move, Write
from agentws.errors import AgentwsError, NothingToUndoError, TooLargeError, UnsafeFileError
from agentws.formats import layout
from agentws.formats.documents import proposals, sources, superseded
from agentws.formats.secrets import secrets
from agentws.operations.compact import exclusive, inputs
from agentws.planning.compact import digest, ticks, undo
from agentws.planning.notes import reading
from agentws.planning.notes.document import File
from agentws.storage.disk import local_dir
from agentws.storage.disk.change import transaction
from agentws.storage.workspace import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.changes import Change, ChangeSet
    from agentws.planning.compact.ticks import Tick
    from agentws.planning.notes.entry import Entry
    from agentws.ports import Verbs
    from agentws.storage.workspace.stores import Stores

UNDONE = "compaction.undone"


class TakenBack:
    """The run that was taken back, or would be: its `changes`, the `days` that came back, and what could not."""

    __slots__ = ("changes", "days", "dry_run", "left", "notices", "run")

    def __init__(self, run: str, made: undo.Undoing, *, dry_run: bool) -> None:
        self.run = run
        self.changes: ChangeSet = made.changes
        self.days: Sequence[str] = made.days
        self.left = made.left
        self.dry_run = dry_run
        self.notices: list[str] = []


def undo_compaction(stores: Stores, *, dry_run: bool = False) -> TakenBack:
    """Take back the newest run of compaction that was not taken back yet.

    NothingToUndoError where there is none; ChangedUnderneathError where a file is edited at that moment.
    """
    stores.check_writable()
    if dry_run:
        return _undone(stores, dry_run=True)
    with exclusive.alone(stores, "compact --undo"):
        return _undone(stores, dry_run=False)


def _undone(stores: Stores, *, dry_run: bool) -> TakenBack:
    known = inputs.everything(stores)
    run = undo.newest(known.sidecar)
    if not run:
        raise NothingToUndoError("No compaction to undo.", hint="For other changes: agentws undo")
    present = _present(stores, known, run)
    made = undo.undo(present, known.sidecar, run)
    done = TakenBack(run, made, dry_run=dry_run)
    left = "would not be" if dry_run else "was not"
    done.notices = [f"{path} {left} restored: {why}." for path, why in made.left]
    for one in ticks.leaving(present.page.text, _page(present.page, made.changes), _logged(stores)):
        done.notices.append(_kept(stores, one, dry_run=dry_run))
    if not dry_run and made.changes.changes:
        stores.apply(made.changes)
        body: dict[str, object] = {"v": 1, "run": run, "days": len(made.days)}
        done.notices += exclusive.told(stores, "The compaction was undone", record.Happening(UNDONE, body))
    done.notices += stores.notices
    return done


def _page(page: File, changes: ChangeSet) -> str:
    """The text of the digest after the changes."""
    last = next((one for one in reversed(changes.changes) if one.path == page.path), None)
    if last is None:
        return page.text
    return last.data.decode("utf-8", "surrogateescape") if isinstance(last, Write) else ""


def _logged(stores: Stores) -> Iterator[Entry]:
    """What the logs say that are not archived."""
    for name in stores.files.listing(layout.DAYS):
        if day := layout.day_of(name):
            path = f"{layout.DAYS}/{name}"
            yield from reading.read(_document(stores, path).text, path=path, day=day)


def _kept(stores: Stores, one: Tick, *, dry_run: bool) -> str:
    """Write down in today's log what the digest alone said to be over; a notice of it.

    That comes first: were the run taken back and this one killed, the item would be open again.
    """
    where = f"{digest.PATH}:{one.number}"
    if dry_run:
        return f"{where} is ticked: today's log would record the item as {one.kind}."
    said = where if secrets.find(one.text) else one.text
    verbs: Verbs = stores  # type: ignore[assignment]
    logged = verbs.log_closed(said, kind=one.kind, tags=(), closes=(one.ref,) if one.ref else ())
    return f"{where} was ticked: {logged.path}:{logged.line} now records the item as {one.kind}."


def _present(stores: Stores, known: inputs.Everything, run: str) -> undo.Present:
    moved = [one for one in known.sidecar.every() if one.run == run and one.to and not one.is_deleted]
    return undo.Present(
        memory=inputs.document(stores, layout.MEMORY),
        sidecar=inputs.document(stores, sources.PATH),
        months=known.months,
        superseded=inputs.document(stores, superseded.PATH),
        proposed=inputs.document(stores, proposals.PATH),
        page=inputs.document(stores, digest.PATH),
        archived={one.to: _document(stores, one.to) for one in moved},
        taken={one.path for one in moved if stores.files.exists(one.path)},
        heading=stores.manifest.setting("compaction.section"),
        unchanged=_unchanged(stores, run),
    )


def _unchanged(stores: Stores, run: str) -> dict[str, Change]:
    """What makes documents of it that are as the run left them, by path, as far as this machine knows."""
    number = next((one["number"] for one in reversed(local_dir.changes(stores.files)) if one.get("run") == run), 0)
    try:
        made = transaction.inverse(stores.files, int(str(number)))
    except AgentwsError:  # it was made elsewhere, too long ago, or something of it was forgotten
        return {}
    documents = [one for one in made.changes if not isinstance(one, Move)]
    return {one.path: one for one in documents if inputs.document(stores, one.path).digest == one.expects}


def _document(stores: Stores, path: str) -> File:
    try:
        return inputs.document(stores, path)
    except (UnsafeFileError, TooLargeError):
        return File(path, b"", undo.NO_FILE)
