"""Find links, devices and repositories in the place of synced files, so that these do not count as removed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping

from agentws.core.disk import files as _files

LINK, REPOSITORY, DEVICE, FILE, FOLDER = "a link", "a repository", "a device", "a file", "a folder"
_BARE = {"HEAD", "objects", "refs"}


def is_repository(names: Iterable[str]) -> bool:
    """Return whether a folder with these names in it is a git repository."""
    entries = {*names}
    return ".git" in entries or entries >= _BARE


def found(root: str, paths: Iterable[str], present: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return, for each blocked path, the place of the obstacle (the path or a folder above it) and its kind.

    `present` are the files that were found: a folder in place of a file, or a file in place of a folder, is none where
    it travels itself.
    """
    known: dict[str, str] = {}
    made: dict[str, tuple[str, str]] = {}
    for path in paths:
        at = path.find("/")
        while at >= 0:
            place = path[:at]
            if place not in known:
                known[place] = _in_place_of_folder(root, place, present)
            if known[place]:
                made[path] = place, known[place]
                break
            at = path.find("/", at + 1)
        else:
            if what := _in_place_of_file(root, path, present):
                made[path] = path, what
    return made


def _in_place_of_folder(root: str, place: str, present: Mapping[str, str]) -> str:
    mode = _mode(root, place)
    if stat.S_ISDIR(mode):
        return REPOSITORY if is_repository(_names(root, place)) else ""
    return "" if place in present else _other(mode) or (FILE if mode else "")


def _in_place_of_file(root: str, path: str, present: Mapping[str, str]) -> str:
    mode = _mode(root, path)
    if stat.S_ISDIR(mode):
        return "" if any(each.startswith(f"{path}/") for each in present) else FOLDER
    return _other(mode)


def _other(mode: int) -> str:
    if not mode or stat.S_ISREG(mode):
        return ""
    return LINK if stat.S_ISLNK(mode) else DEVICE


def _mode(root: str, path: str) -> int:
    """The mode of what is at a path, 0 for nothing."""
    try:
        return os.stat(f"{root}/{path}", follow_symlinks=False).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except OSError as error:
        raise _files.failure(error, path) from error


def _names(root: str, place: str) -> list[str]:
    try:
        return os.listdir(f"{root}/{place}")
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _files.failure(error, place) from error
