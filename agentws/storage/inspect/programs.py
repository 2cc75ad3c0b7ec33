"""Whether what somebody's settings name is still there: a program that can be run, a workspace."""

from __future__ import annotations

import os
import stat

from agentws.storage.disk import locate


def runs(path: str) -> bool:
    """True where a file stands at this absolute path that this user may run."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode) and os.access(path, os.X_OK)
    except OSError:
        return False


def is_same(one: str, other: str) -> bool:
    """True where two paths lead to one file or folder."""
    return os.path.realpath(one) == os.path.realpath(other)


def is_workspace(folder: str) -> bool:
    """True where a workspace stands at this absolute path."""
    return locate.has_manifest(folder)
