"""Applies a ChangeSet completely or, after a crash, lets the next holder of the lock finish or revert it.

The old files are kept in `.agentws/undo/<number>.pending` before anything changes; the name loses its `.pending` when
all is applied. The next holder of the lock that finds a pending record finishes it if its last change was made, and
else restores the old files. The same record lets `undo` revert the change later.
"""

from __future__ import annotations

from agentws.changes import ABSENT, Change, ChangeSet, Move, Remove, Write
from agentws.core import Record
from agentws.core.disk import daily_log, files as _files, local_dir, locate, lock
from agentws.core.disk.change import undo_record
from agentws.core.formats import digest
from agentws.errors import (
    AgentwsError,
    ChangedUnderneathError,
    DamagedError,
    LockHeldError,
    MissingFileError,
    NothingToUndoError,
    TooLargeError,
    UnsafeFileError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_KEEP = 50
_LOCK_TIMEOUT_S = 10.0
"""Long enough for many writers, each of which holds it briefly; hooks have their own timeout."""


class Applied(Record):
    """The result of a transaction: its number, and the RelPaths of other programs' edits that were kept beside."""

    number: int
    kept_beside: tuple[str, ...]


def apply(files: _files.Files, changes: ChangeSet, *, fields: Mapping[str, object] | None = None) -> Applied:
    """Apply every change, durably, or none; `fields` are further fields for the record of changes.

    Each change is made at its very path, also where a link is: the caller knows whether it means the link's target.
    Raises ChangedUnderneathError (nothing applied) if a file is not as its change expects, LockHeldError if another
    transaction runs. Edits that slipped in during the write are kept beside and named in the result.
    """
    local_dir.prepare(files)
    with lock.Lock(files, lock.TRANSACTION, timeout_s=_LOCK_TIMEOUT_S, note=changes.verb) as held:
        if recover(files):
            # The verb planned from files that were half changed: what it made of them must not be applied.
            raise ChangedUnderneathError(
                "An earlier, interrupted change was reverted; the new one was not made.",
                hint="Re-run the command to use the current content.",
            )
        # Appends wait for these milliseconds alone, so that no line lands in a file that is being replaced.
        with lock.Lock(files, lock.APPEND):
            locate.check_not_left(files)  # the agent may have moved away while we waited
            previous = local_dir.last(files)
            daily_log.repair(files, previous)
            local_dir.clear_quarantine(files)
            exactly = _files.exact(files)
            before = _before(exactly, changes)
            record: dict[str, object] = {"change": "transaction", "verb": changes.verb, **(fields or {})}
            number = local_dir.add(files, record, previous=previous)
            pending = f"{local_dir.UNDO}/{number:06d}.pending"
            try:
                _record(exactly, pending, changes, before)
                kept = _change(exactly, changes)
                files.rename_folder(pending, pending.removesuffix(".pending"))
            except BaseException:
                try:
                    _put_back(exactly, pending)
                except AgentwsError:
                    pass  # the disk is in no state for it: it stays pending, `status` says so, the next verb recovers
                raise
        _forget_old(files)
        held.clear_note()
    return Applied(number, tuple(kept))


def settle(files: _files.Files) -> list[str]:
    """Finish or revert transactions of killed processes, before a verb reads its files; returns the restored paths."""
    last = local_dir.last(files)
    if last is None or (not local_dir.interrupted(files) and (last.get("change") != "log" or last["done"])):
        return []
    with lock.Lock(files, lock.TRANSACTION, timeout_s=_LOCK_TIMEOUT_S, note="recovery") as held:
        restored = recover(files)
        held.clear_note()
        with lock.Lock(files, lock.APPEND):
            daily_log.repair(files, local_dir.last(files))
    return restored


def sweep(files: _files.Files) -> list[str]:
    """Repair killed transactions like `settle`; but if another process holds the lock, leave the repair to that one."""
    try:
        with lock.Lock(files, lock.TRANSACTION, timeout_s=0.0, note="recovery") as held:
            restored = recover(files)
            held.clear_note()
            return restored
    except LockHeldError:
        return []


def recover(files: _files.Files) -> list[str]:
    """Finish or revert a killed transaction; returns the restored paths. The caller holds the lock."""
    restored: list[str] = []
    for name, _ in files.names(local_dir.UNDO):
        folder = f"{local_dir.UNDO}/{name}"
        if undo_record.is_left(name):
            undo_record.clear(files, folder)
        elif name.endswith(".pending"):
            with lock.Lock(files, lock.APPEND):
                exactly = _files.exact(files)  # as the change was made
                if _reached_its_end(exactly, folder):
                    _finish(exactly, folder)
                else:
                    restored += _put_back(exactly, folder)
    return restored


def inverse(files: _files.Files, number: int) -> ChangeSet:
    """Return the ChangeSet that undoes change `number`, expecting the files as that change left them.

    NothingToUndoError if `forget` removed an old file.
    """
    folder = f"{local_dir.UNDO}/{number:06d}"
    steps: list[Change] = []
    record = _read_record(files, folder)
    for index, change in reversed(list(enumerate(record["changes"]))):
        if not change["path"]:
            raise _forgotten(record["verb"], "the name of a file")
        if change["to"]:
            steps.append(Move(change["to"], change["path"], expects=change["before"]))
        elif change["before"] == ABSENT:
            steps.append(Remove(change["path"], expects=change["after"]))
        else:
            old = _kept(files, folder, index, record["verb"], change)
            steps.append(Write(change["path"], old, expects=change["after"]))
    return ChangeSet("undo", tuple(steps))


def _kept(files: _files.Files, folder: str, index: int, verb: str, change: dict[str, Any]) -> bytes:
    try:
        return undo_record.old(files, folder, index)
    except MissingFileError:
        raise _forgotten(verb, f"the earlier content of {change['path']}") from None


def _forgotten(verb: str, what: str) -> NothingToUndoError:
    return NothingToUndoError(
        f"`{verb}` cannot be undone: `agentws forget` removed {what}.",
        hint="Nothing was undone. Change the file in an editor.",
    )


def is_applied(files: _files.Files, number: int) -> bool:
    """Return whether the transaction of change `number` was applied completely and its old files are still kept."""
    return _has_record(files, f"{local_dir.UNDO}/{number:06d}")


def verb_of(files: _files.Files, number: int) -> str:
    """Return the verb that made change `number`, from the transaction's undo record."""
    return str(_read_record(files, f"{local_dir.UNDO}/{number:06d}")["verb"])


def newest_within(files: _files.Files, folder: str) -> list[str]:
    """Return the paths that the newest change in this folder touched, of the transactions still kept for undo."""
    numbers = [name for name, _ in files.names(local_dir.UNDO) if name.isdigit()]
    for number in reversed(numbers):
        try:
            changes = _read_record(files, f"{local_dir.UNDO}/{number}")["changes"]
        except AgentwsError:
            continue
        result = [str(change["path"]) for change in changes if change["path"].startswith(f"{folder}/")]
        if result:
            return result
    return []


def steps_of(files: _files.Files, number: int) -> list[dict[str, Any]]:
    """Return the steps of change `number`, as in `record.json` (docs/format/local.md)."""
    return list(_read_record(files, f"{local_dir.UNDO}/{number:06d}")["changes"])


def clear_folders(files: _files.Files, number: int) -> None:
    """Remove the folders that the transaction of change `number` had made, if they are empty again."""
    for made in _read_record(files, f"{local_dir.UNDO}/{number:06d}")["folders"]:
        files.remove_folder(str(made))


def _before(files: _files.Files, changes: ChangeSet) -> dict[str, tuple[str, bytes]]:
    before: dict[str, tuple[str, bytes]] = {}
    for change in changes.changes:
        try:
            data = files.read(change.path)
            before[change.path] = (digest.of(data), data)
        except MissingFileError:
            before[change.path] = (ABSENT, b"")
        if before[change.path][0] != change.expects:
            raise ChangedUnderneathError(
                f"{change.path}: changed since it was read; nothing was overwritten.",
                hint="Re-run the command to use the current content.",
            )
    return before


def _record(files: _files.Files, folder: str, changes: ChangeSet, before: dict[str, tuple[str, bytes]]) -> None:
    steps, old = [], {}
    for index, change in enumerate(changes.changes):
        was, data = before[change.path]
        if was != ABSENT and not isinstance(change, Move):
            old[index] = data
        new = change.data if isinstance(change, Write) else b""
        after = digest.of(new) if isinstance(change, Write) else ABSENT
        to = change.to if isinstance(change, Move) else ""
        steps.append({"path": change.path, "to": to, "before": was, "after": after, "size": len(new)})
    above = {"/".join(path.split("/")[:depth]) for path in changes.paths for depth in range(1, path.count("/") + 1)}
    new_folders = sorted((path for path in above if not files.exists(path)), key=len, reverse=True)
    undo_record.put(files, folder, {"verb": changes.verb, "changes": steps, "folders": new_folders}, old)


def _read_record(files: _files.Files, folder: str) -> dict[str, Any]:
    try:
        return undo_record.read(files, folder)
    except (ValueError, MissingFileError) as error:
        change = f"change {int(name)}" if (name := folder.rpartition("/")[2]).isdecimal() else "the interrupted change"
        raise DamagedError(
            f"{folder}/{undo_record.FILE}: unreadable, so {change} cannot be reverted.",
            hint="Restore the changed files from history: agentws history FILE",
        ) from error


def _change(files: _files.Files, changes: ChangeSet) -> list[str]:
    """Make every change, durably; returns the paths of other programs' edits that were kept beside.

    Each folder is synced once, before the last change: if that was made, all were (`_reached_its_end`).
    """
    *most, last = changes.changes or (None,)
    way: set[str] = set()
    kept: list[str | None] = []
    for steps in (most, [last] if last else []):
        later: set[str] = set()
        kept += [_make_change(files, change, later, way) for change in steps]
        for folder in sorted(later if steps is most else later | way):
            files.sync_folder(folder)
    return [beside for beside in kept if beside]


def _make_change(files: _files.Files, change: Change, later: set[str], way: set[str]) -> str | None:
    """Make one change; `later` collects the folders whose names it changes, `way` their parents."""
    target = change.to if isinstance(change, Move) else change.path
    if "/" in target:
        files.make_folder(target.rpartition("/")[0], later=way)
    if isinstance(change, Write):
        return files.replace(change.path, change.data, expects=change.expects, later=later)
    if isinstance(change, Move):
        return files.move(change.path, change.to, expects=change.expects, later=later)
    return files.remove(change.path, expects=change.expects, later=later)


def _reached_its_end(files: _files.Files, folder: str) -> bool:
    """Return whether the last change of a pending record was made, and therefore all of them.

    The verb, run again, finds its work done and says so: that must not be reverted afterwards. Lines that were appended
    since do not matter.
    """
    if not _has_record(files, folder):
        return False
    for index, change in reversed(list(enumerate(_read_record(files, folder)["changes"]))):
        path, before, after = change["path"], change["before"], change["after"]
        if change["to"]:
            return _now(files, path) == ABSENT and _now(files, change["to"]) == before
        if after == ABSENT:
            return _now(files, path) == ABSENT
        if after != before:
            return _begins_as_after(files, change, folder, index)
    return True


def _begins_as_after(files: _files.Files, change: dict[str, Any], folder: str, index: int) -> bool:
    try:
        data = files.read(change["path"])
    except (MissingFileError, UnsafeFileError, TooLargeError):
        return False
    if digest.of(data[: change["size"]]) != change["after"]:
        return False
    # The old file may begin as the new one does, where the change takes the end away.
    old = undo_record.old(files, folder, index) if change["before"] != ABSENT else b""
    return len(old) < change["size"] or not data.startswith(old)


def _finish(files: _files.Files, folder: str) -> None:
    undo_record.settle(files, folder)
    for change in _read_record(files, folder)["changes"]:
        files.settle(change["path"], expects=change["before"])
        for path in (change["path"], change["to"]):
            if path:
                _sync_way(files, path)
    files.rename_folder(folder, folder.removesuffix(".pending"))


def _sync_way(files: _files.Files, path: str) -> None:
    try:
        files.sync_way(path)
    except (MissingFileError, UnsafeFileError):
        pass  # the folder is gone, and with it what was to be made durable


def _put_back(files: _files.Files, folder: str) -> list[str]:
    """Revert the applied changes of a pending record. A file that is neither as before nor as after is kept."""
    restored: list[str] = []
    if _has_record(files, folder):
        record = _read_record(files, folder)
        for index, change in reversed(list(enumerate(record["changes"]))):
            path, to, before, after = change["path"], change["to"], change["before"], change["after"]
            files.settle(path, expects=before, written=after)
            now = _now(files, path)
            if to:
                restored += [path] * _move_back(files, path, to, before)
            elif now == after != before:
                _restore(files, folder, index, change)
                restored.append(path)
            elif now != before != ABSENT:
                # Somebody changed it since. Theirs stays, and what stood there before us is not thrown away either.
                old = undo_record.old(files, folder, index)
                local_dir.quarantine(files, path.rpartition("/")[2], old)
            for name in filter(None, (path, to)):  # also what an earlier try put back and was killed
                _sync_way(files, name)
        for made in record["folders"]:
            files.remove_folder(str(made))
    # Without a record nothing had been applied yet.
    undo_record.drop(files, folder)
    return restored


def _has_record(files: _files.Files, folder: str) -> bool:
    # Only a record that is surely not there may be taken for none: what it would have put back is dropped then.
    try:
        return files.size(undo_record.path(files, folder)) >= 0
    except MissingFileError:
        return False


def _now(files: _files.Files, path: str) -> str:
    """Return the present digest of the file; a word for anything that is not a regular file."""
    try:
        return files.digest(path)
    except (UnsafeFileError, TooLargeError):
        return "something else"


def _move_back(files: _files.Files, path: str, to: str, before: str) -> bool:
    there = _now(files, path)
    if _now(files, to) != before or there not in (before, ABSENT):
        return False
    if there == before:  # killed between the link and the unlink: both names exist
        files.remove(to, expects=before)
    else:
        files.move(to, path, expects=before)
    return True


def _restore(files: _files.Files, folder: str, index: int, change: dict[str, Any]) -> None:
    if change["before"] == ABSENT:
        files.remove(change["path"], expects=change["after"])
    else:
        files.replace(change["path"], undo_record.old(files, folder, index), expects=change["after"])


def _forget_old(files: _files.Files) -> None:
    """Remove all but the newest records; older changes remain in history, if there is one."""
    try:
        numbers = [name for name, _ in files.names(local_dir.UNDO) if name.isdigit()]
        for name in numbers[:-_KEEP]:
            undo_record.drop(files, f"{local_dir.UNDO}/{name}", durably=False)
    except AgentwsError:
        return  # only a courtesy to the disk
