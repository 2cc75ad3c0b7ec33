"""What tells that something changed: a wait that ends with a change, with a wish to stop, or after a time.

Nobody relies on which file it was: whoever is woken compares. So an event that is lost, or told twice, does no harm.
"""

from __future__ import annotations

import os
from queue import Empty, SimpleQueue

EVENTS, POLLING = "events", "polling"
CHANGED, STOPPED, NOTHING = "changed", "stopped", "nothing"


class Signals:
    """The queue that ends a wait; what is put into it while nobody waits is one change."""

    __slots__ = ("_queue", "is_stopped")

    def __init__(self) -> None:
        self._queue: SimpleQueue[str] = SimpleQueue()  # the one queue that a handler of signals may put into
        self.is_stopped = False

    def changed(self) -> None:
        """Tell of a change."""
        if self._queue.empty():
            self._queue.put(CHANGED)

    def stop(self) -> None:
        """Tell that it is enough."""
        self.is_stopped = True
        self._queue.put(STOPPED)

    def wait(self, timeout_s: float | None) -> str:
        """Return what was told first."""
        if self.is_stopped:
            return STOPPED
        try:
            found = self._queue.get(timeout=timeout_s)
        except Empty:
            return NOTHING
        return STOPPED if self.is_stopped else found


def is_same_folder(root: str, known: tuple[int, int]) -> bool:
    """Return whether the folder at `root` is still the one that was (`folder_id`): not moved, deleted or replaced."""
    return folder_id(root) == known


def folder_id(root: str) -> tuple[int, int]:
    """Return what tells the folder at `root` from all others; zeros where there is none."""
    try:
        status = os.stat(root)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino
