"""agentws log."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import options, typer_glue, verbs

EXAMPLES = typer_glue.examples(
    'agentws log "Chose SQLite for the index"',
    'agentws log --kind decision --importance 8 --tag db "Chose SQLite"',
    'agentws log --via tool:web "The API limit is 60 requests a minute"',
    'agentws log --kind done --closes t3fk "Sent it by post"',
    "git log -1 | agentws log -         a text of several lines",
)

_option = typer_glue.option_of(options.LOG)


def log(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember; `-` reads standard input.")],
    kind: Annotated[str | None, _option("kind")] = None,
    importance: Annotated[int | None, _option("importance")] = None,
    tag: Annotated[list[str] | None, _option("tag")] = None,
    via: Annotated[str | None, _option("via")] = None,
    task: Annotated[str | None, _option("task")] = None,
    closes: Annotated[list[str] | None, _option("closes")] = None,
) -> None:
    """Write one durable line into today's log, and print where it stands."""
    verbs.log(
        typer_glue.of(context), text=text, kind=kind, importance=importance, tag=tag, via=via, task=task, closes=closes
    )
