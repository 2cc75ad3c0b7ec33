"""Files beneath one root: read without following links, appended and replaced durably.

Every path is a RelPath (`memory/2026-11-20.md`): relative, `/` between names, no `.` or `..`. Folders on the way are
opened one by one without following symbolic links, so nothing outside the root is ever read or written. A call that
returns has made its change durable (P1): file first, then its folder. A call that fails leaves the old content (P2,
P4). A caller that changes several files collects their folders in a set (`later`), and syncs each once.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time

from agentws.core.formats import digest, layout
from agentws.core.formats.digest import ABSENT
from agentws.errors import (
    AgentwsError,
    ChangedUnderneathError,
    DiskError,
    LockHeldError,
    MissingFileError,
    TooLargeError,
    UnsafeFileError,
    UsageError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    _Row = TypeVar("_Row", bound=str | tuple[str, ...])

DOCUMENT_LIMIT_BYTES = 32 * 1024 * 1024
"""The largest file that agentws edits; larger ones are at most read in part, and never rewritten."""

UNSEEN = "?"
"""The stamp of a file that may not be read."""
OWN = (".agentws", "journal")
"""The folders that only their owner may access, whatever the umask: undo keeps the text of any document."""
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NOT_SEEN = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EACCES)
_LONGEST_LINK_BYTES = 64
"""The longest file that is looked at for the path of another one."""
_ABSENT = (errno.ENOENT, errno.ENAMETOOLONG)
_ROWS = f"{layout.DATA}/"
_LOCK_TIMEOUT_S, _PAUSE_S = 30.0, 0.001
_NO_FOLDER = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
NOT_OFFERED = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
"""Errors of a disk that does not offer a call at all, such as an fsync of folders (SMB, vboxsf, DrvFs)."""
REFUSED = (*NOT_OFFERED, errno.EPERM)
"""Errors of a disk without modes, owners or settable times."""
unsynced: set[int] = set()
"""The devices on which this process could not sync a folder: disk/inspect/mounts.py warns of them."""
NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_WORDS = {
    errno.ENOSPC: ("the disk is full", "Free some space and re-run; existing data is intact."),
    errno.EDQUOT: ("the disk quota is exceeded", "Free some space and re-run."),
    errno.EROFS: ("the file system is read-only", "Mount the file system writable, or work on a copy elsewhere."),
    errno.EACCES: ("permission denied", "Check the owner and mode of the file and its folders."),
    errno.EPERM: ("operation not permitted", "Check the owner, mode and attributes of the file."),
    errno.EIO: ("disk I/O error", "Check the disk before you write more."),
    errno.EMFILE: ("too many open files", "Raise the limit (ulimit -n) and re-run."),
    errno.ENFILE: ("too many open files on this machine", "Close some programs and re-run."),
    errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter name."),
    errno.ENOLCK: (
        "this disk offers no locks",
        "Mount it with locks (NFS: with lockd, or local_lock=flock), or move the workspace to a local disk.",
    ),
}


_OWNERS = "Only the owner of the workspace may use `.agentws` and `journal`. Run agentws as the owner."


def failure(error: OSError, path: str) -> AgentwsError:
    """Return the agentws error for an OSError on a file at `path`."""
    if error.errno == errno.ENOENT:
        return MissingFileError(f"{path}: not found.")
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO):
        return UnsafeFileError(
            f"{path}: not a regular file in the workspace (a link, folder or device).",
            hint="agentws follows no links; use a regular file.",
        )
    words, hint = _WORDS.get(error.errno or 0, (os.strerror(error.errno or 0), None))
    path = path or "the workspace's folder"
    if error.errno == errno.EACCES and (path.partition("/")[0] in OWN or "/.agentws/" in path):
        hint = _OWNERS
    return DiskError(f"{path}: {words}.", hint=hint)


class Failing:
    """A context in which an OSError becomes the agentws error for a file at `path`."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, OSError):
            raise failure(error, self._path) from error


def names_of(path: str) -> list[str]:
    """Return the names along a file's RelPath; UsageError if it could leave the root."""
    names = path.split("/")
    # Written out, since it runs for every file of many.
    if "" in names or "." in names or ".." in names or "\0" in path:
        raise UsageError(
            f"{path!r}: not a path inside the workspace.", hint="Write the path relative to the workspace."
        )
    return names


def sync(fd: int) -> None:
    """Make the file or folder `fd` durable. A failure is final: a second fsync would report success falsely.

    A disk that cannot sync folders at all is noted in `unsynced`.
    """
    full = getattr(fcntl, "F_FULLFSYNC", None)
    try:
        if full is not None:  # macOS: fsync alone leaves data in the drive's cache
            fcntl.fcntl(fd, full)
        else:
            os.fsync(fd)
    except OSError as error:
        status = os.fstat(fd)
        if error.errno not in NOT_OFFERED or not stat.S_ISDIR(status.st_mode):
            raise
        unsynced.add(status.st_dev)


def sync_data(fd: int) -> None:
    """Make content and length of a file durable, not its times; its name must be durable already."""
    if hasattr(fcntl, "F_FULLFSYNC"):
        sync(fd)
    else:
        os.fdatasync(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write all of `data` to the file `fd`; a short write is continued, and OSError raised if that fails."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def read_up_to(fd: int, size: int, *, expected: int | None = None) -> bytes:
    """Return at most `size` bytes of the file `fd` from its position; fewer reads if it ends at the `expected` size."""
    parts: list[bytes] = []
    if expected is not None:
        # A buffer of the largest size for each small file would cost more than reading it.
        first = os.read(fd, min(size, expected + 1))
        if len(first) == min(size, expected):
            return first
        parts.append(first)
        size -= len(first)
    while size > 0:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class _Parent:
    """A context with the opened folder of `path` and the last name; an OSError within becomes the agentws error."""

    __slots__ = ("_fd", "_files", "_path")

    def __init__(self, files: Files, path: str) -> None:
        self._files, self._path = files, path

    def __enter__(self) -> tuple[int, str]:
        """Open the folder, by names that could not leave the root."""
        *above, name = names_of(self._path)
        try:
            self._fd = self._files._folder(above)
        except OSError as error:
            raise self._files.failure(error, self._path) from error
        return self._fd, name

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._files._leave(self._fd)
        if isinstance(error, OSError):
            raise self._files.failure(error, self._path) from error


class Files:
    """The files beneath `root`, an absolute folder.

    `patience_s` is the longest wait for a lock; None: each holder's own limit.
    """

    __slots__ = ("patience_s", "root")

    is_view = False
    """Whether the content read here may differ from the bytes on the disk."""

    def __init__(self, root: str, *, patience_s: float | None = None) -> None:
        self.root = root
        self.patience_s = patience_s

    def real(self, path: str) -> str:
        """Return where the file of an agent is: `memory.md`, or the target of a link in the workspace; else `path`.

        A small file may be a link that was synced (links.py).
        """
        if path not in layout.AGENT_FILES:
            return path
        name = path
        try:
            try:
                status = os.lstat(f"{self.root}/{name}")
            except FileNotFoundError:
                name = layout.spelt(path, os.listdir(self.root))
                if name == path:
                    return path
                status = os.lstat(f"{self.root}/{name}")
        except OSError:
            return path  # the caller meets the same error
        is_small = status.st_size <= _LONGEST_LINK_BYTES and path != layout.MEMORY
        if not stat.S_ISLNK(status.st_mode) and not (is_small and self._names_another(name)):
            return name
        from agentws.core.disk import links

        return links.target(self.root, name)

    def _names_another(self, name: str) -> bool:
        try:
            fd = os.open(f"{self.root}/{name}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False  # the caller meets the same error
        try:
            return os.read(fd, _LONGEST_LINK_BYTES).rstrip().endswith(b".md")
        except OSError:
            return False
        finally:
            os.close(fd)

    # Reading

    def open(self, path: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
        """Return a descriptor of the regular file at `path`; raises OSError or UnsafeFileError."""
        return self._opened(path, flags, mode)[0]

    def open_in_place(self, path: str, flags: int, mode: int = 0o666) -> int:
        """Open the file to change it in place; UnsafeFileError if it has a second hard link, which would change too.

        A file of `.agentws/` is separated from its other links instead.
        """
        fd, status = self._opened(path, flags, mode)
        if status.st_nlink == 1:
            return fd
        os.close(fd)
        from agentws.core.disk import links

        links.part(self, path, status.st_ino)
        return self._opened(path, flags, mode)[0]

    def _opened(self, path: str, flags: int, mode: int) -> tuple[int, os.stat_result]:
        if path in layout.AGENT_FILES:  # looked at here, since this runs for every file of many
            path = self.real(path)
        names = names_of(path)
        folder = self._folder(names[:-1])
        try:
            # A device may act on being opened, so it is looked at first; the second look closes the race.
            try:
                _regular(os.stat(names[-1], dir_fd=folder, follow_symlinks=False), path)
            except OSError as error:
                if not flags & os.O_CREAT or error.errno not in _NOT_SEEN:
                    raise
            fd = os.open(names[-1], flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, mode, dir_fd=folder)
        finally:
            self._leave(folder)
        try:
            status = os.fstat(fd)
            _regular(status, path)
        except BaseException:
            os.close(fd)
            raise
        return fd, status

    def part(self, path: str, limit_bytes: int, *, from_end: bool = False) -> tuple[bytes, int]:
        """Return the first (or last) `limit_bytes` of the file, and its complete size in bytes."""
        data, status = self._part(path, limit_bytes, from_end=from_end)
        return data, status.st_size

    def _part(self, path: str, limit_bytes: int, *, from_end: bool = False) -> tuple[bytes, os.stat_result]:
        try:
            fd, status = self._opened(path, os.O_RDONLY, 0)
            try:
                size = status.st_size
                if from_end and size > limit_bytes:
                    os.lseek(fd, size - limit_bytes, os.SEEK_SET)
                return read_up_to(fd, limit_bytes, expected=size), status
            finally:
                os.close(fd)
        except OSError as error:
            raise self.failure(error, path) from error

    def piece(self, path: str, offset_bytes: int, limit_bytes: int) -> bytes:
        """Return at most `limit_bytes` of the file from `offset_bytes` on; empty beyond its end."""
        try:
            fd, _ = self._opened(path, os.O_RDONLY, 0)
            try:
                os.lseek(fd, offset_bytes, os.SEEK_SET)
                return read_up_to(fd, limit_bytes)
            finally:
                os.close(fd)
        except OSError as error:
            raise self.failure(error, path) from error

    def read(self, path: str, *, limit_bytes: int = DOCUMENT_LIMIT_BYTES) -> bytes:
        """Return the whole file; TooLargeError if it is larger than `limit_bytes`."""
        data, _ = self.part(path, limit_bytes + 1)
        return _no_more(data, limit_bytes, path)

    def read_with_status(self, path: str) -> tuple[bytes, os.stat_result]:
        """Return the whole file and its status from before the first byte was read."""
        data, status = self._part(path, DOCUMENT_LIMIT_BYTES + 1)
        return _no_more(data, DOCUMENT_LIMIT_BYTES, path), status

    def digest(self, path: str) -> str:
        """Return the digest of the file's content, ABSENT if there is no file."""
        try:
            return digest.of(self.read(path))
        except MissingFileError:
            return ABSENT

    def exists(self, path: str) -> bool:
        """Return whether a file or folder `path` exists, of whatever kind; False also without permission to look."""
        names = names_of(self.real(path))
        try:
            folder = self._folder(names[:-1])
            try:
                os.stat(names[-1], dir_fd=folder, follow_symlinks=False)
            finally:
                self._leave(folder)
        except OSError as error:
            if error.errno in _NOT_SEEN:
                return False
            raise self.failure(error, path) from error  # a failing disk must not look like an empty one
        return True

    def is_missing(self, path: str) -> bool:
        """Return True if there surely is no file `path`, by one system call; if False, ask `exists`.

        A folder on the way that is a link is followed: if nothing is there, nothing is there without the link either.
        """
        try:
            os.stat(f"{self.root}/{self.real(path)}", follow_symlinks=False)
        except FileNotFoundError:
            return not self.is_view
        except OSError:
            return False
        return False

    def is_at(self, path: str, status: os.stat_result) -> bool:
        """Return whether the opened file with this status is still the one at `path`."""
        try:
            there = os.stat(f"{self.root}/{self.real(path)}", follow_symlinks=False)
        except OSError as error:
            if error.errno in _NO_FOLDER:
                return False
            raise self.failure(error, path) from error
        return (there.st_ino, there.st_dev) == (status.st_ino, status.st_dev)

    def size(self, path: str) -> int:
        """Return the size in bytes of the regular file at `path`."""
        return self.status(path).st_size

    def status(self, path: str) -> os.stat_result:
        """Return the status of the regular file at `path`."""
        path = self.real(path)
        with _Parent(self, path) as (folder, name):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        _regular(status, path)
        return status

    def stamps(self, paths: Sequence[str]) -> list[str]:
        """Return for each path a stamp that changes whenever the content of the regular file changes; empty if there is
        none, UNSEEN without permission.

        No program can set `ctime`, so a change that keeps size and times is seen too.
        """
        result = []
        for path in paths:
            try:
                status = self.status(path)
            except (MissingFileError, UnsafeFileError):
                result.append("")
            except DiskError:
                result.append(UNSEEN)
            else:
                result.append(_stamp(status))
        return result

    def stamped(self, path: str, limit_bytes: int = DOCUMENT_LIMIT_BYTES) -> bytes:
        """Read the file like `read`, after the caller has asked for its stamp, which shows whether this still holds."""
        return _no_more(self._part(path, limit_bytes + 1)[0], limit_bytes, path)

    def listing(self, folder: str) -> list[str]:
        """Return the sorted file names in `folder`; faster than `names` if there are thousands."""
        return sorted(self.unsorted(folder))

    def unsorted(self, folder: str) -> list[str]:
        """Return the file names in `folder` in the system's order."""
        return self._listed(folder, os.listdir)

    def names(self, folder: str = "") -> list[tuple[str, str]]:
        """Return the sorted (name, kind) in `folder`; kind is `file`, `folder` or `other`. Empty without the folder."""
        return self._listed(folder, lambda fd: _rows(fd, lambda entry: (entry.name, _kind(entry))))

    def stamped_names(self, folder: str = "") -> list[tuple[str, str, str]]:
        """Return the names and kinds like `names`, with the stamp of each file: fast for many files."""

        def row(entry: os.DirEntry[str]) -> tuple[str, str, str]:
            return entry.name, (kind := _kind(entry)), _entry_stamp(entry, kind)

        return self._listed(folder, lambda fd: _rows(fd, row))

    def _listed(self, folder: str, listing: Callable[[int], list[_Row]]) -> list[_Row]:
        """Return the `listing` of an opened folder; empty if there is no folder."""
        try:
            fd = self._folder(names_of(folder) if folder else [])
        except OSError as error:
            if error.errno in _NO_FOLDER:
                return []
            raise self.failure(error, folder or self.root) from error
        try:
            return listing(fd)
        except OSError as error:
            raise self.failure(error, folder or self.root) from error
        finally:
            self._leave(fd)

    def in_place_of(self, folder: str) -> list[str]:
        """Return a message if a link or file is in the place of `folder`, so that nothing of it is read; else none."""
        path = f"{self.root}/{folder}"
        if not os.path.lexists(path) or (os.path.isdir(path) and not os.path.islink(path)):
            return []
        return [f"{folder}: not a folder, but a link or file, so it is not read. Create a folder of that name."]

    # Writing

    def writable(self) -> bool:
        """Return whether this user may write to the root of these files."""
        return os.access(self.root, os.W_OK)

    def make_folder(self, path: str, *, later: set[str] | None = None) -> list[str]:
        """Make the folder and its parents below the files' root, durably; returns those made, outermost first.

        With `later`, the parents of existing folders are added there, for the caller to sync.
        """
        made: list[str] = []
        names = names_of(path)
        try:
            fd = os.open(self.root, FOLDER)
            try:
                for depth, name in enumerate(names, 1):
                    stands = _exists(name, fd)
                    if not stands:
                        try:
                            os.mkdir(name, 0o700 if self._is_own(path) else 0o777, dir_fd=fd)
                            made.append("/".join(names[:depth]))
                        except FileExistsError:
                            pass  # another process made it in between
                    # Also if it exists: its maker may have been killed before this.
                    _sync_or_note(fd, "/".join(names[:depth]), later if stands else None)
                    deeper = os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=fd)
                    os.close(fd)
                    fd = deeper
            finally:
                os.close(fd)
        except OSError as error:
            raise self.failure(error, path) from error
        return made

    def replace(self, path: str, data: bytes, *, expects: str, later: set[str] | None = None) -> str | None:
        """Replace the whole file by `data`, atomically, if its digest is `expects` (ABSENT: if there is none).

        Raises ChangedUnderneathError if it is not. An edit that slips in during the write is kept in a file beside,
        whose path is returned; else None. With `later`, the folder is added there, for the caller to sync.
        """
        path = self.real(path)
        with _Parent(self, path) as (folder, name):
            held = self._hold(folder, path)
            try:
                return self._replace(folder, name, path, data, expects, later)
            finally:
                self._let_go(held)

    def _replace(
        self, folder: int, name: str, path: str, data: bytes, expects: str, later: set[str] | None
    ) -> str | None:
        self._expect(path, expects)
        new, old = f".{name}.agentws-new", f".{name}.agentws-old"
        _unlink(new, folder)
        _unlink(old, folder)
        try:
            own = self._is_own(path)
            self._write_new(folder, new, data, like=name if expects != ABSENT and not own else None, own=own)
            if expects == ABSENT:
                _put_if_absent(new, name, folder, path)
            else:
                _link(name, old, folder)
                os.rename(new, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            _unlink(new, folder)
            _unlink(old, folder)
            raise
        # If this fails, the old inode stays beside: it may hold an edit, and `settle` looks at it.
        _sync_or_note(folder, path, later)
        return self._late_edit(folder, path, old, expects) if expects != ABSENT else None

    def _hold(self, folder: int, path: str) -> int:
        """Lock a file of rows, so that no program adds to it meanwhile; returns its descriptor, -1 for other files."""
        if not path.startswith(_ROWS):
            return -1
        try:
            fd = os.open(path.rpartition("/")[2], os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        except OSError as error:
            if error.errno in _NO_FOLDER:
                return -1
            raise
        try:
            deadline = time.monotonic() + (self.patience_s or _LOCK_TIMEOUT_S)
            while not _flocked(fd):
                if time.monotonic() > deadline:
                    raise LockHeldError(f"{path}: another program is adding rows.", hint="Wait, then re-run.")
                time.sleep(_PAUSE_S)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def _let_go(self, held: int) -> None:
        if held >= 0:
            try:
                fcntl.flock(held, fcntl.LOCK_UN)  # also for a program that inherited a copy of the descriptor
            except OSError:
                pass  # a disk without locks
            os.close(held)

    def _is_own(self, path: str) -> bool:
        """Return whether `path` is for its owner alone."""
        return path.partition("/")[0] in OWN or "/.agentws/" in self.root

    def _write_new(self, folder: int, name: str, data: bytes, *, like: str | None, own: bool) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        model = None if like is None else os.stat(like, dir_fd=folder, follow_symlinks=False)
        mode = stat.S_IMODE(model.st_mode) if model else 0o600 if own else 0o666
        fd = os.open(name, flags, mode & 0o777, dir_fd=folder)
        try:
            if model is not None:
                try:
                    os.fchmod(fd, mode)
                except OSError as error:
                    if error.errno not in REFUSED:
                        raise
                    # A disk without modes; the file was made with no more rights than the old one has.
                if (model.st_uid, model.st_gid) != (os.geteuid(), os.getegid()):
                    try:
                        os.fchown(fd, model.st_uid, model.st_gid)
                    except OSError:
                        pass  # only root may give files away; the content matters more than its owner
            write_all(fd, data)
            sync(fd)
        finally:
            os.close(fd)

    def _late_edit(self, folder: int, path: str, old: str, *expects: str) -> str | None:
        """Check the old inode again: an edit written to it after it was read is kept beside; returns its path."""
        try:
            inode = os.stat(old, dir_fd=folder, follow_symlinks=False).st_ino
        except FileNotFoundError:
            return None  # this file system has no hard links, so there is nothing to look at
        above, _, name = path.rpartition("/")
        within = f"{above}/" if above else ""
        # Killed between link and rename, both are names of one file: nothing was replaced yet.
        is_same = _exists(name, folder) and os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino == inode
        if is_same or self.digest(within + old) in expects:
            _unlink(old, folder)
            return None
        number = 1
        while _exists(f"{name}.edited-meanwhile-{number}", folder):
            number += 1
        kept = f"{name}.edited-meanwhile-{number}"
        os.rename(old, kept, src_dir_fd=folder, dst_dir_fd=folder)
        sync(folder)
        return within + kept

    def clear_beside(self, path: str) -> None:
        """Remove what a killed `replace` left beside a file that nobody edits. The caller holds its writers' lock."""
        with _Parent(self, self.real(path)) as (folder, name):
            for end in ("new", "old"):
                _unlink(f".{name}.agentws-{end}", folder)

    def settle(self, path: str, *, expects: str, written: str = ABSENT) -> str | None:
        """Remove temporary files of a killed `replace` or `remove` of `path`; returns the path of an edit that it had
        kept. The content `written`, which was to be restored, does not count as an edit.
        """
        path = self.real(path)
        try:
            with _Parent(self, path) as (folder, name):
                _unlink(f".{name}.agentws-new", folder)
                return self._late_edit(folder, path, f".{name}.agentws-old", expects, written)
        except MissingFileError:
            return None

    def sync_file(self, path: str) -> None:
        """Make the content of the file at `path` durable; raises OSError or UnsafeFileError."""
        fd = self.open(path)
        try:
            sync(fd)
        finally:
            os.close(fd)

    def sync_way(self, path: str) -> None:
        """Make the name of the file at `path` durable, and those of its folders up to the root."""
        names = names_of(path)
        for depth in range(len(names)):
            self.sync_folder("/".join(names[:depth]))

    def sync_folder(self, path: str) -> None:
        """Make the file names in a folder durable (`""` is the root)."""
        try:
            fd = self._folder(names_of(path) if path else [])
            try:
                sync(fd)
            finally:
                self._leave(fd)
        except OSError as error:
            raise self.failure(error, path) from error

    def rename_folder(self, path: str, to: str) -> None:
        """Rename a folder of files within its parent, atomically and durably."""
        target = to.rpartition("/")[2]
        with _Parent(self, path) as (parent, name):
            os.rename(name, target, src_dir_fd=parent, dst_dir_fd=parent)
            try:
                sync(parent)
            except OSError:
                os.rename(target, name, src_dir_fd=parent, dst_dir_fd=parent)  # a failure leaves the old name
                raise

    def remove(self, path: str, *, expects: str, later: set[str] | None = None) -> str | None:
        """Remove the file, durably, if its digest is `expects`; ChangedUnderneathError if it is not.

        An edit that slips in meanwhile is kept in a file beside, whose path is returned; else None. With `later`, the
        folder is added there, for the caller to sync.
        """
        path = self.real(path)
        with _Parent(self, path) as (folder, _):
            held = self._hold(folder, path)
            try:
                self._expect(path, expects)
                kept = self._take_away(folder, path, expects)
                _sync_or_note(folder, path, later)
                return kept
            finally:
                self._let_go(held)

    def _take_away(self, folder: int, path: str, expects: str) -> str | None:
        name = path.rpartition("/")[2]
        old = f".{name}.agentws-old"
        _unlink(old, folder)
        os.rename(name, old, src_dir_fd=folder, dst_dir_fd=folder)
        return self._late_edit(folder, path, old, expects)

    def remove_folder(self, path: str) -> bool:
        """Remove an empty folder beneath the files' root; False if it remains."""
        try:
            with _Parent(self, path) as (folder, name):
                try:
                    os.rmdir(name, dir_fd=folder)
                except OSError:
                    return False
                sync(folder)
        except MissingFileError:
            return False
        return True

    def move(self, path: str, to: str, *, expects: str, later: set[str] | None = None) -> str | None:
        """Move the file to a free path, durably, if its digest is `expects`.

        A file that replaces it meanwhile is kept in a file beside, whose path is returned; else None. With `later`, the
        source folder is added there, for the caller to sync; the target folder is synced at once.
        """
        path = self.real(path)
        with _Parent(self, path) as (folder, name), _Parent(self, to) as (target_folder, target):
            self._expect(path, expects)
            try:
                # A link first: it fails if the target exists, and the file always has a name.
                _link(name, target, folder, target_folder, required=True)
            except FileExistsError as error:
                raise ChangedUnderneathError(
                    f"{to}: already exists.", hint="Move the existing file away, then re-run."
                ) from error
            sync(target_folder)
            is_there = _exists(name, folder)  # it is already gone on a file system without hard links
            kept = self._take_away(folder, path, self.digest(to)) if is_there else None
            _sync_or_note(folder, path, later)
            return kept

    def _expect(self, path: str, expects: str) -> None:
        if self.digest(path) != expects:
            raise ChangedUnderneathError(
                f"{path}: changed since it was read; nothing was overwritten.",
                hint="Re-run the command to use the current content.",
            )

    def _leave(self, folder: int) -> None:
        os.close(folder)

    def _folder(self, names: list[str]) -> int:
        fd = os.open(self.root, FOLDER)
        for name in names:
            try:
                deeper = os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=fd)
            finally:
                os.close(fd)
            fd = deeper
        return fd

    def failure(self, error: OSError, path: str) -> AgentwsError:
        """Return the agentws error for an OSError on one of these files."""
        return failure(error, path)


class Outside(Files):
    """Files outside of the workspace: messages about them name the absolute path."""

    __slots__ = ()

    def failure(self, error: OSError, path: str) -> AgentwsError:
        """Return the agentws error for an OSError on one of these files."""
        return failure(error, os.path.join(self.root, path))


class Exact(Files):
    """Files by their exact names, each with its own content, also one that is a link (links.py)."""

    __slots__ = ()

    def real(self, path: str) -> str:
        """Return `path`."""
        return path


def _flocked(fd: int) -> bool:
    """Take the kernel lock of an open file; False if somebody has it. A disk without locks excludes nobody."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno == errno.EWOULDBLOCK:
            return False
        if error.errno not in (*NOT_OFFERED, errno.ENOLCK):
            raise
    return True


def exact(files: Files) -> Files:
    """Return the same files by their exact names; a view of other files as it is."""
    return Exact(files.root, patience_s=files.patience_s) if type(files) is Files else files


def _no_more(data: bytes, limit_bytes: int, path: str) -> bytes:
    if len(data) > limit_bytes:
        raise TooLargeError(f"{path}: larger than {limit_bytes >> 20} MiB.", hint="Split the file into smaller ones.")
    return data


def _regular(status: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a FIFO"}
        kind = kinds.get(stat.S_IFMT(status.st_mode), "a device or socket")
        raise UnsafeFileError(f"{path}: {kind}, not a regular file.", hint="agentws opens only regular files.")


def _sync_or_note(folder: int, path: str, later: set[str] | None) -> None:
    if later is None:
        sync(folder)
    else:
        later.add(path.rpartition("/")[0])


def _rows(folder: int, row: Callable[[os.DirEntry[str]], _Row]) -> list[_Row]:
    """Return a row for each entry of the opened folder, sorted."""
    with os.scandir(folder) as entries:
        return sorted([row(entry) for entry in entries])


def _entry_stamp(entry: os.DirEntry[str], kind: str) -> str:
    try:
        return _stamp(entry.stat(follow_symlinks=False)) if kind == "file" else ""
    except OSError:
        return UNSEEN


def _stamp(status: os.stat_result) -> str:
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def mtime_ns_of(stamp: str) -> int:
    """Return a file's modification time in a stamp of `stamped_names`; 0 for none."""
    _, _, rest = stamp.partition(" ")
    return int(rest.partition(" ")[0]) if rest else 0


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_file(follow_symlinks=False):
        return "file"
    return "folder" if entry.is_dir(follow_symlinks=False) else "other"


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno in _ABSENT:
            return False
        raise  # who may not look, or whose disk fails, does not know that nothing is there
    return True


def _unlink(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass


def _link(name: str, to: str, folder: int, to_folder: int | None = None, *, required: bool = False) -> None:
    there = folder if to_folder is None else to_folder
    try:
        os.link(name, to, src_dir_fd=folder, dst_dir_fd=there, follow_symlinks=False)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if required:  # a file system without hard links: the next best is to look before the rename
            if _exists(to, there):
                raise FileExistsError(errno.EEXIST, "exists", to) from error
            os.rename(name, to, src_dir_fd=folder, dst_dir_fd=there)


def _put_if_absent(new: str, name: str, folder: int, path: str) -> None:
    try:
        _link(new, name, folder, required=True)
    except FileExistsError as error:
        raise ChangedUnderneathError(
            f"{path}: another program has just created this file; unchanged.", hint="Check the file, then re-run."
        ) from error
    _unlink(new, folder)
