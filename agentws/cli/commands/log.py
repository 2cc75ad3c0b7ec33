"""agentws log."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import run

EXAMPLES = run.examples(
    'agentws log "Chose SQLite for the index"',
    'agentws log --kind decision --importance 8 --tag db "Chose SQLite"',
    'agentws log --via tool:web "The API limit is 60 requests a minute"',
    "git log -1 | agentws log -         a text of several lines",
)


def log(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember; `-` reads standard input.")],
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="WORD", help="decision, lesson, fact, preference, question, todo, done, error, or any word."
        ),
    ] = None,
    importance: Annotated[
        int | None, typer.Option(min=1, max=10, metavar="N", help="From 1 to 10; 5 is usual.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be given again.")] = None,
    via: Annotated[str | None, typer.Option(metavar="SRC", help="Where it comes from, if not from the agent.")] = None,
    task: Annotated[str | None, typer.Option(metavar="SLUG", help="The task it belongs to.")] = None,
) -> None:
    """Write one durable line into today's log, and print where it stands."""
    asked = run.of(context)
    done = asked.workspace().log(
        run.argument(text), kind=kind, importance=importance, tags=tuple(tag or ()), via=via, task=task
    )
    fields: dict[str, object] = {
        "path": done.path,
        "line": done.line,
        "day": done.day,
        "time": done.time,
        "entry": done.entry.rstrip("\n"),
        "notices": done.notices,
    }
    asked.done("log", fields, [f"{done.path}:{done.line}"], done.notices)
