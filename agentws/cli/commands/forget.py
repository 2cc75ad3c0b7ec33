"""agentws forget."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from agentws.cli import invocation as _asked
from agentws.cli import output, typer_glue
from agentws.cli.invocation import Run
from agentws.cli.render import forget as render
from agentws.errors import NeedsYouError

EXAMPLES = typer_glue.examples(
    'agentws forget --subject "Anna Lind" --dry-run      lists all that would go',
    'agentws forget --subject "Anna Lind" --subject Anni --reason "she asked for it"',
    'agentws forget --matching "+49 30 901820" --yes',
    "agentws forget --matching - --yes < secret.txt       the text then stands in no list of commands",
)


def forget(
    context: typer.Context,
    matching: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A text, also encoded; `-` reads standard input. May be given again."),
    ] = None,
    subject: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name as whole words, in any form. May be given again."),
    ] = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it is recorded.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would go, and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree without being asked.")] = False,
) -> None:
    """Forget a text or a person, in documents, archive and journal. This cannot be undone."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    wanted = {"matching": [_asked.argument(text).strip() for text in matching or ()], "subjects": subject or []}
    found = workspace.forget(**wanted, reason=reason, dry_run=True)  # type: ignore[arg-type]
    if dry_run or found.is_empty:
        fields = render.fields(found, done=False, dry_run=dry_run)
        asked.done("forget", fields, render.lines(found, asks=False), found.notices)
        _check_whole(found, is_left=found.is_left and not dry_run)
        return
    if not (yes or _answer(asked, found)):
        if not _is_terminal(asked):
            fields = render.fields(found, done=False, dry_run=False)
            asked.done("forget", fields, render.lines(found, asks=True), found.notices)
        raise NeedsYouError(
            "Nothing was changed: nobody has agreed.", hint="If all of it is to go, say the same again with --yes."
        )
    done = asked.workspace().forget(**wanted, reason=reason, known=found.known)  # type: ignore[arg-type]
    asked.done("forget", render.fields(done, done=True, dry_run=False), render.done_lines(done), done.notices)
    _check_whole(done, is_left=done.is_left)


def _check_whole(found: Any, *, is_left: bool) -> None:
    """NeedsYouError where something was not searched, or keeps it all the same."""
    if found.unread:
        raise NeedsYouError(
            f"{len(found.unread):,} places could not be searched: see above."
            if len(found.unread) > 1
            else "One place could not be searched: see above.",
            hint="Mend what is named there, then run the same command again.",
        )
    if is_left:
        raise NeedsYouError(
            "Some of it is left: see above.",
            hint="Rename or edit what is named there, then run the same command again.",
        )


def _is_terminal(asked: Run) -> bool:
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return not asked.as_json and all(stream is not None and stream.isatty() for stream in streams)


def _answer(asked: Run, found: Any) -> bool:
    """What the person at the terminal says to what is shown; no where there is none."""
    if not _is_terminal(asked):
        return False
    output.notices(found.notices, quiet=asked.quiet)
    output.lines(render.lines(found, asks=True))
    return typer.confirm("Forget all of this, for good?", err=True)
