"""What a repository of backups has given, kept in the cache so that it is not fetched again; it may go at any time."""

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
    """The folder in the cache for the repository at `url`."""
    return f"{within}/{cache.BACKUP}-{digest.quick(url.encode('utf-8', 'surrogateescape'))[:_DIGITS]}"


class Kept:
    """The `folder` in the cache for one repository, for whoever uses it alone."""

    def __init__(self, folder: str, fd: int) -> None:
        self.folder = folder
        self._fd = fd

    @classmethod
    def of(cls, within: str, url: str) -> Kept | None:
        """The folder for the repository at `url`; None where another process uses it, or there can be none."""
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
        """Throw it away where it is damaged: all of it can be fetched again."""
        if os.path.isdir(self._place) and self._git("rev-list", "--objects", "--quiet", "refs/heads/there")[0]:
            shutil.rmtree(self._place, ignore_errors=True)

    def close(self) -> None:
        """Let others use it. What no newer backup needs goes now and then."""
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
