"""The remotes of a workspace's repository, read from its files: git is not started."""

from __future__ import annotations

import os

from agentws.errors import AgentwsError
from agentws.storage.disk import local_time
from agentws.storage.disk.files import Files
from agentws.storage.git import repository

_GIT = ".git"
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_MOST_REMOTES = 8
_SHORT = 7
_HEX = "0123456789abcdef"


def unpushed(files: Files) -> str:
    """One sentence where the branch in use is not known to be the same at any remote; empty where it is, and where
    there is no remote, or nothing can be told.
    """
    head = _line(files, f"{_GIT}/HEAD")
    if not head.startswith(f"ref: {_HEADS}"):
        return ""
    branch = head.removeprefix(f"ref: {_HEADS}")
    packed = _packed(files)
    here = _commit(files, _HEADS + branch, packed)
    there = {name: _commit(files, f"{_REMOTES}{name}/{branch}", packed) for name in _remotes(files, packed)}
    if not here or not there or here in there.values():
        return ""
    known = ", ".join(
        f"the remote {name} last had {commit[:_SHORT] or 'no such branch'}" for name, commit in there.items()
    )
    return f"The workspace's branch {branch} is at {here[:_SHORT]}, {known}: the branch is probably not pushed."


def _remotes(files: Files, packed: dict[str, str]) -> list[str]:
    """The names of the remotes of which any ref is known."""
    try:
        found = {name for name, kind in files.names(f"{_GIT}/{_REMOTES.rstrip('/')}") if kind == "folder"}
    except AgentwsError:
        found = set()
    found |= {ref.removeprefix(_REMOTES).partition("/")[0] for ref in packed if ref.startswith(_REMOTES)}
    return sorted(found)[:_MOST_REMOTES]


def _commit(files: Files, ref: str, packed: dict[str, str]) -> str:
    found = _line(files, f"{_GIT}/{ref}")
    return found if _is_commit(found) else packed.get(ref, "")


def _packed(files: Files) -> dict[str, str]:
    lines = [line.split(" ") for line in _text(files, f"{_GIT}/packed-refs").split("\n")]
    return {words[1]: words[0] for words in lines if len(words) == 2 and _is_commit(words[0])}


def _is_commit(word: str) -> bool:
    return len(word) in (40, 64) and not word.strip(_HEX)


def _line(files: Files, path: str) -> str:
    return _text(files, path).partition("\n")[0].strip()


def _text(files: Files, path: str) -> str:
    try:
        return files.part(path, _MOST_BYTES)[0].decode("utf-8", "replace")
    except AgentwsError:
        return ""


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
