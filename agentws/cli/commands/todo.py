"""agentws todo, done and drop."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import invocation, options, typer_glue, verbs
from agentws.cli.render import todo as todo_render
from agentws.errors import AgentwsError

EXAMPLES = typer_glue.examples(
    'agentws todo "Call Tom about the lease"',
    'agentws todo --due friday --for Sam "Send the survey"',
    "agentws todo                       lists what is open, each with its reference",
    "agentws todo --stale               only what is open long without a word",
    "what has steps of its own and outlives the week is a task: agentws task add",
)
DONE_EXAMPLES = typer_glue.examples(
    "agentws done t3fk",
    "agentws done call tom              the one open item that says both words",
    'agentws done call tom -m "He signs on Monday"',
)
DROP_EXAMPLES = typer_glue.examples("agentws drop t3fk", 'agentws drop call tom -m "He sold the house"')

_MOST_CHARS = 60
_option = typer_glue.option_of(options.TODO)


def _references(incomplete: str) -> list[tuple[str, str]]:
    """The references of what is open here, each with what it says, for a shell that completes one."""
    try:
        rows = invocation.Run().workspace().todos().rows
    except AgentwsError:
        return []
    return [(one.ref, _plain(one.text)) for one in rows if one.ref.startswith(incomplete)]


def _plain(text: str) -> str:
    """The text as a shell may have it in what it evaluates: letters and digits, and blanks for all else."""
    return " ".join("".join(char if char.isalnum() else " " for char in text[:_MOST_CHARS]).split())


_Words = Annotated[
    list[str],
    typer.Argument(
        metavar="WORDS|REF...",
        autocompletion=_references,
        help="References, or words that one open item says: all of them, in any order, each perhaps cut short.",
    ),
]
_Note = Annotated[str, typer.Option("-m", "--note", metavar="NOTE", help="What to note; `-` reads standard input.")]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be closed, and do nothing.")]


def todo(
    context: typer.Context,
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="[TEXT]",
            help="What is to be done; `-` reads standard input. Without it, what is open is listed.",
            show_default=False,
        ),
    ] = None,
    due: Annotated[str | None, _option("due")] = None,
    for_whom: Annotated[str | None, _option("for_whom")] = None,
    via: Annotated[str | None, _option("via")] = None,
    stale: Annotated[bool, _option("stale")] = False,
    limit: Annotated[int, _option("limit")] = 50,
) -> None:
    """Write one thing to do into today's log, or list what is open in logs, MEMORY.md and tasks."""
    verbs.todo(typer_glue.of(context), text=text, due=due, for_whom=for_whom, via=via, stale=stale, limit=limit)


def done(context: typer.Context, words: _Words, note: _Note = "", dry_run: _DryRun = False) -> None:
    """Close what is open: the one item that is named, wherever it stands."""
    found = typer_glue.of(context).workspace().done(*words, note=invocation.argument(note), dry_run=dry_run)
    todo_render.closed(typer_glue.of(context), "done", found)


def drop(context: typer.Context, words: _Words, note: _Note = "", dry_run: _DryRun = False) -> None:
    """Close what is open and is given up, as `done` does."""
    found = typer_glue.of(context).workspace().drop(*words, note=invocation.argument(note), dry_run=dry_run)
    todo_render.closed(typer_glue.of(context), "drop", found)
