"""Replace files of a backup in a folder, to remove forgotten text.

The new files and manifest are staged in a folder, whose rename commits the change. After a kill, the next process
that opens the backup finishes it. No file is changed in place, since other backups share it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from agentws.core.disk import files
from agentws.core.formats.journal import purge
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.backup import Header, Manifest
from agentws.core.formats.travel.inventory import FILE, FOLDER, TreeEntry
from agentws.errors import DiskError, UsageError
from agentws.features.copies.backup.store import part
from agentws.features.copies.transfer import disk

_STAGED, _PART, _STEPS = ".forgetting", ".forgetting-part", "steps.json"
_MOST_BYTES = 1 << 26
_TAKES_NOTHING = (errno.EROFS, errno.EACCES, errno.EPERM)
"""Errors of a read-only medium."""
_OWN_MODE = 0o600


@dataclass(frozen=True, slots=True)
class Sharing:
    """The previous backup, whose equal files are shared: its tree and current manifest."""

    tree: str
    manifest: Manifest

    def place(self, entry: TreeEntry) -> str | None:
        """Return the path of the same file in the previous backup, None if it has none."""
        old = self.manifest.entries.get(entry.path)
        same = old is not None and old.plain() == entry.plain() and part.is_intact(old, self.tree)
        return f"{self.tree}/{entry.path}" if same else None


def rewrite(
    folder: str, manifest: Manifest, contents: Mapping[str, bytes | None], *, at: str, before: Sharing | None
) -> None:
    """Replace files of the backup in the absolute `folder` by `contents` (None: remove), durably.

    Its manifest records the time `at`. DiskError if the medium cannot be written; then nothing is changed.
    """
    place = f"{folder}/{_PART}"
    try:
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place, 0o700)
        steps, made = _staged(place, manifest, contents, before)
        _write(f"{place}/{backup.MANIFEST}", _manifest(manifest, contents, made, at), _OWN_MODE, None)
        _write(f"{place}/{_STEPS}", json.dumps(steps).encode("ascii"), _OWN_MODE, None)
        disk.sync_tree(place)
        os.rename(place, f"{folder}/{_STAGED}")
        files.Files(folder).sync_folder("")
    except OSError as error:
        raise files.failure(error, folder) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)  # a full disk needs its room
    if settle(folder) is not None:
        raise DiskError(f"{folder}: the medium became read-only.", hint="Mount it writable, then re-run.")


def sweep(folder: str) -> None:
    """Remove the uncommitted files of a killed `rewrite` of a backup."""
    shutil.rmtree(f"{folder}/{_PART}", ignore_errors=True)


def settle(folder: str) -> Manifest | None:
    """Finish a killed `rewrite` of a backup, if there is one.

    Nothing outside of the backup is changed. On a read-only medium, return a manifest of the present state. ValueError,
    UnsafeFileError or MissingFileError if the staged files are not from `rewrite`.
    """
    with files.Failing(f"{folder}/{_STAGED}"):
        try:
            os.lstat(f"{folder}/{_STAGED}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        with _opened(folder) as position, _opened(_STAGED, position) as staged, _opened(backup.TREE, position) as tree:
            if files.Files(folder).exists(f"{_STAGED}/{backup.MANIFEST}"):  # it goes last, after it nothing is to do
                steps, manifest = _staged_steps(folder)
                try:
                    for names in sorted({_take(tree, staged, name, path) for name, path in steps}):
                        with _deeper(tree, names) as above:
                            files.sync(above)
                    os.replace(backup.MANIFEST, backup.MANIFEST, src_dir_fd=staged, dst_dir_fd=position)
                    files.sync(position)
                except OSError as error:
                    if error.errno not in _TAKES_NOTHING:
                        raise
                    return _between(folder, steps, manifest)
            shutil.rmtree(_STAGED, ignore_errors=True, dir_fd=position)
    return None


def _staged_steps(folder: str) -> tuple[list[tuple[str, str]], Manifest]:
    """Return the staged steps and the new manifest; ValueError if the steps do not fit it."""
    inner = files.Files(folder)
    manifest = backup.decode(inner.read(f"{_STAGED}/{backup.MANIFEST}", limit_bytes=backup.MOST_BYTES))
    try:
        steps = [(name, path) for name, path in json.loads(inner.read(f"{_STAGED}/{_STEPS}", limit_bytes=_MOST_BYTES))]
        fit = all(_fits(inner, manifest.entries.get(path), name, path) for name, path in steps)
    except (TypeError, AttributeError, RecursionError, UsageError) as error:
        raise ValueError(f"{_STAGED}/{_STEPS} is damaged") from error
    if not fit:
        raise ValueError(f"{_STAGED}/{_STEPS} is not what agentws wrote")
    return steps, manifest


def _fits(inner: files.Files, entry: TreeEntry | None, name: str, path: str) -> bool:
    """Return whether a staged step results in the manifest's entry for `path`, or in no file if it has none."""
    files.names_of(path)
    if not name:
        return entry is None
    if entry is None or entry.kind != FILE or not (name.isascii() and name.isdecimal()):
        return False
    try:
        fd = inner.open(f"{_STAGED}/{name}")
    except FileNotFoundError:
        return True  # it was taken before the kill
    with open(fd, "rb") as file:
        is_long = os.fstat(fd).st_size != entry.size
        return not is_long and hashlib.file_digest(file, "sha256").hexdigest() == entry.content


def _take(tree: int, staged: int, name: str, path: str) -> tuple[str, ...]:
    """Move a staged file to its path (empty name: remove the file there); return the changed folder's names."""
    *names, last = files.names_of(path)
    with _deeper(tree, names) as above:
        try:
            if name:
                os.replace(name, last, src_dir_fd=staged, dst_dir_fd=above)
            else:
                os.unlink(last, dir_fd=above)
        except FileNotFoundError:
            pass  # it was taken before the kill
    return tuple(names)


def _between(folder: str, steps: Iterable[tuple[str, str]], new: Manifest) -> Manifest:
    """Return the manifest of a backup in which only some steps were carried out."""
    inner = files.Files(folder)
    old = backup.decode(inner.read(backup.MANIFEST, limit_bytes=backup.MOST_BYTES))
    for name, path in steps:
        old.marks.pop(path, None)
        if name and not inner.exists(f"{_STAGED}/{name}"):
            old.entries[path] = new.entries[path]
        elif not name and not inner.exists(f"{backup.TREE}/{path}"):
            old.entries.pop(path, None)
    entries = sorted(old.entries.values(), key=lambda entry: entry.path.split("/"))
    header = replace(old.header, spoiled=new.header.spoiled)
    return backup.Manifest(_counted(header, entries), {entry.path: entry for entry in entries}, old.marks)


@contextmanager
def _opened(name: str, above: int | None = None) -> Iterator[int]:
    """Open a folder that is not a link, and yield its descriptor."""
    fd = os.open(name, files.FOLDER | os.O_NOFOLLOW, dir_fd=above)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def _deeper(tree: int, names: Iterable[str]) -> Iterator[int]:
    """Yield a descriptor of the folder at these names beneath `tree`, following no link."""
    with ExitStack() as stack:
        for name in names:
            tree = stack.enter_context(_opened(name, tree))
        yield tree


def _staged(
    place: str, manifest: Manifest, contents: Mapping[str, bytes | None], before: Sharing | None
) -> tuple[list[tuple[str, str]], dict[str, TreeEntry]]:
    """Stage the new files; return the steps (name of the staged file, path) and the new entries."""
    steps, made = [], {}
    # Orders before what they purge: between two steps the journal of a backup is sound too.
    ordered = sorted(contents.items(), key=lambda pair: (pair[0] != purge.LATER_PATH, pair[0]))
    for number, (path, data) in enumerate(ordered):
        if data is None:
            steps.append(("", path))
            continue
        made[path] = _entry(manifest, path, data)
        shared = before.place(made[path]) if before is not None else None
        if shared is None or not _linked(shared, f"{place}/{number}"):
            _write(f"{place}/{number}", data, made[path].mode, made[path])
        steps.append((str(number), path))
    return steps, made


def _entry(manifest: Manifest, path: str, data: bytes) -> TreeEntry:
    old = manifest.entries.get(path)
    above = manifest.entries.get(path.rpartition("/")[0])
    mode = old.mode if old is not None else _OWN_MODE
    mtime_ns = old.mtime_ns if old is not None else above.mtime_ns if above is not None else 0
    return TreeEntry(path, FILE, mode, mtime_ns, len(data), hashlib.sha256(data).hexdigest())


def _linked(shared: str, place: str) -> bool:
    try:
        os.link(shared, place, follow_symlinks=False)
    except OSError as error:
        if error.errno in (*files.NO_LINKS, errno.ENOENT):
            return False
        raise
    return True


def _write(place: str, data: bytes, mode: int, entry: TreeEntry | None) -> None:
    """Write a new file; one with an `entry` is read back from the medium."""
    fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, _OWN_MODE)
    try:
        files.write_all(fd, data)
        disk.where_offered(os.fchmod, fd, mode)
        if entry is not None:
            disk.where_offered(os.utime, fd, ns=(entry.mtime_ns, entry.mtime_ns))
        files.sync(fd)
    finally:
        os.close(fd)
    if entry is not None and part.digest_of(place) != entry.content:
        raise DiskError(f"{place}: the medium returns other data than was written.", hint="Check the disk.")


def _manifest(
    manifest: Manifest, contents: Mapping[str, bytes | None], made: Mapping[str, TreeEntry], at: str
) -> bytes:
    """Return the encoded manifest with new digests; replaced files lose their marks, so that they are read again."""
    entries = {**{path: entry for path, entry in manifest.entries.items() if path not in contents}, **made}
    old = manifest.header
    spoiled = tuple(path for path in old.spoiled if path in entries)
    header = _counted(replace(old, forgotten=(*old.forgotten, at), spoiled=spoiled), entries.values())
    marks = {path: mark for path, mark in manifest.marks.items() if path not in contents}
    return backup.encode(header, sorted(entries.values(), key=lambda entry: entry.path.split("/")), marks)


def _counted(header: Header, entries: Iterable[TreeEntry]) -> Header:
    things = [entry for entry in entries if entry.kind != FOLDER]
    return replace(header, files=len(things), bytes=sum(entry.size for entry in things))
