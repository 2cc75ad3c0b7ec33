"""Finds the installed `agentws` script, which hooks and schedules call later and from any folder."""

from __future__ import annotations

import os
import sys

_NAME = "agentws"
_PLAIN = dict.fromkeys(map(ord, "@%+=:,./-_"), "a")
"""Characters that a shell takes literally, with letters and digits."""


def path() -> str | None:
    """Return the absolute path of the running `agentws` script, else the one beside this Python or on the PATH.

    None without one. Symbolic links are kept: they outlive an upgrade, their targets may not.
    """
    beside = os.path.join(os.path.dirname(sys.executable), _NAME) if sys.executable else ""
    # A PATH may contain relative folders, which are others for a later caller in another folder.
    for result in (_called(), beside, _on_path() or ""):
        if os.path.isabs(result) and os.access(result, os.X_OK) and os.path.isfile(result):
            return result
    return None


def is_on_path() -> bool:
    """Return whether a shell with this PATH finds an `agentws` script."""
    return _on_path() is not None


def is_named() -> bool:
    """Return whether the `agentws` on the PATH is the running script."""
    value, own_path = _on_path(), path()
    return value is not None and own_path is not None and os.path.realpath(value) == os.path.realpath(own_path)


def command(root: str, *, in_full: bool, elsewhere: bool) -> str:
    """Return the console command by which an agent in `host` calls agentws: the name if its PATH has it, else the path.

    `-C` with the workspace's `root` is added if the host works `elsewhere`.
    """

    script = path() or _NAME
    program = _NAME if not in_full and is_named() else script
    words = [program, "-C", root] if elsewhere else [program]
    if all(word.isascii() and word.translate(_PLAIN).isalnum() for word in words):
        return " ".join(words)
    import shlex  # which loads much: every start of a session asks

    return shlex.join(words)


def _on_path() -> str | None:
    """The script that a shell finds, None if it finds none. A hook asks for it: shutil loads much for `which`."""
    paths = (os.path.join(folder, _NAME) for folder in os.get_exec_path() if os.path.isabs(folder))
    return next((path for path in paths if os.access(path, os.X_OK) and os.path.isfile(path)), None)


def _called() -> str:
    """The script that this process was started as, empty if it was started as something else (`python -m`)."""
    called = sys.argv[0] if sys.argv else ""
    if os.path.basename(called) != _NAME or os.sep not in called:
        return ""
    try:
        return os.path.abspath(called)
    except OSError:
        return ""  # the present folder is gone
