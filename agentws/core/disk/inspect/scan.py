"""A bounded scan of a workspace: names, kinds, modes and times. No file is opened or followed.

Temporary files of killed agentws processes are found by name and age, and removed without touching others.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from itertools import islice

from agentws.core.disk import files as _files, local_dir, local_time, lock
from agentws.core.disk.files import Files
from agentws.core.disk.lenient import LARGEST_READ_BYTES
from agentws.core.formats import layout
from agentws.errors import AgentwsError, UnsafeFileError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OURS = (
    layout.LOCAL, layout.JOURNAL, layout.TASKS, layout.HANDOFFS, layout.CONTEXTS, "identity", "approvals", layout.DAYS,
)  # fmt: skip
"""The folders that are scanned, small ones first."""
_NOT_INTO = (f"{layout.LOCAL}/undo", f"{layout.LOCAL}/state", f"{layout.LOCAL}/sync/repo.git")
_MANY = ("blobs", "packed")
"""Folders of a writer that may contain very many files of one kind."""
_MOST_ENTRIES = 20_000
_MOST_OF_JOURNAL = 2_000
_DEEPEST = 6
FILE, FOLDER, OTHER = "file", "folder", "other"
_DAY_CHARS = len("2026-11-20.md")
_PLAIN = tuple(stat.S_IFREG | bits for bits in (0o644, 0o600, 0o640, 0o444, 0o400, 0o440))


class ScannedFile:
    """A scanned file or folder of the workspace: `path` (RelPath), `kind`, `mode`, size, modification time (Unix)."""

    __slots__ = ("kind", "mode", "modified_s", "path", "size_bytes")

    def __init__(self, path: str, status: os.stat_result) -> None:
        self.path = path
        self.mode = stat.S_IMODE(status.st_mode)
        self.size_bytes = status.st_size
        self.modified_s = status.st_mtime
        regular = stat.S_ISREG(status.st_mode)
        self.kind = FILE if regular else FOLDER if stat.S_ISDIR(status.st_mode) else OTHER

    @property
    def name(self) -> str:
        """The last part of the scanned file's path."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The scanned file's path without its last part; empty for the root."""
        return self.path.rpartition("/")[0]


class Look:
    """The result of a workspace scan: `entries` by their paths; `cut` if there is more than was scanned.

    The daily `logs` are not among the entries if they are regular files that only their owner may write to: there may
    be thousands, and only their modification times are needed (path → Unix time).
    """

    def __init__(self) -> None:
        self.entries: dict[str, ScannedFile] = {}
        self.logs: dict[str, float] = {}
        self.cut = False
        self._folders: dict[str, list[ScannedFile]] = {}

    def __len__(self) -> int:
        return len(self.entries) + len(self.logs)

    def add(self, folder: str, entries: list[ScannedFile]) -> None:
        """Add the scanned entries of this folder."""
        self._folders[folder] = entries
        self.entries.update((entry.path, entry) for entry in entries)

    def every_file(self) -> list[str]:
        """Return the paths of the scanned regular files, the daily logs last."""
        return [*(entry.path for entry in self.entries.values() if entry.kind == FILE), *sorted(self.logs)]

    def odd(self, folder: str) -> list[tuple[str, str]]:
        """Return names and kinds of the scanned entries in this folder, without the `logs`."""
        return [(entry.name, entry.kind) for entry in self._folders.get(folder, ())]

    def names(self, folder: str) -> list[str]:
        """Return the names of all scanned entries in this folder, in no order."""
        logs = self.logs if folder == layout.DAYS else ()
        return [*(entry.name for entry in self._folders.get(folder, ())), *(path[len(folder) + 1 :] for path in logs)]

    def files(self, *folders: str) -> list[str]:
        """Return the paths of the scanned regular files directly in these folders, sorted."""
        within = (entry for folder in folders for entry in self._folders.get(folder, ()))
        logs = self.logs if layout.DAYS in folders else ()
        return sorted([*(entry.path for entry in within if entry.kind == FILE), *logs])

    def modified_since(self, moment_s: float) -> list[str]:
        """Return the paths of the scanned files modified since then (Unix time), newest first."""
        files = ((entry.path, entry.modified_s) for entry in self.entries.values() if entry.kind == FILE)
        newer = [each for each in files if each[1] >= moment_s]
        newer += [each for each in self.logs.items() if each[1] >= moment_s]
        return [path for path, _ in sorted(newer, key=lambda each: each[1], reverse=True)]


def look(files: Files) -> Look:
    """Scan the workspace's root and its own folders, at most some ten thousand entries."""
    seen = Look()
    try:
        root = os.open(files.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return seen
    try:
        _list(seen, root, "", most=_MOST_ENTRIES // 4)
        for folder in _OURS:
            entry = seen.entries.get(folder)
            if entry is not None and entry.kind == FOLDER:
                _below(seen, root, folder, 1, _MOST_OF_JOURNAL if folder == layout.JOURNAL else _MOST_ENTRIES)
    finally:
        os.close(root)
    return seen


def _below(seen: Look, above: int, path: str, depth: int, most: int) -> None:
    try:
        folder = os.open(path.rpartition("/")[2], _FOLDER, dir_fd=above)
    except OSError:
        return
    try:
        for entry in _list(seen, folder, path, most=most):
            if entry.kind == FOLDER and _is_looked_into(entry):
                if depth < _DEEPEST:
                    _below(seen, folder, entry.path, depth + 1, most)
                else:
                    seen.cut = True
    finally:
        os.close(folder)


def _is_looked_into(entry: ScannedFile) -> bool:
    is_many = entry.name in _MANY and entry.path.startswith(f"{layout.JOURNAL}/")
    return not is_many and entry.path not in _NOT_INTO


def _list(seen: Look, folder: int, path: str, *, most: int) -> list[ScannedFile]:
    """Add the entries of a folder to the scan, and return them, sorted."""
    room = max(0, min(most, _MOST_ENTRIES - len(seen)))
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, room + 1)]
    except OSError:
        return []
    seen.cut = seen.cut or len(names) > room
    within = f"{path}/" if path else ""
    names = names[:room]
    # With words behind its day a name can be that of a copy, which is looked at.
    days = {name for name in layout.daily_logs(names) if len(name) == _DAY_CHARS} if path == layout.DAYS else ()
    made: list[ScannedFile] = []
    for name in [*days, *sorted(name for name in names if name not in days)]:
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue  # it went away meanwhile
        if name in days and status.st_mode in _PLAIN:
            seen.logs[within + name] = status.st_mtime
        else:
            made.append(ScannedFile(within + name, status))
    seen.add(path, made)
    return made


_MOST_READ_BYTES = 1 << 20


class Folder:
    """A scan's folder, the workspace, for core/hosts/loading.py; no more than a mebibyte of it is read."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._left_bytes = _MOST_READ_BYTES

    def has(self, path: str) -> bool:
        """Return whether the scanned workspace has `path`; True also if the disk fails."""
        try:
            return self._files.exists(path)
        except AgentwsError:
            return True

    def text(self, path: str) -> str | None:
        """Return the text of a file of the scanned workspace, None if it cannot be read whole."""
        try:
            data, size = self._files.part(path, min(LARGEST_READ_BYTES, self._left_bytes))
        except AgentwsError:
            return None
        self._left_bytes -= len(data)
        return data.decode("utf-8", "replace") if size == len(data) else None


_DEAD_AFTER_S = 3600.0
"""No agentws process uses one temporary file for so long."""
_NEW, _OLD = ".agentws-new", ".agentws-old"
_ASIDE_DIGITS = 16
_HEX = "0123456789abcdef"
_LOCK_TIMEOUT_S = 2.0


def staged_temp_files(entries: Iterable[ScannedFile]) -> tuple[list[str], list[str]]:
    """Return (new contents never put in place, old contents kept aside): a workspace's temporary files."""
    old = [entry for entry in entries if entry.name.startswith(".") and _is_dead(entry.modified_s)]
    new = [scanned.path for scanned in old if scanned.name.endswith(_NEW) or scanned.path.startswith(".git-new-")]
    return sorted(new), sorted(scanned.path for scanned in old if scanned.name.endswith(_OLD))


def temp_files_of_keys(folder: str) -> list[str]:
    """Return the temporary files that a killed making of a key has left in an installation's folder."""
    names = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if _is_of_key(entry.name) and _is_dead(entry.stat(follow_symlinks=False).st_mtime):
                    names.append(entry.name)
    except OSError:
        return []
    return sorted(names)


def _is_of_key(name: str) -> bool:
    digits = name.rpartition("-")[2]
    aside = name.startswith((".key-", ".key.pub-")) and len(digits) == _ASIDE_DIGITS and not digits.strip(_HEX)
    return aside or name.startswith(".making-")


def _is_dead(modified_s: float) -> bool:
    return local_time.now() - modified_s > _DEAD_AFTER_S


def clear_temp_file(files: _files.Files, base: str, path: str) -> None:
    """Remove a temporary file of a killed process; `base` is the folder that contains `path`, or empty.

    Holds the transaction lock. UnsafeFileError for any other file.
    """
    name = path.rpartition("/")[2]
    ours = _is_of_key(name) if base else name.startswith(".") and (name.endswith(_NEW) or path.startswith(".git-new-"))
    if not ours:
        raise UnsafeFileError(f"{path}: not a temporary file of agentws; unchanged.")
    local_dir.prepare(files)
    transaction = lock.Lock(files, lock.TRANSACTION, timeout_s=_LOCK_TIMEOUT_S, note="doctor")
    with transaction, lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
        _remove(base or files.root, path)


def _remove(base: str, path: str) -> None:
    folder = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        *above, name = _files.names_of(path)
        for step in above:
            deeper = os.open(step, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            os.close(folder)
            folder = deeper
        if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            import shutil  # seldom, and slow to load

            shutil.rmtree(name, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)
        _files.sync(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _files.failure(error, path) from error
    finally:
        os.close(folder)
