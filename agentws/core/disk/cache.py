"""The cache of recomputable values, in this user's cache folder and never in the workspace.

An entry is one file: a digest, JSON of a plain value with the versions that made it, and optional bytes. An entry that
is damaged, made by another version, owned by another user, or open to others counts as missing. Errors on write are
ignored.
"""

from __future__ import annotations

import os
import stat
import sys

from agentws.core.disk import files
from agentws.core.formats import digest
from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_MOST_BYTES = 16 << 20
_MOST_ENTRIES = 12
_MOST_WORKSPACES = 64
_NAME_DIGITS = 40
BACKUP = "backup"
"""The prefix of folders with cached content of backup repositories; these are not entries (`forget_backups`)."""
_INDEX = "search"
"""The prefix of the search index's files (features/search/store), which are not entries: they are removed with the
folder alone.
"""
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Cache:
    """The cache entries of the workspace at `root`, below the folder `base`; none if `base` is None."""

    def __init__(self, base: str | None, root: str) -> None:
        self.folder = f"{base}/{digest.quick(os.fsencode(root))}" if base else None

    def get(self, name: str) -> Any:
        """Return the cached value called `name`, None if there is no valid entry."""
        return self.get_beside(name)[0]

    def get_beside(self, name: str) -> tuple[Any, bytes]:
        """Return the cached value called `name`, None without one, and the bytes that were saved with it."""
        if self.folder is None:
            return None, b""
        try:
            whole = _read(f"{self.folder}/{name}")
            start = whole.index(b"\n") + 1
            end = whole.find(b"\n", start)
            data, beside = (whole[start:], b"") if end < 0 else (whole[start:end], whole[end + 1 :])
            if digest.quick(data).encode() != whole[: start - 1]:
                return None, b""
            made_by, value, *sums = plainjson.loads(data)
            known = made_by[0] == _versions() and stamps(path for path, *_ in made_by[1]) == made_by[1]
            return (value, beside) if known and sums == _sums(beside) else (None, b"")
        except (OSError, ValueError):
            return None, b""

    def put(self, name: str, value: object, *, made_by: Iterable[str], beside: bytes = b"") -> None:
        """Cache `value` as `name`, valid until one of the program's files `made_by` changes."""
        if self.folder is None:
            return
        data = plainjson.dumps([[_versions(), stamps(made_by)], value, *_sums(beside)], separators=(",", ":")).encode()
        body = b"%b\n%b" % (data, beside) if beside else data
        if len(body) > _MOST_BYTES:
            return
        try:
            if not os.path.isdir(self.folder):
                make_folder(self.folder)
                _forget_workspaces(os.path.dirname(self.folder))
            write_file(self.folder, name, digest.quick(data).encode() + b"\n", body)
            _forget_entries(self.folder, _MOST_ENTRIES)
        except OSError:
            return  # a home that is full, read-only or not there: only the next call is slower

    def use(self, name: str) -> None:
        """Mark an entry as used: the entries unused for longest are removed first."""
        if self.folder is not None:
            try:
                os.utime(f"{self.folder}/{name}")
            except OSError:
                return

    def clear(self) -> None:
        """Remove this workspace's cache entries, but not its search index (features/search/store/database.py).

        OSError if an entry remains.
        """
        if self.folder is not None and os.path.isdir(self.folder):
            _forget_entries(self.folder, 0)

    def forget_backups(self) -> None:
        """Remove cached content of backup repositories. OSError if some remains."""
        import shutil  # seldom

        if self.folder is not None and os.path.isdir(self.folder):
            for name in os.listdir(self.folder):
                if name.startswith(BACKUP):
                    shutil.rmtree(f"{self.folder}/{name}")


def _sums(beside: bytes) -> list[int]:
    """Return the checksum of an entry's bytes; a digest as for the rest would take longer than using the bytes."""
    if not beside:
        return []
    from binascii import crc32

    return [len(beside), crc32(beside)]


def _versions() -> list[object]:
    # The package is above the core: it is not imported, but looked up.
    program = sys.modules["agentws"]
    return [getattr(program, "__version__", ""), program.__file__, sys.hexversion]


def program(package: str) -> list[str]:
    """Return the loaded files of agentws below a package, which a cached value may depend on."""
    ours = [module for name, module in list(sys.modules.items()) if f"{name}.".startswith(package)]
    return sorted(file for module in ours if (file := getattr(module, "__file__", None)))


def stamps(paths: Iterable[str]) -> list[list[object]]:
    """Return size and times of each program file that cached values depend on, as Python checks its compiled code."""
    result: list[list[object]] = []
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:
            result.append([path, 0, 0, 0])
        else:
            result.append([path, status.st_size, status.st_mtime_ns, status.st_ctime_ns])
    return result


def _read(path: str) -> bytes:
    fd = os.open(path, _READ)
    try:
        status = os.fstat(fd)
        # Whoever can write here could speak to the agent in its own voice.
        private = stat.S_ISREG(status.st_mode) and not status.st_mode & 0o077 and status.st_uid == os.geteuid()
        return files.read_up_to(fd, _MOST_BYTES, expected=status.st_size) if private else b""
    finally:
        os.close(fd)


def make_folder(folder: str) -> None:
    """Make a cache folder and its missing parents, for this user alone; OSError if another user owns a parent."""
    above = os.path.dirname(folder)
    if not os.path.isdir(above):
        make_folder(above)
    # `sudo` often leaves HOME as it was: what root made there, its owner could not use.
    if os.stat(above).st_uid != os.geteuid():
        raise PermissionError(above)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass  # another process made it in between


def write_file(folder: str, name: str, *data: bytes, mode: int = 0o600, synced: bool = False) -> None:
    """Write a cache file in one step. An entry is not `synced`: after a power cut its digest shows the damage."""
    new = f"{folder}/.{name}.{os.getpid()}"
    fd = os.open(new, _WRITE, mode)
    try:
        for each in data:
            files.write_all(fd, each)
        if synced:
            files.sync(fd)
        os.rename(new, f"{folder}/{name}")
    except BaseException:
        os.unlink(new)
        raise
    finally:
        os.close(fd)


def _forget_entries(folder: str, most: int) -> None:
    """Remove all but the newest `most` files of a cache folder."""
    names = [name for name in os.listdir(folder) if not name.lstrip(".").startswith((_INDEX, BACKUP))]
    for path in _newest_first(folder, names)[most:]:
        os.unlink(path)


def _forget_workspaces(base: str) -> None:
    """Remove the folders of all but the most recently used workspaces; other files in `base` are kept."""
    ours = [name for name in os.listdir(base) if len(name) == _NAME_DIGITS and not name.strip("0123456789abcdef")]
    for path in _newest_first(base, ours)[_MOST_WORKSPACES:]:
        import shutil  # seldom

        shutil.rmtree(path)


def _newest_first(folder: str, names: list[str]) -> list[str]:
    paths = [f"{folder}/{name}" for name in names]
    return sorted(paths, key=lambda path: os.lstat(path).st_mtime_ns, reverse=True)
