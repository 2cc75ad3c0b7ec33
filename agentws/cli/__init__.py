"""The command line: parses, calls one verb, hands the result on.

`start` is what the console script calls. It stands here, and with it what Ctrl-C does while the program starts or ends,
because this module is imported first, whatever else is: raised in the middle of an import, KeyboardInterrupt prints a
traceback, or is swallowed by what imports. So it is raised only while a verb runs; before and after, Ctrl-C leaves at
once and in silence. `_signal` is the built-in half of `signal`, whose other half costs every start.
"""

import _signal  # type: ignore[import-not-found]
import os

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def start() -> None:
    """Run `agentws` with the arguments of the process, and exit."""
    leave_at_once()
    from agentws.cli.main import main

    main()


def leave_at_once() -> None:
    """From here on Ctrl-C ends the process, where it would have raised KeyboardInterrupt."""
    _exchange(_signal.default_int_handler, _leave)


def raise_again() -> None:
    """From here on Ctrl-C raises KeyboardInterrupt again, where it would have ended the process."""
    _exchange(_leave, _signal.default_int_handler)


def hear_children() -> None:
    """Learn how the programs end that are started, also where whoever started this one ignores how theirs do."""
    if _signal.getsignal(_signal.SIGCHLD) == _signal.SIG_IGN:
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)


def _leave(number: int, frame: object) -> None:
    os._exit(INTERRUPTED)


def _exchange(old: object, new: object) -> None:
    # Who ignores it, or has a handler of their own, keeps that.
    if _signal.getsignal(_signal.SIGINT) is old:
        _signal.signal(_signal.SIGINT, new)
