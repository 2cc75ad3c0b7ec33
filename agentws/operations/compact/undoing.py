"""compact --undo: the state before the last run, with all that came after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.changes import Move
from agentws.errors import AgentwsError, NothingToUndoError, TooLargeError, UnsafeFileError
from agentws.formats import layout, proposals, sources
from agentws.operations.compact import alone, reading
from agentws.planning.compaction import digest, undoing
from agentws.planning.document import File
from agentws.storage import local, recording, transaction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.changes import Change, ChangeSet
    from agentws.storage.stores import Stores

UNDONE = "compaction.undone"


class TakenBack:
    """The run that was taken back, or would be: its `changes`, the `days` that came back, and what could not."""

    __slots__ = ("changes", "days", "dry_run", "left", "notices", "run")

    def __init__(self, run: str, made: undoing.Undoing, *, dry_run: bool) -> None:
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
    with alone.alone(stores, "compact --undo"):
        return _undone(stores, dry_run=False)


def _undone(stores: Stores, *, dry_run: bool) -> TakenBack:
    known = reading.everything(stores)
    run = undoing.newest(known.sidecar)
    if not run:
        raise NothingToUndoError("No run of compaction is known here.", hint="`agentws undo` takes back other changes.")
    made = undoing.undo(_present(stores, known, run), known.sidecar, run)
    done = TakenBack(run, made, dry_run=dry_run)
    done.notices = [f"{path} does not come back: {why}." for path, why in made.left]
    if not dry_run and made.changes.changes:
        stores.apply(made.changes)
        body: dict[str, object] = {"v": 1, "run": run, "days": len(made.days)}
        done.notices += alone.told(stores, "It is taken back", recording.Happening(UNDONE, body))
    done.notices += stores.notices
    return done


def _present(stores: Stores, known: reading.Everything, run: str) -> undoing.Present:
    moved = [one for one in known.sidecar.every() if one.run == run and one.to and not one.is_deleted]
    return undoing.Present(
        memory=reading.document(stores, layout.MEMORY),
        sidecar=reading.document(stores, sources.PATH),
        months=known.months,
        superseded=reading.document(stores, reading.SUPERSEDED),
        proposed=reading.document(stores, proposals.PATH),
        page=reading.document(stores, digest.PATH),
        archived={one.to: _archived(stores, one.to) for one in moved},
        taken={one.path for one in moved if stores.files.exists(one.path)},
        heading=stores.manifest.setting("compaction.section"),
        unchanged=_unchanged(stores, run),
    )


def _unchanged(stores: Stores, run: str) -> dict[str, Change]:
    """What makes documents of it that are as the run left them, by path, as far as this machine knows."""
    number = next((one["number"] for one in reversed(local.changes(stores.files)) if one.get("run") == run), 0)
    try:
        made = transaction.inverse(stores.files, int(str(number)))
    except AgentwsError:  # it was made elsewhere, too long ago, or something of it was forgotten
        return {}
    documents = [one for one in made.changes if not isinstance(one, Move)]
    return {one.path: one for one in documents if reading.document(stores, one.path).digest == one.expects}


def _archived(stores: Stores, path: str) -> File:
    try:
        return reading.document(stores, path)
    except (UnsafeFileError, TooLargeError):
        return File(path, b"", undoing.NO_FILE)
