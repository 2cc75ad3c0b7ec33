"""Interaction with the person at the terminal: questions by Typer, a progress bar, and an orderly end at a signal.

Typer is loaded only if somebody can answer. Ctrl-C and the end of input raise KeyboardInterrupt.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from agentws.core.terminal.invocation import Run


def is_terminal(run: Run, *, but_stdout: bool = False) -> bool:
    """Return whether a person at a terminal can be asked; with `but_stdout`, stdout may be piped."""
    streams = (sys.stdin, sys.stderr) if but_stdout else (sys.stdin, sys.stdout, sys.stderr)
    return not run.as_json and all(stream is not None and stream.isatty() for stream in streams)


def confirm(question: str, *, default: bool = False) -> bool:
    """Ask the person at the terminal a yes-or-no question and return the answer."""
    import typer

    return bool(_answer(typer.confirm, question, default=default))


def prompt(question: str, usual: str) -> str:
    """Ask the person at the terminal for a text and return it, stripped."""
    import typer

    return str(_answer(typer.prompt, question, default=usual, show_default=False)).strip()


def _answer(ask: Callable[..., object], question: str, **how: object) -> object:
    import typer

    from agentws.core.text.sanitize import inert, unbroken

    try:
        return ask(inert(unbroken(question)), err=True, **how)
    except typer.Abort:
        raise KeyboardInterrupt from None


@contextmanager
def progress_bar(
    run: Run, word: str, *, counts: bool = False, least: int = 0
) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that updates the bar with (bytes done, total bytes); None without a terminal.

    With `counts`, the numbers are those of things. A total below `least` is not worth a bar.
    """
    if run.quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console

    numbers = (
        (progress.MofNCompleteColumn(), progress.TimeRemainingColumn())
        if counts
        else (progress.DownloadColumn(), progress.TransferSpeedColumn())
    )
    columns = (progress.TextColumn(word), progress.BarColumn(), *numbers)
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(word, total=None, visible=not least)
        yield lambda done, total: shown.update(task, completed=done, total=total, visible=total >= least)


_SHELL = 128
"""Added by a shell to the number of a signal."""


def terminate_cleanly() -> None:
    """Terminate cleanly: raise an exception on SIGTERM and SIGHUP, unless they are ignored."""
    import signal

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _leave)


def _leave(number: int, _: FrameType | None) -> None:
    raise SystemExit(_SHELL + number)
