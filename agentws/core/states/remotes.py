"""The remotes of a workspace's repository, read from its files: git is not started."""

from __future__ import annotations

import os

from agentws.core.disk import local_time
from agentws.core.disk.files import Files
from agentws.core.states import repository
from agentws.errors import AgentwsError

_MOST_BYTES = 1 << 18
_LOCKS = ("index.lock", "HEAD.lock", "packed-refs.lock", "config.lock")


def has_any(git_dir: str) -> bool:
    """Return True where the repository names a remote that it could push to; also where that cannot be told."""
    try:
        text = Files(repository.common(git_dir)).part("config", _MOST_BYTES)[0].decode("utf-8", "replace")
    except (AgentwsError, OSError):
        return True
    lines = [line.strip().casefold() for line in text.split("\n")]
    return any(line.startswith(("[remote ", "[include]", "[includeif ")) for line in lines)


def locks(git_dir: str) -> list[tuple[str, float]]:
    """(absolute path, age in seconds) of each lock of git's that stands in the repository."""
    found = []
    for name in _LOCKS:
        path = os.path.join(git_dir, name)
        try:
            found.append((path, local_time.now() - os.lstat(path).st_mtime))
        except OSError:
            continue
    return found
