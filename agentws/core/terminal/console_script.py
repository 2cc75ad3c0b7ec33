"""The place of the console script, which hooks and schedules call, long after this process and from any folder."""

from __future__ import annotations

import os
import sys

_NAME = "agentws"
_PLAIN = dict.fromkeys(map(ord, "@%+=:,./-_"), "a")
"""What a shell takes as it is, besides letters and digits."""


def path() -> str | None:
    """The absolute path of the script `agentws` that runs now, else of the one beside this Python, else on the PATH.

    None where there is none. Links are kept: they outlive an upgrade, what they point at may not.
    """
    beside = os.path.join(os.path.dirname(sys.executable), _NAME) if sys.executable else ""
    # A PATH may name folders relative to the present one: whoever calls later stands elsewhere.
    for found in (_called(), beside, _on_path() or ""):
        if os.path.isabs(found) and os.access(found, os.X_OK) and os.path.isfile(found):
            return found
    return None


def is_on_path() -> bool:
    """Return whether whoever says `agentws` in a shell like this one finds a script of that name."""
    return _on_path() is not None


def is_named() -> bool:
    """Return whether the script that `agentws` finds on the PATH is the one that runs now."""
    found, here = _on_path(), path()
    return found is not None and here is not None and os.path.realpath(found) == os.path.realpath(here)


def command(root: str, *, in_full: bool, elsewhere: bool) -> str:
    """Return how an agent calls us from its shell: by name, where it finds this script and not `in_full`, else in full.

    The workspace at `root` is named where the host stands `elsewhere`.
    """

    script = path() or _NAME
    program = _NAME if not in_full and is_named() else script
    words = [program, "-C", root] if elsewhere else [program]
    if all(word.isascii() and word.translate(_PLAIN).isalnum() for word in words):
        return " ".join(words)
    import shlex  # which loads much: every start of a session asks

    return shlex.join(words)


def _on_path() -> str | None:
    """The script that a shell finds, None where it finds none. A hook asks for it: shutil loads much for `which`."""
    found = (os.path.join(folder, _NAME) for folder in os.get_exec_path() if folder)
    return next((path for path in found if os.access(path, os.X_OK) and os.path.isfile(path)), None)


def _called() -> str:
    """The script that this process was started as, empty where it was started as something else (`python -m`)."""
    called = sys.argv[0] if sys.argv else ""
    if os.path.basename(called) != _NAME or os.sep not in called:
        return ""
    try:
        return os.path.abspath(called)
    except OSError:
        return ""  # the present folder is gone
