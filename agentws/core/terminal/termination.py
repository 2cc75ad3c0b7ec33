"""The end of a verb that somebody terminates: it removes its temporary files first, as after Ctrl-C."""

from __future__ import annotations

import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_SHELL = 128
"""What a shell adds to the number of a signal."""


def cleanly() -> None:
    """Let SIGTERM and SIGHUP end this process as an exception does; who ignores one of them goes on to do so."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _leave)


def _leave(number: int, _: FrameType | None) -> None:
    raise SystemExit(_SHELL + number)
