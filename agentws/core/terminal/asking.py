"""Asks the person at the terminal, with Typer's prompts, loaded only if somebody can answer.

Ctrl-C and the end of input raise KeyboardInterrupt.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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
