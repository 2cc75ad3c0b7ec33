"""What Typer is told of one run of the command line: the options that every verb has, and those of the tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from agentws.cli import options
from agentws.cli.invocation import Run
from agentws.cli.options import COMMON, Option

__all__ = ["COMMON", "Verb", "Via", "common_options", "examples", "of", "option_of"]

Via = Annotated[
    str | None,
    typer.Option(
        "--via", metavar="SRC", help="Where the text comes from, if not from you: tool:NAME, net:CHANNEL, user."
    ),
]
"""The source of the words that a verb was given."""


def of(context: typer.Context) -> Run:
    """The run that `context` belongs to."""
    run = context.find_object(Run)
    assert run is not None
    return run


class Verb(TyperCommand):
    """A command that has the common options besides its own."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.params.extend(common_options())


def common_options() -> list[TyperOption]:
    """New objects for the options of every verb."""
    return [
        TyperOption(
            param_decls=[f"common_{option.parameter}", *option.names],
            type=bool if option.kind == options.FLAG else str,
            is_flag=option.kind == options.FLAG,
            default=None,
            metavar=option.metavar,
            help=option.help,
            expose_value=False,
            callback=_remember,
            rich_help_panel="Every verb has",
        )
        for option in COMMON
    ]


def _remember(context: typer.Context, option: TyperOption, value: object) -> object:
    if value:
        run, parameter = of(context), (option.name or "").removeprefix("common_")
        setattr(run, parameter, value)
        if parameter == options.DIRECTORY and context.parent is not None:
            run.is_behind = True
    return value


def option_of(table: tuple[Option, ...]) -> Callable[[str], Any]:
    """A function that gives Typer's description of the option of `table` that fills a parameter."""
    known = {option.parameter: option for option in table}

    def described(parameter: str) -> Any:
        option = known[parameter]
        return typer.Option(*option.names, metavar=option.metavar, help=option.help, min=option.least, max=option.most)

    return described


def examples(*lines: str) -> str:
    """The examples at the end of a verb's help: each on a line of its own."""
    return "\n\n".join(("Examples:", *lines))
