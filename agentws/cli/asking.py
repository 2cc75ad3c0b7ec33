"""A person at the terminal is asked: Typer's questions, loaded only where somebody can answer.

Ctrl-C and the end of input are KeyboardInterrupt.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.cli.invocation import Run


def is_terminal(run: Run, *, but_stdout: bool = False) -> bool:
    """True where a person reads what is printed and can answer; `but_stdout` may be read by a program."""
    streams = (sys.stdin, sys.stderr) if but_stdout else (sys.stdin, sys.stdout, sys.stderr)
    return not run.as_json and all(stream is not None and stream.isatty() for stream in streams)


def confirm(question: str, *, default: bool = False) -> bool:
    """What the person says: yes or no."""
    import typer

    with _interrupted():
        return typer.confirm(question, default=default, err=True)


def choose(question: str, choices: tuple[str, ...], *, default: str) -> str:
    """The one of `choices` that the person names. Any other word asks again."""
    import typer

    def chosen(said: str) -> str:
        word = said.strip().lower()
        if word not in choices:
            raise typer.BadParameter(f"{said!r} is none of {', '.join(choices)}.")
        return word

    with _interrupted():
        return str(typer.prompt(question, value_proc=chosen, default=default, err=True))


def prompt(question: str, usual: str) -> str:
    """What the person writes, without the blanks around it."""
    import typer

    with _interrupted():
        return str(typer.prompt(question, default=usual, show_default=False, err=True)).strip()


@contextmanager
def _interrupted() -> Iterator[None]:
    import typer

    try:
        yield
    except typer.Abort:
        raise KeyboardInterrupt from None
