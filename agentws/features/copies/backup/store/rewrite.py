"""Other contents for files of a backup in a folder, from which something was forgotten.

The new files and the new manifest are made in a folder beside, whose rename says that they are to be taken. A kill
behind that is finished by whoever opens the backup next. No file is written through: other backups share it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from agentws.core.disk import files
from agentws.core.formats.journal import later_purges
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.inventory import FILE, FOLDER, TreeEntry
from agentws.errors import DiskError, UsageError
from agentws.features.copies.backup.store import part
from agentws.features.copies.migrate.store import receiver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from agentws.core.formats.travel.backup import Header, Manifest

_STAGED, _PART, _STEPS = ".forgetting", ".forgetting-part", "steps.json"
_MOST_BYTES = 1 << 26
_TAKES_NOTHING = (errno.EROFS, errno.EACCES, errno.EPERM)
"""What a medium says that can be read only."""
_OWN_MODE = 0o600


class Sharing:
    """The backup before, whose files are shared where they are the same: its tree, and its manifest as it is now."""

    def __init__(self, tree: str, manifest: Manifest) -> None:
        self.tree = tree
        self.manifest = manifest

    def place(self, entry: TreeEntry) -> str | None:
        """Where the same file stands already; None where it does not."""
        old = self.manifest.entries.get(entry.path)
        same = old is not None and old.plain() == entry.plain() and part.is_intact(old, self.tree)
        return f"{self.tree}/{entry.path}" if same else None


def rewrite(
    folder: str, manifest: Manifest, contents: Mapping[str, bytes | None], *, at: str, before: Sharing | None
) -> None:
    """Put these contents (None: no file) in the place of those of the backup in the absolute `folder`, durably.

    Its manifest says `at` which moment that was. DiskError where the medium takes nothing; then nothing was changed.
    """
    place = f"{folder}/{_PART}"
    try:
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place, 0o700)
        steps, made = _staged(place, manifest, contents, before)
        _write(f"{place}/{backup.MANIFEST}", _manifest(manifest, contents, made, at), _OWN_MODE, None)
        _write(f"{place}/{_STEPS}", json.dumps(steps).encode("ascii"), _OWN_MODE, None)
        receiver.sync_tree(place)
        os.rename(place, f"{folder}/{_STAGED}")
        files.Files(folder).sync_folder("")
    except OSError as error:
        raise files.failure(error, folder) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)  # a full disk needs its room
    if settle(folder) is not None:
        raise DiskError(f"{folder}: the medium became read-only.", hint="Mount it writable, then re-run.")


def sweep(folder: str) -> None:
    """Remove what a killed `rewrite` of a backup had made, and not told to be taken."""
    shutil.rmtree(f"{folder}/{_PART}", ignore_errors=True)


def settle(folder: str) -> Manifest | None:
    """Finish what a kill has left of `rewrite` in a backup; nothing where there is nothing.

    Nothing outside of the backup is changed, whatever stands in it. Where the medium takes nothing any more, what
    stands there now, as a manifest. ValueError, UnsafeFileError, MissingFileError where it was not left by `rewrite`.
    """
    if not os.path.lexists(f"{folder}/{_STAGED}"):
        return None
    try:
        with _opened(folder) as here, _opened(_STAGED, here) as staged, _opened(backup.TREE, here) as tree:
            if files.Files(folder).exists(f"{_STAGED}/{backup.MANIFEST}"):  # it goes last, after it nothing is to do
                steps, manifest = _told(folder)
                try:
                    for names in sorted({_take(tree, staged, name, path) for name, path in steps}):
                        with _deeper(tree, names) as above:
                            files.sync(above)
                    os.replace(backup.MANIFEST, backup.MANIFEST, src_dir_fd=staged, dst_dir_fd=here)
                    files.sync(here)
                except OSError as error:
                    if error.errno not in _TAKES_NOTHING:
                        raise
                    return _between(folder, steps, manifest)
            shutil.rmtree(_STAGED, ignore_errors=True, dir_fd=here)
    except OSError as error:
        raise files.failure(error, f"{folder}/{_STAGED}") from error
    return None


def _told(folder: str) -> tuple[list[tuple[str, str]], Manifest]:
    """The steps that are staged, and the manifest to which they lead; ValueError where they lead anywhere else."""
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
    """Return whether a step leads to what the manifest tells of the `path`: to this file, or to none."""
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
    """Put a staged file (empty name: none) where it belongs; returns the names of the folder that changed."""
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
    """The manifest of a backup in which some of the steps were taken."""
    inner = files.Files(folder)
    old = backup.decode(inner.read(backup.MANIFEST, limit_bytes=backup.MOST_BYTES))
    for name, path in steps:
        old.marks.pop(path, None)
        if name and not inner.exists(f"{_STAGED}/{name}"):
            old.entries[path] = new.entries[path]
        elif not name and not inner.exists(f"{backup.TREE}/{path}"):
            old.entries.pop(path, None)
    entries = sorted(old.entries.values(), key=lambda one: one.path.split("/"))
    header = replace(old.header, spoiled=new.header.spoiled)
    return backup.Manifest(_counted(header, entries), {one.path: one for one in entries}, old.marks)


@contextmanager
def _opened(name: str, above: int | None = None) -> Iterator[int]:
    """A descriptor of a folder that is no link."""
    fd = os.open(name, files.FOLDER | os.O_NOFOLLOW, dir_fd=above)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def _deeper(tree: int, names: Iterable[str]) -> Iterator[int]:
    """A descriptor of the folder with these names beneath `tree`, none of which is a link."""
    with ExitStack() as stack:
        for name in names:
            tree = stack.enter_context(_opened(name, tree))
        yield tree


def _staged(
    place: str, manifest: Manifest, contents: Mapping[str, bytes | None], before: Sharing | None
) -> tuple[list[tuple[str, str]], dict[str, TreeEntry]]:
    """The steps (name of the staged file, path), and the entries of what is new."""
    steps, made = [], {}
    # Orders before what they purge: between two steps the journal of a backup is sound too.
    ordered = sorted(contents.items(), key=lambda one: (one[0] != later_purges.PATH, one[0]))
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
        part.where_it_can(lambda: os.fchmod(fd, mode))
        if entry is not None:
            os.utime(fd, ns=(entry.mtime_ns, entry.mtime_ns))
        files.sync(fd)
    finally:
        os.close(fd)
    if entry is not None and part.digest_of(place) != entry.content:
        raise DiskError(f"{place}: the medium returns other data than was written.", hint="Check the disk.")


def _manifest(
    manifest: Manifest, contents: Mapping[str, bytes | None], made: Mapping[str, TreeEntry], at: str
) -> bytes:
    """The manifest with new digests. What was replaced is to be read again by the next backup, so it has no marks."""
    entries = {**{path: one for path, one in manifest.entries.items() if path not in contents}, **made}
    old = manifest.header
    spoiled = tuple(path for path in old.spoiled if path in entries)
    header = _counted(replace(old, forgotten=(*old.forgotten, at), spoiled=spoiled), entries.values())
    marks = {path: told for path, told in manifest.marks.items() if path not in contents}
    return backup.encode(header, sorted(entries.values(), key=lambda one: one.path.split("/")), marks)


def _counted(header: Header, entries: Iterable[TreeEntry]) -> Header:
    things = [one for one in entries if one.kind != FOLDER]
    return replace(header, files=len(things), bytes=sum(one.size for one in things))
