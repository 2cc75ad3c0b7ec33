"""undo: takes back the last thing that agentws changed here, with git or without."""

from __future__ import annotations

from agentws.changes import Change, ChangeSet, Remove, Write
from agentws.errors import ChangedUnderneathError, MissingFileError, NothingToUndoError
from agentws.formats import digest
from agentws.operations.undo import handoffs
from agentws.storage import exclude, local, seals, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.stores import Stores

LOG, INIT = "log", "init"


class Undone:
    """What was taken back, or would be: the `verb`, the `paths` and the number of the change."""

    __slots__ = ("changes", "dry_run", "notices", "number", "paths", "verb")

    def __init__(self, verb: str, number: int, changes: ChangeSet, *, dry_run: bool, notices: list[str]) -> None:
        self.verb = verb
        self.number = number
        self.changes = changes
        self.paths = changes.paths
        self.dry_run = dry_run
        self.notices = notices


def undo(stores: Stores, *, dry_run: bool = False) -> Undone:
    """Take back the newest change that was not taken back yet.

    ChangedUnderneathError, and nothing touched, where somebody edited the files since; NothingToUndoError where
    there is nothing to take back. What is taken back stays in `.agentws/undo/`, so nothing is lost.
    """
    if not dry_run:
        stores.settle()
        interrupted = _interrupted(stores)
        if interrupted is not None:
            return interrupted
    verb, number, found = _last(stores)
    changes = ChangeSet(f"undo {verb}", found.changes)
    if not dry_run:
        ours = _apply(stores, verb, number, changes)
        if verb != LOG:
            transaction.clear_folders(stores.files, number)
        local.done(stores.files, ours)
    stores.notices += handoffs.taken_back(stores, verb, changes.paths, dry_run=dry_run)
    if not dry_run:
        if verb == INIT:
            stores.notices += exclude.forget(stores.root)
        stores.notices += seals.quietly(stores, due=True)
    return Undone(verb, number, changes, dry_run=dry_run, notices=list(stores.notices))


def _apply(stores: Stores, verb: str, number: int, changes: ChangeSet) -> int:
    try:
        return stores.apply(changes, undoes=number).number
    except ChangedUnderneathError as error:
        kept = f"; as it was before, it lies in {local.UNDO}/{number:06d}/" if verb != LOG else ""
        raise ChangedUnderneathError(
            f"{error.message.partition(':')[0]}: edited after `{verb}`; nothing was taken back.",
            hint=f"Edit the file itself{kept}.",
        ) from error


def _interrupted(stores: Stores) -> Undone | None:
    """The undo that did its work and was killed before it could say so: run again, it must not take back another."""
    newest = local.last(stores.files)
    if newest is None or newest["done"] or not transaction.is_applied(stores.files, _number(newest)):
        return None
    number = newest.get("undoes")
    if not isinstance(number, int):
        return None
    changes = transaction.inverse(stores.files, _number(newest))
    local.done(stores.files, _number(newest))
    verb = transaction.verb_of(stores.files, _number(newest)).removeprefix("undo ")
    stores.notices.append("This undo had been interrupted after its work was done; nothing more was taken back.")
    stores.notices += handoffs.taken_back(stores, verb, changes.paths, dry_run=False)
    return Undone(verb, number, changes, dry_run=False, notices=list(stores.notices))


def _last(stores: Stores) -> tuple[str, int, ChangeSet]:
    files = stores.files
    records = local.changes(files)
    taken_back = {
        record["undoes"] for record in records if "undoes" in record and transaction.is_applied(files, _number(record))
    }
    for record in reversed(records):
        number = _number(record)
        if number in taken_back or "undoes" in record:
            continue
        if record.get("change") == LOG:
            change = _without_line(stores, record)
            if change is not None:
                return LOG, number, ChangeSet("undo", (change,))
        elif transaction.is_applied(files, number):
            return transaction.verb_of(files, number), number, transaction.inverse(files, number)
    raise NothingToUndoError(
        "agentws has changed nothing here that could be taken back.",
        hint="Edits by other programs are not ours to undo; if history is kept, git shows them: git log",
    )


def _without_line(stores: Stores, record: dict[str, object]) -> Change | None:
    """The change that takes a logged line out again; None where the line never got there."""
    path = str(record["path"])
    line = str(record["text"]).encode("utf-8", "surrogateescape")
    try:
        data = stores.files.read(path)
    except MissingFileError:
        return None
    at = data.rfind(line)
    if at < 0:
        if not record["done"]:
            return None
        raise ChangedUnderneathError(
            f"{path}: the line that was logged last has been edited since; nothing was taken back.",
            hint="Edit the file itself.",
        )
    rest = data[:at] + data[at + len(line) :]
    known = digest.of(data)
    return Write(path, rest, expects=known) if rest else Remove(path, expects=known)


def _number(record: dict[str, object]) -> int:
    number = record.get("number")
    return number if isinstance(number, int) else 0
