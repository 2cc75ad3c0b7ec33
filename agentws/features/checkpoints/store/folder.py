"""The folder `checkpoints/`: its files are created durably and never changed. Listing reads only their first lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from agentws.changes import ABSENT
from agentws.core.disk import lock
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import checkpoint
from agentws.core.formats.documents.checkpoint import Encoded, Header
from agentws.errors import AgentwsError, DamagedError, MissingFileError

LOCK = "checkpoints"
"""The lock held from numbering a checkpoint to its event, and while checkpoints are removed."""
_TEMPORARY = (".agentws-new", ".agentws-old")


def tasks(files: Files) -> list[str]:
    """Return the names of the task folders with checkpoints, sorted; a name is that of the task when it was saved."""
    folders = [name for name, kind in files.names(layout.CHECKPOINTS) if kind == "folder"]
    return [name for name in folders if ids(files, name)]


def ids(files: Files, task: str) -> list[str]:
    """Return the ids of a task's checkpoints, from the file names."""
    return [id for name in files.listing(checkpoint.folder(task)) if (id := checkpoint.id_of(name))]


def headers(files: Files, task: str, notices: list[str]) -> list[Header]:
    """Return the headers of a task's checkpoints; an unreadable one adds a notice."""
    result = []
    for id in ids(files, task):
        try:
            result.append(header(files, task, id))
        except AgentwsError as error:
            notices.append(f"{error.message} {error.hint or ''}".rstrip())
    return result


def header(files: Files, task: str, id: str) -> Header:
    """Return the header of a checkpoint; DamagedError, MissingFileError."""
    return _own(files.part(checkpoint.path(task, id), checkpoint.HEADER_BYTES)[0], task, id)


def _own(data: bytes, task: str, id: str) -> Header:
    """Return the header of a checkpoint made in this folder; DamagedError for a copy from another one."""
    path = checkpoint.path(task, id)
    result = checkpoint.header(data, id=id, where=path)
    if result.task != task:
        raise DamagedError(
            f"{path}: made for the task {result.task!r}, not for this one.", hint="Move the file to where it belongs."
        )
    return result


def state(files: Files, task: str, id: str) -> tuple[Header, Any]:
    """Return a checkpoint's header and state, both checked; DamagedError if either is not as it was written."""
    path = checkpoint.path(task, id)
    data = files.read(path)
    head = _own(data, task, id)
    return head, checkpoint.state(data, head, lambda name: _blob(files, name), where=path)


def _blob(files: Files, name: str) -> bytes:
    path = checkpoint.blob_path(name)
    if not checkpoint.is_blob(path):
        raise DamagedError(f"{path}: not the name of a long text.")
    try:
        return files.read(path)
    except MissingFileError as error:
        raise DamagedError(
            f"{path} is missing: a long text of the state.", hint="Restore it from a backup or another machine."
        ) from error


def put(files: Files, made: Encoded) -> None:
    """Create a checkpoint durably, its long texts first. The caller holds the lock."""
    task = made.header.task
    _prepare(files, checkpoint.folder(task), makes=True)
    _prepare(files, checkpoint.BLOBS, makes=bool(made.blobs))
    if made.blobs:
        for name, content in made.blobs.items():
            path = checkpoint.blob_path(name)
            there = files.digest(path) if files.exists(path) else ABSENT
            if there != name:
                files.replace(path, content, expects=there)
    files.replace(checkpoint.path(task, made.header.id), made.content, expects=ABSENT)


def _prepare(files: Files, folder: str, *, makes: bool) -> None:
    """Make a folder if needed, and remove from it what a killed verb left."""
    names = files.unsorted(folder)
    if makes and all(
        name.startswith(".") for name in names
    ):  # else its name is durable: it was before the first file was made
        files.make_folder(folder)
    for name in names:
        if _is_leftover(name):
            path = f"{folder}/{name}"
            files.remove(path, expects=files.digest(path))


def others(files: Files) -> tuple[list[str], list[str]]:
    """Return (paths left by killed verbs, paths of files that agentws did not write) in `checkpoints/`."""
    folders = [f"{layout.CHECKPOINTS}/{name}" for name, kind in files.names(layout.CHECKPOINTS) if kind == "folder"]
    paths = [(f"{folder}/{name}", name) for folder in folders for name in files.unsorted(folder)]
    left = [path for path, name in paths if _is_leftover(name)]
    known = (path for path, name in paths if checkpoint.id_of(name) or checkpoint.is_blob(path))
    return left, sorted({path for path, _ in paths}.difference(left, known))


def remove_leftovers(files: Files, paths: Iterable[str]) -> None:
    """Remove the files that killed verbs left in `checkpoints/`. The caller holds the lock."""
    for path in paths:
        if files.exists(path):
            files.remove(path, expects=files.digest(path))
            _remove_empty(files, path.rpartition("/")[0])


def _is_leftover(name: str) -> bool:
    return name.startswith(".") and name.endswith(_TEMPORARY)


def remove(files: Files, task: str, ids: Iterable[str]) -> None:
    """Remove checkpoints, durably. The caller holds the lock."""
    _remove_all(files, checkpoint.folder(task), [checkpoint.path(task, id) for id in ids])


def _remove_all(files: Files, folder: str, paths: Iterable[str]) -> None:
    """Remove these files of a folder, and the folder if it is empty then, durably."""
    later: set[str] = set()
    for path in paths:
        try:
            files.remove(path, expects=digest.of(files.read(path)), later=later)
        except MissingFileError:
            continue  # another process removed it
    if later:
        files.sync_folder(folder)
    _remove_empty(files, folder)


def unused_blobs(files: Files, *, without: Collection[tuple[str, str]] = ()) -> dict[str, int]:
    """Return the sizes in bytes, by digest, of long texts that no checkpoint outside of `without` (task, id) needs.

    Empty if a checkpoint cannot be read: it may need any of them.
    """
    names = [name for name in files.listing(checkpoint.BLOBS) if checkpoint.is_blob(checkpoint.blob_path(name))]
    if not names:
        return {}
    used: set[str] = set()
    gone = set(without)
    try:
        for task in tasks(files):
            for id in ids(files, task):
                if (task, id) not in gone:
                    used |= _blobs(files, task, id)
    except AgentwsError:
        return {}
    return {name: files.size(checkpoint.blob_path(name)) for name in names if name not in used}


def _blobs(files: Files, task: str, id: str) -> set[str]:
    path = checkpoint.path(task, id)
    limit = checkpoint.HEADER_BYTES
    while True:
        data, size = files.part(path, limit)
        if data.count(b"\n") >= 2 or limit >= size:
            return checkpoint.blobs(data)
        limit *= 8


def remove_unused_blobs(files: Files) -> None:
    """Remove the long texts that no checkpoint needs, durably. The caller holds the lock."""
    if not files.exists(checkpoint.BLOBS):
        return
    # A sync brings a text before the checkpoint that needs it, in one transaction.
    with lock.Lock(files, lock.TRANSACTION):
        _remove_all(files, checkpoint.BLOBS, map(checkpoint.blob_path, unused_blobs(files)))


def _remove_empty(files: Files, folder: str) -> None:
    if not files.unsorted(folder):
        files.remove_folder(folder)


def size(files: Files) -> tuple[int, int]:
    """Return the number of checkpoints, and the bytes of all files in `checkpoints/`."""
    count = total = 0
    for task in [name for name, kind in files.names(layout.CHECKPOINTS) if kind == "folder"]:
        for name in files.listing(checkpoint.folder(task)):
            path = f"{checkpoint.folder(task)}/{name}"
            is_one = bool(checkpoint.id_of(name))
            if is_one or checkpoint.is_blob(path):
                count += is_one
                try:
                    total += files.size(path)
                except AgentwsError:
                    continue
    return count, total
