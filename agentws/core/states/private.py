"""The private git repository of sync in `.agentws/sync`: created or replaced as a whole, never half.

Beside it are the digests of task files as a sync wrote them: a file that still matches was not edited on this machine.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from agentws.core.disk import files as _files, local_dir, lock
from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.json import plainjson
from agentws.core.states import plumbing
from agentws.errors import MissingFileError

FOLDER = ".agentws/sync"
NAME = "repo.git"
_NEW = "repo.new"
"""A complete repository that is about to replace the other one."""
_MAKING = "making-"


def place(files: Files) -> str:
    """Return the private repository's absolute path; created if none is complete. The caller holds the lock."""
    folder = f"{files.root}/{FOLDER}"
    at = f"{folder}/{NAME}"
    with _files.Failing(f"{FOLDER}/{NAME}"):
        if not os.path.isdir(folder):
            local_dir.prepare(files)
            files.make_folder(FOLDER)
        if os.path.lexists(f"{folder}/{_NEW}"):
            _exchange(folder)
        if not _is_whole(at):
            remove(at)
            made = begin(folder)
            sync_all(made)
            os.rename(made, at)
            sync_folder(folder)
        with os.scandir(folder) as entries:
            left = [each.path for each in entries if each.name.startswith(_MAKING)]
        for path in left:
            shutil.rmtree(path, ignore_errors=True)
        _unlock(at)
    return at


def begin(folder: str) -> str:
    """Create an empty repository beside the private one; returns its path."""
    made = f"{folder}/{_MAKING}{os.urandom(8).hex()}"
    plumbing.create_bare(made)
    return made


def take_over(folder: str, made: str) -> None:
    """Replace the private repository by the one that was begun, durably."""
    sync_all(made)
    os.rename(made, f"{folder}/{_NEW}")
    sync_folder(folder)
    _exchange(folder)


def sync_folder(path: str) -> None:
    """Make the names in a folder durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _files.sync(fd)
    finally:
        os.close(fd)


def sync_all(top: str) -> None:
    """Make all files in a folder durable, but not the folder's own name."""
    for folder, _, names in os.walk(top, topdown=False):
        for name in names:
            fd = os.open(f"{folder}/{name}", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                _files.sync(fd)
            finally:
                os.close(fd)
        sync_folder(folder)


def remove(at: str) -> None:
    """Remove a private repository; OSError if it cannot be removed completely."""
    if os.path.lexists(at):
        shutil.rmtree(at)


def _exchange(folder: str) -> None:
    remove(f"{folder}/{NAME}")
    os.rename(f"{folder}/{_NEW}", f"{folder}/{NAME}")
    sync_folder(folder)


def _unlock(at: str) -> None:
    """Remove lock files of a killed git: only the holder of the lock runs git here."""
    for folder, _, names in os.walk(at):
        is_pack = folder == f"{at}/objects/pack"
        for name in names:
            if name.endswith(".lock") or (is_pack and name.startswith("tmp_")) or (is_pack and name.endswith(".keep")):
                os.unlink(f"{folder}/{name}")


def _is_whole(at: str) -> bool:
    try:
        with open(f"{at}/HEAD", encoding="ascii") as head, open(f"{at}/config", encoding="ascii") as config:
            is_bare = head.read(32).startswith("ref: refs/") and "bare = true" in config.read()
    except (OSError, UnicodeDecodeError):
        return False
    return is_bare and os.path.isdir(f"{at}/objects/pack") and os.path.isdir(f"{at}/refs")


FILE = local_dir.RECEIVED_TASKS
_TASKS = f"{layout.TASKS}/"
_LIMIT_BYTES = 1 << 24
_LOCK = "sync"


def is_task(path: str) -> bool:
    """Return whether a path is a task's."""
    return path.startswith(_TASKS)


def holds(files: Files, path: str, digest: str) -> bool:
    """Return whether a sync wrote this content to this path."""
    return _read(files).get(path) == digest


def note(files: Files, digests: Mapping[str, str]) -> None:
    """Save the digests of tasks that are about to be written; an empty digest removes an entry."""
    present = _read(files)
    _keep(files, present, {**present, **digests})


def sweep(files: Files) -> None:
    """Remove the entries of tasks that no longer exist: their names may be text to be forgotten.

    LockHeldError if a sync takes too long: the files it is about to write do not exist yet.
    """
    if all(files.exists(path) for path in _read(files)):
        return
    with lock.Lock(files, _LOCK, note="forget", idle=True):
        present = _read(files)
        _keep(files, present, {path: text for path, text in present.items() if files.exists(path)})


def _keep(files: Files, present: Mapping[str, str], wanted: Mapping[str, str]) -> None:
    noted = {path: text for path, text in wanted.items() if text}
    if noted != present:
        files.make_folder(FOLDER)
        data = plainjson.dumps({"agentws": 1, "tasks": dict(sorted(noted.items()))}).encode() + b"\n"
        files.replace(FILE, data, expects=files.digest(FILE))
    else:
        files.settle(FILE, expects=files.digest(FILE))  # what a killed sync left beside it


def _read(files: Files) -> dict[str, str]:
    try:
        tasks = plainjson.fields_of(files.read(FILE, limit_bytes=_LIMIT_BYTES)).get("tasks")
    except MissingFileError:
        return {}
    return {path: str(digest) for path, digest in tasks.items()} if isinstance(tasks, dict) else {}
