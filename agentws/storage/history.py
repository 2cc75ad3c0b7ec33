"""Where past states could be kept, and the history that keeps none. The one that keeps them is in storage/git.py."""

from __future__ import annotations

import contextlib
import os
import stat

from agentws.storage import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


class NoHistory:
    """A History that keeps no states: everything may be asked of it, and there is never anything to see."""

    kind = "none"

    def record(self, files: Mapping[str, bytes], *, message: str, at: datetime) -> str | None:
        """None: no state was kept."""
        return None

    def newest(self) -> tuple[str, datetime, str] | None:
        """None: there is no newest state."""
        return None

    def read(self, path: str, *, at: str) -> bytes | None:
        """None: no state holds the path."""
        return None

    def log(self, *, limit: int) -> list[tuple[str, datetime, str]]:
        """No states."""
        return []


def find(root: str) -> str | None:
    """The `.git` folder of the repository that holds the folder `root`, or None; git is not run.

    None also where git itself might go on: `.git` is a symbolic link, belongs to a third person, lies on another file
    system, or redirects to a place that does not point back (`commondir`, `git init --separate-git-dir`).
    """
    folder = os.path.realpath(root)
    try:
        start = os.stat(folder)
        while os.stat(folder).st_dev == start.st_dev:
            place = os.path.join(folder, ".git")
            if os.path.lexists(place):
                found = os.lstat(place)
                # Somebody may have put up a /tmp/.git to be given our documents.
                if found.st_uid not in (os.geteuid(), start.st_uid):
                    return None
                if stat.S_ISREG(found.st_mode):
                    return _redirected(place)
                if not stat.S_ISDIR(found.st_mode) or _is_repository(place):
                    return place if stat.S_ISDIR(found.st_mode) else None
            if folder == os.path.dirname(folder):
                return None
            folder = os.path.dirname(folder)
    except OSError:
        return None
    return None


def common(git_dir: str) -> str:
    """The folder of objects and refs: `git_dir` itself, or what linked worktrees share."""
    if not os.path.lexists(f"{git_dir}/commondir"):
        return git_dir
    return os.path.realpath(os.path.join(git_dir, _line(f"{git_dir}/commondir")))


def trap(git_dir: str, ref: str) -> str | None:
    """The first place where git would write through a link, were it asked to move `ref`; None where there is none.

    Git follows links at its reflogs, index and object folders: a repository that was sent to us could so have a line
    added to any file of its reader.
    """
    shared = common(git_dir)
    places = {f"{git_dir}/index", f"{git_dir}/logs", f"{git_dir}/logs/HEAD", f"{shared}/objects/pack"}
    for name in (ref, f"logs/{ref}"):
        parts = name.split("/")
        places |= {"/".join([shared, *parts[: n + 1]]) for n in range(len(parts))}
    with contextlib.suppress(FileNotFoundError), os.scandir(f"{shared}/objects") as found:
        places |= {each.path for each in found}
    for place in sorted(places):
        mode = os.lstat(place).st_mode if os.path.lexists(place) else stat.S_IFREG
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return place
    return None


def sync(git_dir: str, ref: str, *, since: float) -> None:
    """Fsync the folders that changed, which git leaves out. Best effort: no acknowledgement rests on it."""
    shared = common(git_dir)
    objects, folder = f"{shared}/objects", os.path.dirname(f"{shared}/{ref}")
    folders = [objects, git_dir]
    while folder.startswith(f"{shared}/"):
        folders.append(folder)
        folder = os.path.dirname(folder)
    with contextlib.suppress(OSError):
        with os.scandir(objects) as found:
            folders += [each.path for each in found if each.stat(follow_symlinks=False).st_mtime >= since]
        for path in folders:
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                files.sync(fd)
            finally:
                os.close(fd)


def _is_repository(git_dir: str) -> bool:
    # A `commondir` or a link here would send every object and ref to another repository of the sender's choice.
    folders = all(
        os.path.isdir(path) and not os.path.islink(path) for path in (git_dir, f"{git_dir}/objects", f"{git_dir}/refs")
    )
    return folders and os.path.lexists(f"{git_dir}/HEAD") and not os.path.lexists(f"{git_dir}/commondir")


def _redirected(file: str) -> str | None:
    """Where a `.git` file leads: to a linked worktree or a submodule, each proven from the other side."""
    text = _line(file)
    if not text.startswith("gitdir: "):
        return None
    folder = os.path.dirname(file)
    target = os.path.realpath(os.path.join(folder, text.removeprefix("gitdir: ")))
    if os.path.lexists(f"{target}/commondir"):
        back = os.path.realpath(os.path.join(target, _line(f"{target}/gitdir")))
        shared = common(target)
        ours = back == file and os.path.dirname(target) == f"{shared}/worktrees" and _is_repository(shared)
    else:
        above = find(os.path.dirname(folder))
        ours = above is not None and target.startswith(f"{above}/modules/") and _is_repository(target)
    return target if ours else None


def _line(path: str) -> str:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(fd, 4096).decode(errors="surrogateescape").rstrip("\n")
    finally:
        os.close(fd)
