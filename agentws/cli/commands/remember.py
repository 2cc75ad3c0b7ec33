"""agentws remember."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import asked as _asked
from agentws.cli import run

EXAMPLES = run.examples(
    'agentws remember "Leo likes his coffee black"',
    'agentws remember --section People "Anna is Sam\'s sister"',
    "a fact of the day goes to the log; work to be done is a task",
)


def remember(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The fact, readable alone; `-` reads standard input.")],
    section: Annotated[
        str | None,
        typer.Option("--section", metavar="HEADING", help="The section it goes to, one line; made where it lacks."),
    ] = None,
    via: run.Via = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say where it would stand, and do nothing.")] = False,
) -> None:
    """Keep a fact for ever, in MEMORY.md, and print where it stands."""
    asked = run.of(context)
    done = asked.workspace().remember(_asked.argument(text), section=section, via=via, dry_run=dry_run)
    fields: dict[str, object] = {
        "path": done.path,
        "line": done.line,
        "entry": done.entry,
        "new": done.is_new,
        "dry_run": done.dry_run,
        "notices": done.notices,
    }
    words = f"{done.path}:{done.line}" + ("" if done.is_new else " (it stood there already)")
    asked.done("remember", fields, [words], done.notices)
