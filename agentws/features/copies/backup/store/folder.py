"""Backups in a folder: list, read, make and remove them. Specified in docs/format/backup.md.

A backup is made in a folder whose name begins with a dot, and renamed when all of it is on the medium.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from agentws.core.disk import files
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.backup import Manifest
from agentws.errors import DamagedError, MissingFileError, UnsafeFileError, UsageError
from agentws.features.copies.backup.store import rewrite
from agentws.features.copies.backup.store.backups import SAME_DISK, Backups
from agentws.features.copies.backup.store.part import Part

_GONE, _PART = ".gone-", ".part-"
_HEADER_BYTES = 1 << 20
_UNSYNCED = "{} is on a disk that cannot sync folders, so a power cut may take the newest backup away."
_MOUNT = "Is the disk mounted? To start again there: create the folder {} yourself."


class FolderBackups(Backups):
    """The backups of one agent in the absolute folder `place`."""

    def __init__(self, place: str) -> None:
        super().__init__(place, os.path.dirname(place))
        self._files = files.Outside(place)

    @property
    def exists(self) -> bool:
        """Return whether the folder exists."""
        return _is_folder(self.place)

    def names(self) -> list[str]:
        """Return the names of all complete backups, the oldest first. DiskError."""
        try:
            names = os.listdir(self.place)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise files.failure(error, self.place) from error
        named = [(backup.number_of(name), name) for name in names if backup.number_of(name)]
        return [name for _, name in sorted(named) if _status(f"{self.place}/{name}/{backup.MANIFEST}") is not None]

    def _first_line(self, name: str) -> bytes:
        with _without_file():
            return self._files.part(f"{name}/{backup.MANIFEST}", _HEADER_BYTES)[0].partition(b"\n")[0]

    def _decoded(self, name: str) -> Manifest:
        with _without_file():
            between = rewrite.settle(f"{self.place}/{name}")
            data = self._files.read(f"{name}/{backup.MANIFEST}", limit_bytes=backup.MOST_BYTES)
            return between or backup.decode(data)

    @contextmanager
    def tree(self, name: str, only: Sequence[str] | None = None) -> Iterator[str]:
        """Yield the absolute folder with the files of a backup; all of them, since nothing has to be fetched."""
        yield self._tree(name)

    def _tree(self, name: str) -> str:
        return f"{self.place}/{name}/{backup.TREE}"

    def rewrite(self, name: str, manifest: Manifest, contents: Mapping[str, bytes | None], *, at: str) -> None:
        """Replace files of a backup by `contents` (None: remove); see rewrite.py. Rewrite the oldest backup first."""
        earlier = [item for item in self.names() if backup.number_of(item) < backup.number_of(name)]
        try:
            before = rewrite.Sharing(self._tree(earlier[-1]), self.manifest(earlier[-1])) if earlier else None
        except DamagedError:
            before = None
        rewrite.rewrite(f"{self.place}/{name}", manifest, contents, at=at, before=before)

    def notices(self, root: str) -> tuple[str, ...]:
        """Return a notice if the backups are on the disk of the workspace at `root`, or one that syncs no folders."""
        place = self.medium if os.path.isdir(self.medium) else os.path.dirname(self.medium)
        device = _device(place)
        if device == _device(root):
            return (SAME_DISK.format(self.medium),)
        return (_UNSYNCED.format(self.medium),) if device in files.unsynced else ()

    # Making one

    def begin(self, agent_name: str, owner: str, before: str) -> Part:
        """Begin a backup in a new folder, after removing what a killed run of the same `owner` has left."""
        if not os.path.isdir(self.medium):
            files.Outside(os.path.dirname(self.medium)).make_folder(os.path.basename(self.medium))
        with files.Failing(self.place):
            if not self.exists:
                os.mkdir(self.place, 0o700)
                files.Outside(self.medium).sync_folder("")
            self.sweep(owner)
            readme = f"{self.place}/{backup.README}"
            if not os.path.lexists(readme):
                self._files.replace(backup.README, backup.readme(agent_name), expects="")
            place = f"{self.place}/{_PART}{owner}"
            os.mkdir(place, 0o700)
            return Part(place, self._tree(before) if before else "")

    def sweep(self, owner: str) -> None:
        """Remove partial backups that killed runs of this owner have left, and the rests of removed backups.

        What cannot be removed stays, and makes `begin` fail if it is in the way.
        """
        for name in os.listdir(self.place) if self.exists else ():
            if name == f"{_PART}{owner}" or name.startswith(_GONE):
                _drop(f"{self.place}/{name}")
            elif backup.number_of(name) and not os.path.islink(f"{self.place}/{name}"):
                rewrite.sweep(f"{self.place}/{name}")

    def leftovers(self) -> list[str]:
        """Return the folders of partial backups that killed runs of any owner have left."""
        with files.Failing(self.place):
            entries = sorted(os.scandir(self.place), key=lambda entry: entry.name) if self.exists else []
        whole = {*self.names()}
        return [
            entry.name
            for entry in entries
            if entry.is_dir(follow_symlinks=False)
            and (entry.name.startswith((_PART, _GONE)) or (backup.number_of(entry.name) and entry.name not in whole))
        ]

    def remove(self, name: str) -> None:
        """Remove a backup: it is renamed first, so that an interrupted removal leaves no partial backup."""
        gone = f"{self.place}/{_GONE}{name}"
        with files.Failing(f"{self.place}/{name}"):
            _drop(gone)
            os.rename(f"{self.place}/{name}", gone)
            self._files.sync_folder("")
            shutil.rmtree(gone)


@contextmanager
def _without_file() -> Iterator[None]:
    """Raise ValueError if the manifest is missing or not a regular file."""
    try:
        yield
    except (MissingFileError, UnsafeFileError) as error:
        raise ValueError(str(error)) from error


def _device(place: str) -> int:
    return os.stat(place).st_dev


def _drop(place: str) -> None:
    """Remove a folder tree, or a file or link of that name, without following links."""
    try:
        os.unlink(place)
    except OSError:
        shutil.rmtree(place, ignore_errors=True)


def _status(path: str) -> os.stat_result | None:
    """Return the status of the file or folder at a path, None for none; DiskError if the medium fails."""
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:  # a backup that cannot be looked at is not one that is gone
        raise files.failure(error, path) from error


def _is_folder(path: str) -> bool:
    status = _status(os.path.realpath(path))
    return status is not None and stat.S_ISDIR(status.st_mode)


def at(dest: str, agent: str, name: str, *, known: bool) -> FolderBackups:
    """Return the backups of an agent in the folder `dest`; a new destination need not exist yet.

    UsageError if `dest` is unsuitable. MissingFileError if a `known` destination has no backups: its medium may not be
    mounted.
    """
    place = os.path.realpath(dest)
    with files.Failing(place):
        inner = os.listdir(place) if _is_folder(place) else None
    value = next((text for text in sorted(inner or ()) if backup.is_folder_of(agent, text)), None)
    if known and value is None:
        raise MissingFileError(
            f"{place}: contains no backups of this agent.",
            hint=_MOUNT.format(f"{place}/{backup.folder_of(agent, name)}"),
        )
    if inner is None and not os.path.isdir(os.path.dirname(place)):
        raise UsageError(f"{os.path.dirname(place)}: not a folder.", hint="Mount the disk, or create the folder.")
    if inner is None and os.path.lexists(place):
        raise UsageError(f"{place}: not a folder.", hint="Name a folder.")
    return FolderBackups(f"{place}/{value or backup.folder_of(agent, name)}")


def agents(dest: str) -> list[FolderBackups]:
    """Return the backups in `dest`, for each agent: `dest` is one agent's folder, or holds such folders."""
    place = os.path.realpath(dest)
    if not os.path.isdir(place):
        raise MissingFileError(f"{place}: not a folder.", hint="Is the disk mounted?")
    folder_backups = FolderBackups(place)
    if folder_backups.names():
        return [folder_backups]
    with files.Failing(place):
        inner = sorted(os.listdir(place))
    return [backups for name in inner if (backups := FolderBackups(f"{place}/{name}")).exists and backups.names()]
