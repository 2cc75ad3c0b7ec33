"""What tells that something changed: a wait that ends with a change, with a wish to stop, or after a time.

Nobody relies on which file it was: whoever is woken compares. So an event that is lost, or told twice, does no harm.
"""

from __future__ import annotations

import os
import time
from queue import Empty, SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import Protocol

    class Eyes(Protocol):
        """What a watcher waits with."""

        kind: str
        """`events` where the system tells of changes, `polling` where these are looked for."""

        def wait(self, timeout_s: float | None) -> str:
            """Return CHANGED, STOPPED, or NOTHING where that time went by first."""

        def stop(self) -> None:
            """End the wait, now or when it begins; may be called by a handler of signals."""

        def close(self) -> None:
            """Let go of everything."""


EVENTS, POLLING = "events", "polling"
CHANGED, STOPPED, NOTHING = "changed", "stopped", "nothing"
_SHARE = 50
"""Of its time a poller spends at most one part in so many looking."""


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


class Polling:
    """Eyes where the system tells of nothing: `look` says how it is, and another answer is a change."""

    kind = POLLING

    def __init__(self, look: Callable[[], Hashable], *, every_s: float) -> None:
        self._look = look
        self._every_s = every_s
        self._signals = Signals()
        self._known = look()

    def wait(self, timeout_s: float | None) -> str:
        """As Eyes.wait."""
        until = None if timeout_s is None else time.monotonic() + timeout_s
        every_s = self._every_s
        while True:
            left_s = every_s if until is None else min(every_s, until - time.monotonic())
            if self._signals.wait(max(0.0, left_s)) == STOPPED:
                return STOPPED
            began = time.thread_time()
            seen = self._look()
            every_s = max(self._every_s, (time.thread_time() - began) * _SHARE)
            if seen != self._known:
                self._known = seen
                return CHANGED
            if until is not None and time.monotonic() >= until:
                return NOTHING

    def stop(self) -> None:
        """As Eyes.stop."""
        self._signals.stop()

    def close(self) -> None:
        """As Eyes.close."""


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
