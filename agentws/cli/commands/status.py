"""agentws status."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import output, typer_glue
from agentws.cli.render import everyday
from agentws.errors import NeedsYouError, UsageError

EXAMPLES = typer_glue.examples(
    "agentws status",
    "agentws status --json",
    "agentws status -C ~/agents/robin",
    "agentws status --line              for the status line of another program; exits 0",
)


def status(
    context: typer.Context,
    line: Annotated[
        bool, typer.Option("--line", help="One line, for a status line: exits 0 also where something needs you.")
    ] = False,
) -> None:
    """Say how the workspace is: the verdict first, then one screen. Exits 3 where something needs you.

    These are the quick checks of `agentws doctor`, which looks deeper.
    """
    asked = typer_glue.of(context)
    if line and asked.as_json:
        raise UsageError("--line and --json are two formats.", hint="Leave one of them out.")
    found = asked.workspace().status()
    if line:
        output.text(everyday.status_line(found))
        return
    output.notices(found.notices, quiet=asked.quiet)
    if asked.as_json:
        output.data("status", everyday.status_fields(found))
    else:
        everyday.status(found)
    if not found.well:
        raise NeedsYouError("Something needs you: see above.")
