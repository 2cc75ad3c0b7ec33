"""The signals that wake a watcher: a file change, a stop request or a timeout.

The caller compares files after each wake-up and does not rely on which file changed, so lost or repeated events do no
harm.
"""

from __future__ import annotations

import os
from queue import Empty, SimpleQueue

EVENTS, POLLING = "events", "polling"
CHANGED, STOPPED, NOTHING = "changed", "stopped", "nothing"


class Signals:
    """The queue that ends a watcher's wait; several changes while nobody waits count as one."""

    __slots__ = ("_queue", "is_stopped")

    def __init__(self) -> None:
        self._queue: SimpleQueue[str] = SimpleQueue()  # the one queue that a handler of signals may put into
        self.is_stopped = False

    def changed(self) -> None:
        """Signal a file change to the watcher."""
        if self._queue.empty():
            self._queue.put(CHANGED)

    def stop(self) -> None:
        """Signal the watcher to stop."""
        self.is_stopped = True
        self._queue.put(STOPPED)

    def wait(self, timeout_s: float | None) -> str:
        """Wait until the watcher has a signal: CHANGED, STOPPED, or NOTHING after the timeout."""
        if self.is_stopped:
            return STOPPED
        try:
            text = self._queue.get(timeout=timeout_s)
        except Empty:
            return NOTHING
        return STOPPED if self.is_stopped else text


def is_same_folder(root: str, known: tuple[int, int]) -> bool:
    """Return whether the watched folder at `root` is still the known one (`folder_id`): not moved or replaced."""
    return folder_id(root) == known


def folder_id(root: str) -> tuple[int, int]:
    """Return the device and inode of the watched folder at `root`; zeros if there is none."""
    try:
        status = os.stat(root)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino
