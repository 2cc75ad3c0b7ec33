"""The command line's entry point, and what Ctrl-C does before and after a verb.

`start` is what the console script calls. This module is imported first, so it also handles Ctrl-C while the program
starts or ends: raised in the middle of an import, KeyboardInterrupt prints a traceback, or is swallowed by the
importer. So it is raised only while a verb runs; before and after, Ctrl-C exits at once and silently. `_signal` is the
built-in half of `signal`, whose other half slows every start.
"""

import _signal  # type: ignore[import-not-found]
import os

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def start() -> None:
    """Enter the command line: run `agentws` with the arguments of the process, handling Ctrl-C, and exit."""
    leave_at_once()
    from agentws.cli.main import main

    main()


def leave_at_once() -> None:
    """Make Ctrl-C exit the command line's process at once, instead of raising KeyboardInterrupt."""
    _exchange(_signal.default_int_handler, _leave)


def raise_again() -> None:
    """Make Ctrl-C raise KeyboardInterrupt again in the command line's verb, instead of exiting the process."""
    _exchange(_leave, _signal.default_int_handler)


def hear_children() -> None:
    """Reset SIGCHLD if the parent of the command line ignores it, so that exit codes of children are known."""
    if _signal.getsignal(_signal.SIGCHLD) == _signal.SIG_IGN:
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)


def _leave(number: int, frame: object) -> None:
    os._exit(INTERRUPTED)


def _exchange(old: object, new: object) -> None:
    # Who ignores it, or has a handler of their own, keeps that.
    if _signal.getsignal(_signal.SIGINT) is old:
        _signal.signal(_signal.SIGINT, new)
