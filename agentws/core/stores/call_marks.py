"""Marks of hosts' processes, by which the hook file lets their messages wait without Python (core/hosts/plan.py).

The lines of a mark: the user's settings file, the events that may wait, and the session, empty if it may be any.
"""

from __future__ import annotations

import contextlib

from agentws.core.formats import layout
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from agentws.core.disk.files import Files


def path(host: str, process: int) -> str:
    """Return the path of the mark of a host's process."""
    return f"{layout.CALLS}/.{host}-{process}"


def remove(files: Files, is_old: Callable[[str], bool]) -> None:
    """Remove the marks whose path is old."""
    for name, _ in files.names(layout.CALLS):
        mark = f"{layout.CALLS}/{name}"
        if name.startswith(".") and is_old(mark):
            with contextlib.suppress(AgentwsError):  # another process removes it
                files.remove(mark, expects=files.digest(mark), later=set())


def end(files: Files, sessions: Collection[str | None]) -> None:
    """Remove the marks of these sessions. Their next message starts Python, which begins the session again."""

    def is_old(mark: str) -> bool:
        try:
            lines = files.read(mark).decode("utf-8", "replace").split("\n")
        except AgentwsError:
            return False
        return not "".join(lines[2:]) or lines[2] in sessions

    remove(files, is_old)
