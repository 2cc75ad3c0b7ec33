"""Runs work that a host need not wait for aside, in a background process, once the host has its answer."""

from __future__ import annotations

import os

from agentws.features.hosts.entry.deadline import Within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SECONDS = 60.0


def run(work: Callable[[], object]) -> None:
    """Run a hook's remaining work aside, in a background process. Nothing is reported; it may be killed any time."""
    if os.fork():
        return
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):  # a host waits until these are closed
            os.dup2(nothing, stream)
        with Within(_SECONDS):
            work()
    finally:
        os._exit(0)
