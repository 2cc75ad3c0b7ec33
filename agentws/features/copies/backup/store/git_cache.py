"""The cache of objects fetched from a git repository of backups; it may be deleted at any time."""

from __future__ import annotations

import fcntl
import glob
import os
import shutil

from agentws.core.disk import cache
from agentws.core.formats import digest
from agentws.core.states import plumbing

REPOSITORY = "repository"
_DIGITS = 16
_MOST_PACKS = 40


def folder_of(within: str, url: str) -> str:
    """Return the cache folder for the repository at `url`."""
    return f"{within}/{cache.BACKUP}-{digest.quick(url.encode('utf-8', 'surrogateescape'))[:_DIGITS]}"


class Kept:
    """The locked cache `folder` of one repository."""

    def __init__(self, folder: str, fd: int) -> None:
        self.folder = folder
        self._fd = fd

    @classmethod
    def of(cls, within: str, url: str) -> Kept | None:
        """Lock and return the cache of the repository at `url`; None if it is in use or cannot be made."""
        folder = folder_of(within, url)
        try:
            cache.make_folder(folder)
            fd = os.open(f"{folder}/lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            return None
        return cls(folder, fd)

    def check(self) -> None:
        """Delete the cache if it is damaged: everything can be fetched again."""
        if os.path.isdir(self._place) and self._git("rev-list", "--objects", "--quiet", "refs/heads/there")[0]:
            shutil.rmtree(self._place, ignore_errors=True)

    def close(self) -> None:
        """Release the cache. Unneeded objects are dropped if there are many packs."""
        try:
            if len(glob.glob(f"{glob.escape(self._place)}/.git/objects/pack/*.pack")) > _MOST_PACKS:
                self._git("repack", "-a", "-d", "-q")
        finally:
            os.close(self._fd)

    @property
    def _place(self) -> str:
        return f"{self.folder}/{REPOSITORY}"

    def _git(self, *words: str) -> tuple[int, bytes, str]:
        return plumbing.run(*words, cwd=self.folder, git_dir=f"{self._place}/.git")
