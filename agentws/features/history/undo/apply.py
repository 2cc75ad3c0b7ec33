"""agentws undo: reverts the newest change by agentws, with or without git; redoes it; lists the changes.

An undone change stays in `.agentws/undo/`, and the journal records it: nothing is erased.
"""

from __future__ import annotations

from agentws.changes import Change, ChangeSet, Remove, Write
from agentws.core import Record, Result
from agentws.core.disk import local_dir
from agentws.core.disk.change import transaction
from agentws.core.formats import digest
from agentws.core.states import exclude
from agentws.core.stores import seals
from agentws.core.stores.stores import Stores
from agentws.core.text import names
from agentws.errors import ChangedUnderneathError, MissingFileError, NeedsYouError, NothingToUndoError
from agentws.features.history.undo import events, whose
from agentws.features.history.undo.whose import Whose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Fields = dict[str, object]
Part = tuple[str, Fields, ChangeSet]
"""The verb of a change, its record, and what takes it back."""


LOG, INIT = "log", "init"
_SYNC = "sync"
"""Changes by other machines are not reverted here: sync would revert them there."""
_UNDO = "undo "
_UNDOES_INIT = "This would remove the workspace itself"


class Undone(Record, Result):
    """The result of undo or `redo`, or of a dry run: the `verb`, the `paths` and the number of the change.

    `whose` is its author; `passed` names a later action that undo does not cover, empty for none; `events` are the
    cursors of the events that were undone with it; `entries` are the first lines of undone log entries. Of several
    changes by one call, `verb` and `number` are those of the newest.
    """

    verb: str
    number: int
    paths: tuple[str, ...]
    dry_run: bool
    whose: Whose
    events: Sequence[str] = ()
    entries: Sequence[str] = ()
    passed: str = ""
    redo: bool = False
    notices: Sequence[str] = ()

    def add(self, older: Undone) -> None:
        """Add an older change of the same call to the result of undo."""
        self.paths = tuple(dict.fromkeys((*self.paths, *older.paths)))
        self.entries = [*self.entries, *older.entries]
        self.events = [*self.events, *older.events]
        self.notices = older.notices


class ChangeRow(Record, Result):
    """A change in the list of undo: its `number` and `verb`, the `paths`, its author, and whether it was undone.

    `is_forgotten`: `forget` removed content that undoing it needs. `entry` is the first line of a logged entry, empty
    for any other change. Changes that one undo reverts together are one row, with the number and verb of the newest.
    """

    number: int
    verb: str
    paths: tuple[str, ...]
    whose: Whose
    is_undone: bool
    is_forgotten: bool
    entry: str

    def add(self, older: ChangeRow) -> None:
        """Add an older change of the same call."""
        self.paths = tuple(sorted({*self.paths, *older.paths}))
        self.is_forgotten = self.is_forgotten or older.is_forgotten


class ChangeList(Record, Result):
    """The changes that undo can revert, or did, newest first."""

    rows: list[ChangeRow]
    notices: list[str]


def undo(stores: Stores, *, dry_run: bool = False, yes: bool = False, number: int = 0) -> Undone:
    """Undo the newest change that was not undone yet, with the others of its call, and record that in the journal.

    With a `number` only that change: ChangedUnderneathError if another one is the newest by now.
    NeedsYouError, before touching anything, if the change belongs to a session that is or may be at work beside the
    caller, if it is `init` itself, or if an action that undo does not cover came later; not with `yes`.
    ChangedUnderneathError if somebody edited the files since; NothingToUndoError if there is nothing to undo.
    """
    if not dry_run:
        stores.settle()
        interrupted = _interrupted(stores)
        if interrupted is not None:
            return interrupted
    parts = _last(stores)
    _check_number(parts, number)
    _check_unchanged(stores, parts)
    stores.call = _call(parts[0][1])
    try:
        done = _take_back(stores, parts[0], dry_run=dry_run, yes=yes)
        for part in parts[1:]:
            # The log is another one now.
            again = part if dry_run or part[1].get("change") != LOG else _part(stores, part[1])[0]
            done.add(_take_back(stores, again, dry_run=dry_run, yes=True))
    finally:
        stores.call = ""
    return done


def _take_back(stores: Stores, part: Part, *, dry_run: bool, yes: bool) -> Undone:
    verb, record, change_set = part
    number, changes = _number(record), ChangeSet(f"{_UNDO}{verb}", change_set.changes)
    taken = events.of_change(stores, record)
    author, cursors = whose.of(stores, record, taken), [event.cursor for event in taken]
    entries, passed = [_entry(record)] if "text" in record else [], whose.uncovered_since(stores, record)
    done = Undone(verb, number, changes.paths, dry_run, author, cursors, entries, passed)
    if not dry_run:
        if verb == INIT:
            stores.check_writable()  # nobody is asked about what is refused anyway
        _agree(done, yes=yes)
        ours = _apply(stores, verb, number, changes)
        if verb != LOG:
            transaction.clear_folders(stores.files, number)
        stores.notices += events.undone(stores, record, verb, done.paths, taken)
        local_dir.done(stores.files, ours)
        if verb == INIT:
            stores.notices += exclude.forget(stores.root)
        stores.notices += seals.quietly(stores, due=True)
    else:
        stores.notices += events.handoffs_taken_back(stores, verb, done.paths)[1]
    done.notices = list(stores.notices)
    return done


def redo(stores: Stores, *, dry_run: bool = False, yes: bool = False, number: int = 0) -> Undone:
    """Redo what was undone last, with the rest of its call, and record that and its events in the journal.

    NothingToUndoError if nothing undone is left, or if another change was made since: what was built upon the present
    files stays. Otherwise as `undo`.
    """
    if not dry_run:
        stores.settle()
    records = local_dir.changes(stores.files)
    again = {record["redoes"] for record in records if "redoes" in record and _is_applied(stores, record)}
    taken = [
        fields
        for fields in records
        if "undoes" in fields and _number(fields) not in again and _is_applied(stores, fields)
    ]
    if not taken:
        raise NothingToUndoError("Nothing to redo.", hint="List changes: agentws undo --list")
    parts = [_undo_of(stores, each) for each in reversed(taken) if _is_same_call(each, taken[-1])]
    if parts[0][0].startswith(whose.ASKED):
        raise NothingToUndoError(
            "A request that was taken back is not made again.", hint="Ask again: agentws ask QUESTION"
        )
    _check_number(parts, number)
    _check_newest(stores, records, taken[-1], parts[0][0])
    _check_unchanged(stores, parts, redo=True)
    stores.call = _call(taken[-1])
    try:
        done, *others = [_make_again(stores, records, part, dry_run=dry_run, yes=yes) for part in parts]
    finally:
        stores.call = ""
    for each in others:
        done.add(each)
    return done


def _call(record: Fields) -> str:
    return str(record.get("call") or "")


def _is_same_call(record: Fields, other: Fields) -> bool:
    return record is other or (bool(_call(record)) and _call(record) == _call(other))


def _undo_of(stores: Stores, record: Fields) -> Part:
    number = _number(record)
    verb = transaction.verb_of(stores.files, number).removeprefix(_UNDO)
    return verb, record, ChangeSet(verb, transaction.inverse(stores.files, number).changes)


def _make_again(stores: Stores, records: list[Fields], part: Part, *, dry_run: bool, yes: bool) -> Undone:
    verb, record, changes = part
    number = _number(record)
    done = Undone(verb, number, changes.paths, dry_run, whose.of(stores, record, ()), redo=True)
    if not dry_run:
        _agree(done, yes=yes)
        _apply(stores, verb, number, changes, redo=True)
        stores.notices += events.redone(stores, _numbered(records, record["undoes"]), verb, done.paths)
        stores.notices += seals.quietly(stores, due=True)
    done.notices = list(stores.notices)
    return done


def _check_number(parts: list[Part], number: int) -> None:
    verb, record, _ = parts[0]
    if number and _number(record) != number:
        raise ChangedUnderneathError(
            f"`{verb}` came after the change that was shown. Nothing was changed.", hint="See: agentws undo --list"
        )


def _check_newest(stores: Stores, records: list[Fields], taken: Fields, verb: str) -> None:
    since = [
        record for record in records if _number(record) > _number(taken) and not {"undoes", "redoes"} & record.keys()
    ]
    since = [fields for fields in since if not _is_passed_over(stores, fields)]
    newer = next(
        (fields for fields in reversed(since) if fields.get("change") == LOG or _is_applied(stores, fields)), None
    )
    if newer is None:
        return
    what = LOG if newer.get("change") == LOG else transaction.verb_of(stores.files, _number(newer))
    raise NothingToUndoError(
        f"Nothing to redo: `{what}` was run after `{verb}` was undone.",
        hint=f"If you still want it, run `{verb}` again. List changes: agentws undo --list",
    )


def list_changes(stores: Stores) -> ChangeList:
    """Return the list of undo: the newest changes by agentws, newest first, with whether each was undone."""
    records = local_dir.changes(stores.files)
    gone = _taken_back(stores, records)
    rows: dict[object, ChangeRow] = {}
    for record in reversed(records):
        number = _number(record)
        is_log = record.get("change") == LOG
        if "undoes" in record or not (is_log or _is_applied(stores, record)):
            continue
        verb = LOG if is_log else transaction.verb_of(stores.files, number)
        paths = (str(record.get("path")),) if is_log else _paths(stores, number)
        is_forgotten = not is_log and _is_forgotten(stores, number)
        entry = _entry(record) if is_log and "text" in record else ""
        row = ChangeRow(number, verb, paths, whose.of(stores, record, ()), number in gone, is_forgotten, entry)
        newest = rows.setdefault((_call(record) or number, row.is_undone), row)
        if newest is not row:
            newest.add(row)
    return ChangeList([*rows.values()], list(stores.notices))


def _paths(stores: Stores, number: int) -> tuple[str, ...]:
    steps = transaction.steps_of(stores.files, number)
    paths = {str(path) for step in steps for path in (step["path"], step["to"]) if path}
    return tuple(sorted(path for path in paths if not path.startswith(f"{local_dir.FOLDER}/")))


def _is_forgotten(stores: Stores, number: int) -> bool:
    try:
        transaction.inverse(stores.files, number)
    except NothingToUndoError:
        return True
    return False


def _agree(done: Undone, *, yes: bool) -> None:
    if not yes and done.verb == INIT and not done.redo:
        raise NeedsYouError(
            f"{_UNDOES_INIT}: {names.some(done.paths)}. Nothing was changed.",
            hint="To confirm: agentws undo --yes. To create these files again: agentws init",
        )
    if not yes and done.passed:
        raise NeedsYouError(
            f"The last change was `{done.passed}`, which undo does not cover. Nothing was changed.",
            hint=f"The change before it was `{done.verb}`. To undo that: agentws undo --yes",
        )
    if yes or not done.whose.is_others:
        return
    raise NeedsYouError(
        f"`{done.verb}` was run by {done.whose.words}. Nothing was changed.",
        hint=f"To confirm: agentws undo {'--redo ' if done.redo else ''}--yes",
    )


def _apply(stores: Stores, verb: str, number: int, changes: ChangeSet, *, redo: bool = False) -> int:
    try:
        return stores.apply(changes, undoes=None if redo else number, redoes=number if redo else None).number
    except ChangedUnderneathError as error:
        raise _edited(error.message.partition(":")[0], verb, number, redo=redo) from error


def _edited(path: str, verb: str, number: int, *, redo: bool = False) -> ChangedUnderneathError:
    """Return the error for a file edited since the change of this number, or since it was undone."""
    since = (
        f"edited since `{verb}` was undone; nothing was changed"
        if redo
        else f"edited after `{verb}`; nothing was undone"
    )
    kept = f"; its earlier version is in {local_dir.UNDO}/{number:06d}" if redo or verb != LOG else ""
    return ChangedUnderneathError(f"{path}: {since}.", hint=f"Change the file in an editor{kept}.")


def _interrupted(stores: Stores) -> Undone | None:
    """The undo that did its work and was killed before it could say so: run again, it must not take back another."""
    newest = local_dir.last(stores.files)
    if newest is None or newest["done"] or not _is_applied(stores, newest):
        return None
    number = newest.get("undoes")
    if not isinstance(number, int):
        return None
    changes = transaction.inverse(stores.files, _number(newest))
    verb = transaction.verb_of(stores.files, _number(newest)).removeprefix(_UNDO)
    records = local_dir.changes(stores.files)
    record = _numbered(records, number)
    taken = events.of_change(stores, record) if transaction.is_applied(stores.files, number) else []
    author, cursors = whose.of(stores, record, taken), [event.cursor for event in taken]
    done = Undone(verb, number, changes.paths, False, author, cursors)
    stores.notices.append("An earlier undo was interrupted and is now complete. Nothing else was undone.")
    if not events.is_told(stores, record):
        stores.notices += events.undone(stores, record, verb, done.paths, taken)
    local_dir.done(stores.files, _number(newest))
    done.notices = list(stores.notices)
    return done


def _numbered(records: list[Fields], number: object) -> Fields:
    return next((record for record in records if _number(record) == number), {"number": number})


def _taken_back(stores: Stores, records: list[Fields]) -> set[object]:
    return {record["undoes"] for record in records if "undoes" in record and _is_applied(stores, record)}


def _is_applied(stores: Stores, record: Fields) -> bool:
    return transaction.is_applied(stores.files, _number(record))


def _last(stores: Stores) -> list[Part]:
    """The newest change that can be taken back, and the others that its call made, the newest first."""
    records = local_dir.changes(stores.files)
    taken_back = _taken_back(stores, records)
    parts: list[Part] = []
    for record in reversed(records):
        if _number(record) in taken_back or "undoes" in record:
            continue
        if not parts or _is_same_call(record, parts[0][1]):
            parts += _part(stores, record)
    if parts:
        return parts
    raise NothingToUndoError(
        "Nothing to undo.",
        hint="agentws undoes only its own changes. To see others: git log",
    )


def _part(stores: Stores, record: Fields) -> list[Part]:
    """Return the inverse of a change, with its verb and record; empty if it cannot be undone, or was never made."""
    number = _number(record)
    if record.get("change") == LOG:
        change = _without_line(stores, record)
        return [(LOG, record, ChangeSet("undo", (change,)))] if change else []
    if _is_passed_over(stores, record) or not transaction.is_applied(stores.files, number):
        return []
    return [(transaction.verb_of(stores.files, number), record, transaction.inverse(stores.files, number))]


def _check_unchanged(stores: Stores, parts: list[Part], *, redo: bool = False) -> None:
    """Raise ChangedUnderneathError if a file of several changes was edited: all are undone, or none."""
    newer: set[str] = set()
    for verb, record, changes in parts if len(parts) > 1 else ():
        for change in changes.changes:
            if change.path not in newer and stores.files.digest(change.path) != change.expects:
                raise _edited(change.path, verb, _number(record), redo=redo)
        newer.update(changes.paths)


def _is_passed_over(stores: Stores, record: Fields) -> bool:
    verb = str(record.get("verb"))
    return verb == _SYNC or (verb.startswith(whose.ASKED) and whose.is_answered(stores, verb))


def _entry(record: Fields) -> str:
    """Return the first line of a logged entry, after the title of a new day."""
    lines = str(record["text"]).split("\n")
    return next((line for line in lines if line.startswith("- ")), "")


def _without_line(stores: Stores, record: dict[str, object]) -> Change | None:
    """Return the change that removes a logged line; None if the line was never written."""
    path = str(record["path"])
    line = str(record["text"]).encode("utf-8", "surrogateescape")
    try:
        data = stores.files.read(path)
    except MissingFileError:
        return None
    at = data.rfind(line)
    if at < 0 and b"\n- " in line:  # lines of another machine may have come between the title of the day and this one
        line = line[line.index(b"\n- ") + 1 :]
        at = data.rfind(line)
    if at < 0:
        if not record["done"]:
            return None
        raise ChangedUnderneathError(
            f"{path}: the last logged line was edited since; nothing was undone.",
            hint="Change the file in an editor.",
        )
    rest = data[:at] + data[at + len(line) :]
    known = digest.of(data)
    return Write(path, rest, expects=known) if rest else Remove(path, expects=known)


def _number(record: dict[str, object]) -> int:
    number = record.get("number")
    return number if isinstance(number, int) else 0
