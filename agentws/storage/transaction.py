"""Applies a ChangeSet: all of it, or, after a crash, what the next holder of the lock makes of it.

The files as they were are kept in `.agentws/undo/<number>.pending/` before anything changes; when all is applied the
folder loses its `.pending`. Whoever next takes the lock and finds one pending puts the old files back. The same
record lets `undo` take the change back later.
"""

from __future__ import annotations

import json

from agentws.changes import ABSENT, Change, ChangeSet, Move, Remove, Write
from agentws.errors import AgentwsError, ChangedUnderneathError, DamagedError, MissingFileError
from agentws.formats import digest
from agentws.storage import daily_log, local, lock
from agentws.storage import files as _files

_KEEP = 50
_LOCK_TIMEOUT_S = 2.0
_APPEND_TIMEOUT_S = 30.0


class Applied:
    """What a transaction did: its number, and the edits of others that were kept beside (RelPaths)."""

    __slots__ = ("kept_beside", "number")

    def __init__(self, number: int, kept_beside: tuple[str, ...]) -> None:
        self.number = number
        self.kept_beside = kept_beside


def apply(files: _files.Files, changes: ChangeSet, *, undoes: int | None = None) -> Applied:
    """Apply every change, durably, or none.

    Raises ChangedUnderneathError (nothing applied) where a file is not what its change expects, LockHeldError where
    another transaction runs. Edits that slipped in during the write are kept beside and named in the result.
    """
    local.prepare(files)
    with lock.Lock(files, lock.TRANSACTION, timeout_s=_LOCK_TIMEOUT_S, note=changes.verb):
        recover(files)
        # Appends wait for these milliseconds alone, so that no line lands in a file that is being replaced.
        with lock.Lock(files, lock.APPEND, timeout_s=_APPEND_TIMEOUT_S):
            previous = local.last(files)
            daily_log.repair(files, previous)
            before = _before(files, changes)
            record: dict[str, object] = {"change": "transaction", "verb": changes.verb}
            number = local.add(files, record | ({} if undoes is None else {"undoes": undoes}), previous=previous)
            pending = _record(files, number, changes, before)
            try:
                kept = [beside for change in changes.changes if (beside := _one(files, change))]
            except BaseException:
                _put_back(files, pending)
                raise
            files.rename_folder(pending, pending.removesuffix(".pending"))
        _forget_old(files)
    return Applied(number, tuple(kept))


def recover(files: _files.Files) -> list[str]:
    """Put back what a killed transaction left half done; returns the paths put back. The caller holds the lock."""
    restored: list[str] = []
    for name, _ in files.names(local.UNDO):
        if name.endswith(".pending"):
            with lock.Lock(files, lock.APPEND, timeout_s=_APPEND_TIMEOUT_S):
                restored += _put_back(files, f"{local.UNDO}/{name}")
    return restored


def unfinished(files: _files.Files) -> bool:
    """True where a killed transaction waits for its recovery (by the next verb that writes)."""
    return any(name.endswith(".pending") for name, _ in files.names(local.UNDO))


def inverse(files: _files.Files, number: int) -> ChangeSet:
    """The ChangeSet that takes change `number` back, expecting the files to be as that change left them."""
    folder = f"{local.UNDO}/{number:06d}"
    steps: list[Change] = []
    record = _read_record(files, folder)
    for index, change in reversed(list(enumerate(record["changes"]))):
        if change["to"]:
            steps.append(Move(change["to"], change["path"], expects=change["before"]))
        elif change["before"] == ABSENT:
            steps.append(Remove(change["path"], expects=change["after"]))
        else:
            old = files.read(f"{folder}/{index}", limit_bytes=_files.DOCUMENT_LIMIT_BYTES)
            steps.append(Write(change["path"], old, expects=change["after"]))
    return ChangeSet("undo", tuple(steps))


def is_applied(files: _files.Files, number: int) -> bool:
    """True where change `number` was applied whole and its old files are still kept."""
    return files.exists(f"{local.UNDO}/{number:06d}/record.json")


def verb_of(files: _files.Files, number: int) -> str:
    """The verb that made change `number`."""
    return str(_read_record(files, f"{local.UNDO}/{number:06d}")["verb"])


def clear_folders(files: _files.Files, number: int) -> None:
    """Remove the folders that change `number` had made, where they are empty again."""
    for made in _read_record(files, f"{local.UNDO}/{number:06d}")["folders"]:
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
                hint="Run the same command again: it starts from what is there now.",
            )
    return before


def _record(files: _files.Files, number: int, changes: ChangeSet, before: dict[str, tuple[str, bytes]]) -> str:
    folder = f"{local.UNDO}/{number:06d}.pending"
    files.make_folder(folder)
    steps = []
    for index, change in enumerate(changes.changes):
        was, data = before[change.path]
        if was != ABSENT and not isinstance(change, Move):
            files.replace(f"{folder}/{index}", data, expects=ABSENT)
        after = digest.of(change.data) if isinstance(change, Write) else ABSENT
        to = change.to if isinstance(change, Move) else ""
        steps.append({"path": change.path, "to": to, "before": was, "after": after})
    above = {"/".join(path.split("/")[:depth]) for path in changes.paths for depth in range(1, path.count("/") + 1)}
    new_folders = sorted((path for path in above if not files.exists(path)), key=len, reverse=True)
    record = {"verb": changes.verb, "changes": steps, "folders": new_folders}
    files.replace(f"{folder}/record.json", json.dumps(record, indent=1).encode(), expects=ABSENT)
    return folder


def _read_record(files: _files.Files, folder: str) -> dict[str, list[dict[str, str]]]:
    try:
        record: dict[str, list[dict[str, str]]] = json.loads(files.read(f"{folder}/record.json"))
    except (ValueError, MissingFileError) as error:
        raise DamagedError(f"{folder}/record.json: cannot be read, so this change cannot be taken back.") from error
    return record


def _one(files: _files.Files, change: Change) -> str | None:
    target = change.to if isinstance(change, Move) else change.path
    if "/" in target:
        files.make_folder(target.rpartition("/")[0])
    if isinstance(change, Write):
        return files.replace(change.path, change.data, expects=change.expects)
    if isinstance(change, Move):
        files.move(change.path, change.to, expects=change.expects)
    else:
        files.remove(change.path, expects=change.expects)
    return None


def _put_back(files: _files.Files, folder: str) -> list[str]:
    """Undo what was applied of a pending record. A file that is neither as before nor as after is left alone."""
    restored: list[str] = []
    if files.exists(f"{folder}/record.json"):
        record = _read_record(files, folder)
        for index, change in reversed(list(enumerate(record["changes"]))):
            path, to, before, after = change["path"], change["to"], change["before"], change["after"]
            files.settle(path, expects=before)
            if to:
                _move_back(files, path, to, before)
            elif files.digest(path) == after != before:
                _restore(files, path, f"{folder}/{index}", before, after)
            restored.append(path)
        for made in record["folders"]:
            files.remove_folder(str(made))
    # Without a record nothing had been applied yet. The record goes first: half a folder must not look whole.
    _drop(files, folder)
    return restored


def _move_back(files: _files.Files, path: str, to: str, before: str) -> None:
    if files.digest(to) != before:
        return
    if files.digest(path) == before:  # killed between the link and the unlink: both names stand
        files.remove(to, expects=before)
    else:
        files.move(to, path, expects=before)


def _restore(files: _files.Files, path: str, kept: str, before: str, after: str) -> None:
    if before == ABSENT:
        files.remove(path, expects=after)
    else:
        files.replace(path, files.read(kept), expects=after)


def _drop(files: _files.Files, folder: str) -> None:
    names = [name for name, _ in files.names(folder)]
    for name in sorted(names, key=lambda name: name != "record.json"):
        files.remove(f"{folder}/{name}", expects=files.digest(f"{folder}/{name}"))
    files.remove_folder(folder)


def _forget_old(files: _files.Files) -> None:
    """Keep the newest records; older changes stay in history, where one is kept."""
    numbers = [name for name, _ in files.names(local.UNDO) if name.isdigit()]
    for name in numbers[:-_KEEP]:
        try:
            _drop(files, f"{local.UNDO}/{name}")
        except AgentwsError:
            return  # only a courtesy to the disk
