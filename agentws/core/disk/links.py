"""Links: where a symbolic link of an agent's file leads, and hard links of a file that is changed in place.

A file that is changed in place must have only one name, else a backup that shares it would change too. Loaded only for
a file with several names.
"""

from __future__ import annotations

import os
import stat

from agentws.core.formats import layout
from agentws.errors import AgentwsError, UnsafeFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Files = Any  # storage.files loads this, so it cannot be named here

_LOCAL = ".agentws/"
_OURS = (".agentws-new", ".agentws-old")
_LONGEST_BYTES = 4096


def target(root: str, path: str) -> str:
    """Return the document beneath `root` to which the link of an agent's file leads, such as CLAUDE.md; else `path`.

    A link to another file of the agent, into a folder of the layout or out of the workspace is not followed: its text
    would be shown twice, or to somebody who may not see it. Nor is that of MEMORY.md, which agentws writes to: a clone
    of a repository could have it lead to a public file.
    """
    to = document(root, path) if layout.usual(path) != layout.MEMORY else ""
    is_ours = layout.usual(to) in layout.AGENT_FILES and layout.usual(to) != layout.usual(path)
    return path if not to or is_ours or layout.may_hold(to) else to


def document(root: str, path: str) -> str:
    """Return the path beneath `root` of the Markdown file to which the link at `path` leads; empty for none.

    A file that contains only that path is a link too: so git writes one where links cannot be, and so one is synced.
    """
    try:
        is_link = stat.S_ISLNK(os.lstat(f"{root}/{path}").st_mode)
        named = os.readlink(f"{root}/{path}") if is_link else _content(root, path)
        to = os.path.normpath(os.path.join(os.path.dirname(path), named))
        is_file = stat.S_ISREG(os.lstat(f"{root}/{to}").st_mode)
    except (OSError, ValueError):
        return ""
    is_within = not any(name.startswith(".") for name in to.split("/")) and not to.startswith("/")
    return to if is_file and is_within and to.endswith(".md") else ""


def _content(root: str, path: str) -> str:
    fd = os.open(f"{root}/{path}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(fd, _LONGEST_BYTES).decode("utf-8").removesuffix("\n")
    finally:
        os.close(fd)


def part(files: Files, path: str, inode: int) -> None:
    """Give the file at `path`, with this inode, no other hard link; UnsafeFileError if other programs made the links.

    The caller holds the lock under which this file is replaced.
    """
    above, _, name = path.rpartition("/")
    beside = f"{above}/.{name}" if above else f".{name}"
    if any(_inode(files, beside + ending) == inode for ending in _OURS):
        # A replace that was killed before or after its rename: both are names of the one file, so nothing is lost.
        files.settle(path, expects="")
    if files.status(path).st_nlink == 1:
        return
    if not path.startswith(_LOCAL):
        raise UnsafeFileError(
            f"{path}: this file has a second name (hard link), which would change too. Nothing was written.",
            hint=f"To make a separate file: cp -p {path} {path}.new && mv {path}.new {path}",
        )
    files.replace(path, files.read(path), expects=files.digest(path))


def _inode(files: Files, path: str) -> int:
    try:
        return int(files.status(path).st_ino)
    except AgentwsError:
        return 0
