"""The private repository as it lies on disk: made whole or not at all, and made anew."""

from __future__ import annotations

import os
import shutil

from agentws.core.disk import files as _files
from agentws.core.disk import local_dir
from agentws.core.states import plumbing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files

FOLDER = ".agentws/sync"
NAME = "repo.git"
_NEW = "repo.new"
"""A repository that is whole, and takes the place of the other."""
_MAKING = "making-"


def place(files: Files) -> str:
    """The repository's absolute path; made where there is none that is whole. The caller holds the lock."""
    folder = f"{files.root}/{FOLDER}"
    at = f"{folder}/{NAME}"
    try:
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
        _sweep(folder)
        _unlock(at)
    except OSError as error:
        raise _files.failure(error, f"{FOLDER}/{NAME}") from error
    return at


def begin(folder: str) -> str:
    """An empty repository beside the other, of which nobody knows yet."""
    made = f"{folder}/{_MAKING}{os.urandom(8).hex()}"
    plumbing.create_bare(made)
    return made


def take_over(folder: str, made: str) -> None:
    """Put the repository that was begun, with all that is in it, durably in the place of the other."""
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
    """Make all that lies in a folder durable, and its own name not."""
    for folder, _, names in os.walk(top, topdown=False):
        for name in names:
            fd = os.open(f"{folder}/{name}", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                _files.sync(fd)
            finally:
                os.close(fd)
        sync_folder(folder)


def remove(at: str) -> None:
    """Remove a repository of ours; OSError where something stays."""
    if os.path.lexists(at):
        shutil.rmtree(at)


def _exchange(folder: str) -> None:
    remove(f"{folder}/{NAME}")
    os.rename(f"{folder}/{_NEW}", f"{folder}/{NAME}")
    sync_folder(folder)


def _sweep(folder: str) -> None:
    """Remove what killed processes have left in the making."""
    with os.scandir(folder) as found:
        left = [each.path for each in found if each.name.startswith(_MAKING)]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)


def _unlock(at: str) -> None:
    """Remove what a killed git has left: nobody but the holder of our lock runs one here."""
    for folder, _, names in os.walk(at):
        is_pack = folder == f"{at}/objects/pack"
        for name in names:
            if name.endswith(".lock") or (is_pack and name.startswith("tmp_")) or (is_pack and name.endswith(".keep")):
                os.unlink(f"{folder}/{name}")


def _is_whole(at: str) -> bool:
    try:
        with open(f"{at}/HEAD", encoding="ascii") as head, open(f"{at}/config", encoding="ascii") as config:
            told = head.read(32).startswith("ref: refs/") and "bare = true" in config.read()
    except (OSError, UnicodeDecodeError):
        return False
    return told and os.path.isdir(f"{at}/objects/pack") and os.path.isdir(f"{at}/refs")
