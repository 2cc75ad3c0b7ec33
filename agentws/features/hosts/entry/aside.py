"""Work that a host need not wait for: in a process of its own, once the host has its answer."""

from __future__ import annotations

import os

from agentws.features.hosts.entry.deadline import Within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SECONDS = 60.0


def run(work: Callable[[], object]) -> None:
    """Do it aside. Whatever becomes of it nobody hears: it has to be such that it may be killed at any moment."""
    if os.fork():
        return
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):  # a host waits until nobody holds these any more
            os.dup2(nothing, stream)
        with Within(_SECONDS):
            work()
    finally:
        os._exit(0)
