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
from dataclasses import replace

from agentws.errors import DiskError, UnsafeFileError
from agentws.formats.travel import backup
from agentws.formats.travel.inventory import FILE, FOLDER, TreeEntry
from agentws.storage.backup import part
from agentws.storage.disk import files
from agentws.storage.transport import receiver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.formats.travel.backup import Manifest

_STAGED, _PART, _STEPS = ".forgetting", ".forgetting-part", "steps.json"
_MOST_BYTES = 1 << 26
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
    settle(folder)


def settle(folder: str) -> None:
    """Finish what a kill has left of `rewrite` in a backup; nothing where there is nothing. DiskError."""
    place = f"{folder}/{_STAGED}"
    if not os.path.lexists(place):
        return
    try:
        if os.path.lexists(f"{place}/{backup.MANIFEST}"):  # it goes last, and after it there is nothing to do
            steps = json.loads(files.Files(place).read(_STEPS, limit_bytes=_MOST_BYTES))
            for folder_path in sorted({_take(folder, place, name, path) for name, path in steps}):
                _sync(folder_path)
            os.replace(f"{place}/{backup.MANIFEST}", f"{folder}/{backup.MANIFEST}")
            _sync(folder)
        shutil.rmtree(place, ignore_errors=True)
    except (ValueError, TypeError) as error:
        raise DiskError(f"{place}: unreadable.", hint="Use another backup: agentws backup list") from error
    except OSError as error:
        raise files.failure(error, place) from error


def _take(folder: str, place: str, name: str, path: str) -> str:
    """Put a staged file (empty name: none) where it belongs; returns the absolute folder that changed."""
    files.names_of(path)
    tree = os.path.realpath(f"{folder}/{backup.TREE}")
    above = os.path.dirname(f"{tree}/{path}")
    if os.path.realpath(above) != above:
        raise UnsafeFileError(f"{above}: a link.", hint="Check the backup: agentws backup verify")
    try:
        if name:
            os.replace(f"{place}/{name}", f"{tree}/{path}")
        else:
            os.unlink(f"{tree}/{path}")
    except FileNotFoundError:
        pass  # it was taken before the kill
    return above


def _staged(
    place: str, manifest: Manifest, contents: Mapping[str, bytes | None], before: Sharing | None
) -> tuple[list[tuple[str, str]], dict[str, TreeEntry]]:
    """The steps (name of the staged file, path), and the entries of what is new."""
    steps, made = [], {}
    for number, (path, data) in enumerate(sorted(contents.items())):
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
    things = [one for one in entries.values() if one.kind != FOLDER]
    header = replace(
        manifest.header,
        files=len(things),
        bytes=sum(one.size for one in things),
        forgotten=(*manifest.header.forgotten, at),
    )
    marks = {path: told for path, told in manifest.marks.items() if path not in contents}
    return backup.encode(header, sorted(entries.values(), key=lambda one: one.path.split("/")), marks)


def _sync(folder: str) -> None:
    fd = os.open(folder, files.FOLDER)
    try:
        files.sync(fd)
    finally:
        os.close(fd)
