"""Locating a workspace: the named folder, or the nearest one upwards with a manifest."""

from __future__ import annotations

import errno
import os

from agentws.core.disk import files
from agentws.core.formats import layout
from agentws.errors import DiskError, NoWorkspaceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

INCOMING = layout.INCOMING
"""The part of a folder's name while a copy is still arriving: see features/copies/transfer/receiver.py."""


_NO_SUCH = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EACCES)
"""The errors for a place without a manifest; one that this user may not search counts as one."""


def find(start: str | None) -> str | None:
    """Locate the workspace around the present folder: its root, or None; `start` names one, without a search.

    The workspace of a folder is the folder itself, else its `.agentmem`.
    """
    return _at(_resolved(start)) if start is not None else around(here())


def around(folder: str) -> str | None:
    """Locate the workspace that a command in this folder finds: its root, or None."""
    near = nearest(folder, lambda each: _at(each) is not None)
    return _at(near) if near is not None else None


def _at(folder: str) -> str | None:
    if has_manifest(folder):
        return folder
    own = own_folder(folder)
    # A repository of others could otherwise lead its agents into somebody's private workspace.
    return own if has_manifest(own) and not os.path.islink(own) else None


def own_folder(project: str) -> str:
    """Return where a workspace is located that is kept apart from the files of a project."""
    return os.path.join(project, layout.OWN_FOLDER)


def project(root: str) -> str:
    """Return the folder that agents work in, for the workspace at `root`: the one around `.agentmem`, else `root`."""
    above, name = os.path.split(root)
    return above if name == layout.OWN_FOLDER else root


def nearest(folder: str, is_meant: Callable[[str], bool]) -> str | None:
    """Locate `folder` or its nearest parent for which `is_meant` is true; None for none."""
    while not is_meant(folder):
        higher = os.path.dirname(folder)
        if higher == folder:
            return None
        folder = higher
    return folder


def find_unadopted(start: str | None) -> str | None:
    """Locate an agent's folder that was not adopted as a workspace yet: the folder itself, else None."""
    folder = _resolved(start) if start is not None else here()
    tree = files.Files(folder)
    there = os.path.isdir(folder) and any(map(tree.exists, layout.SIGNS_OF_AN_AGENT))
    return folder if there else None


def check_owner(start: str | None, root: str) -> str:
    """Return a notice if the workspace at `root`, found in a folder above, is another user's; empty if it is not.

    The same for an `.agentmem` that the owner of its folder does not own.

    NoWorkspaceError for anybody but the superuser: whoever can make a folder above would lead this user's agent. One
    that the caller names, or stands in, is meant.
    """
    if start is not None:
        return ""
    folder = here()
    if root == folder or (owner := os.stat(root).st_uid) in (os.geteuid(), 0):
        return ""
    if (is_below := project(root) == folder) and owner == os.stat(folder).st_uid:
        return ""
    from agentws.core.text import sh  # seldom

    where = "" if is_below else ", in a folder above,"
    message = f"The workspace {root}{where} belongs to another user ({owner})"
    if os.geteuid() == 0:
        return f"{message}."
    raise NoWorkspaceError(f"{message}.", hint=f"If you trust that user, name it: agentws -C {sh.quote(root)} …")


def above(root: str) -> str | None:
    """Locate the workspace that would contain the folder `root` (existing or not), None for none."""
    return around(os.path.dirname(root))


def has_manifest(root: str) -> bool:
    """Return whether `root` is located as a workspace: it has a manifest, readable or not. DiskError."""
    path = os.path.join(root, layout.MANIFEST)
    try:
        os.lstat(path)
    except ValueError:
        return False
    except OSError as error:
        if error.errno in _NO_SUCH:
            return False
        raise files.failure(error, path) from error
    return True


ELSEWHERE = "Name the workspace that your start-up context names: agentws -C DIR boot, or AGENTWS_WORKSPACE=DIR."


def here() -> str:
    """Return the present folder, resolved, where locating a workspace starts."""
    return _resolved(os.curdir)


def _resolved(path: str) -> str:
    try:
        return os.path.realpath(os.path.expanduser(path))
    except OSError as error:
        raise DiskError(
            "The current folder was deleted.", hint="Change to an existing folder (cd), or use -C DIR."
        ) from error


def none_here(start: str | None, *, by_agent: bool = False) -> NoWorkspaceError:
    """Return the error if no workspace was located. An agent is not told to create one: it has one elsewhere."""
    where = f"in {start}" if start is not None else "here or in any folder above"
    person = "Create one with agentws init, or name one with -C DIR or AGENTWS_WORKSPACE."
    return NoWorkspaceError(f"No workspace found {where}.", hint=ELSEWHERE if by_agent else person)


def check_not_left(files: files.Files) -> None:
    """Raise MayNotWriteError if the agent of the located workspace moved away, was retired, or is still arriving.

    Two system calls if not. The folder's name shows whether the agent is arriving: one rename lets it write.
    """
    is_on_its_way = INCOMING in files.root.rpartition("/")[2]
    if is_on_its_way or not (files.is_missing(layout.MOVED) and files.is_missing(layout.RETIRED)):
        from agentws.core.disk import tombstone

        tombstone.check(files)
