"""One run of the command line: the options that every verb has, and the workspace they name."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import typer
from typer.core import TyperCommand, TyperOption

from agentws.cli import environment, output
from agentws.errors import UsageError
from agentws.workspace import Environment, Workspace

COMMON = (
    (["-C", "--workspace"], "directory", "The workspace, instead of the one around the present folder."),
    (["--json"], "as_json", "One JSON object on stdout."),
    (["-q", "--quiet"], "quiet", "No notices on stderr."),
    (["--debug"], "debug", "Show the traceback of an error."),
)
"""The options of every verb: names, the attribute of Run, the help."""


class Run:
    """What was asked of this run besides the verb itself."""

    def __init__(self) -> None:
        self.directory: str | None = None
        self.as_json = False
        self.quiet = False
        self.debug = False

    def environment(self) -> Environment:
        """The surroundings that the workspace is opened with."""
        return environment.read()

    def workspace(self, *, moment: str | None = None) -> Workspace:
        """The workspace to work with; `moment` (as `--now` takes it) fixes the time and hides what came later."""
        where = self.directory or environment.workspace()
        surroundings = self.environment()
        if moment is None:
            return self._open(where, surroundings)
        opened = self._open(where, surroundings)
        fixed = Environment(
            now=opened.moment(moment), timezone=surroundings.timezone, container=surroundings.container, as_of=True
        )
        return self._open(where, fixed)

    def done(self, schema: str, fields: dict[str, object], lines: Iterable[str], notices: Iterable[str]) -> None:
        """Hand the result on: as JSON or as lines, and the notices."""
        output.notices(notices, quiet=self.quiet)
        if self.as_json:
            output.data(schema, fields)
        else:
            for line in lines:
                output.line(line)

    @staticmethod
    def _open(where: str | None, surroundings: Environment) -> Workspace:
        return Workspace.open(where, environment=surroundings) if where else Workspace.find(environment=surroundings)


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
            param_decls=[f"common_{attribute}", *names],
            type=str if attribute == "directory" else bool,
            is_flag=attribute != "directory",
            default=None,
            metavar="DIR" if attribute == "directory" else None,
            help=text,
            expose_value=False,
            callback=_remember,
            rich_help_panel="Every verb has",
        )
        for names, attribute, text in COMMON
    ]


def _remember(context: typer.Context, option: TyperOption, value: object) -> object:
    if value:
        setattr(of(context), (option.name or "").removeprefix("common_"), value)
    return value


def argument(text: str) -> str:
    """`text`, or all of standard input where it is `-`."""
    if text != "-":
        return text
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("`-` reads standard input, but nothing is piped in.", hint='echo "a note" | agentws log -')
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def examples(*lines: str) -> str:
    """The examples at the end of a verb's help: each on a line of its own."""
    return "\n\n".join(("Examples:", *lines))
