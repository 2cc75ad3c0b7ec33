"""Ctrl-C while the program starts or ends: it leaves at once and in silence, with exit code 130.

Raised in the middle of an import, KeyboardInterrupt prints a traceback, or is swallowed by what imports. So it is
raised only while a verb runs. `_signal` is the built-in half of `signal`, whose other half costs every start.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os

EXIT_CODE = 130


def leave_at_once() -> None:
    """From here on Ctrl-C ends the process, where it would have raised KeyboardInterrupt."""
    _exchange(_signal.default_int_handler, _leave)


def raise_again() -> None:
    """From here on Ctrl-C raises KeyboardInterrupt again, where it would have ended the process."""
    _exchange(_leave, _signal.default_int_handler)


def _leave(number: int, frame: object) -> None:
    os._exit(EXIT_CODE)


def _exchange(old: object, new: object) -> None:
    # Who ignores it, or has a handler of their own, keeps that.
    if _signal.getsignal(_signal.SIGINT) is old:
        _signal.signal(_signal.SIGINT, new)
