"""Termination of a verb by SIGTERM or SIGHUP: temporary files are removed first, as after Ctrl-C."""

from __future__ import annotations

import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_SHELL = 128
"""What a shell adds to the number of a signal."""


def cleanly() -> None:
    """Terminate cleanly: raise an exception on SIGTERM and SIGHUP, unless they are ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _leave)


def _leave(number: int, _: FrameType | None) -> None:
    raise SystemExit(_SHELL + number)
