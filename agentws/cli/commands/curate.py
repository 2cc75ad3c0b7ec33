"""agentws curate."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from agentws.cli import curation_review, typer_glue
from agentws.cli import invocation as asked
from agentws.cli.render import curate as render
from agentws.errors import MissingFileError, UsageError

EXAMPLES = typer_glue.examples(
    "agentws curate                        the brief: entries, doubts, candidates, how to answer",
    "agentws curate --apply - < answer     apply what the answer says, refuse what does not hold",
    "agentws curate --apply answer --dry-run",
    "agentws curate --review               go through what is proposed, one by one",
    "agentws undo                          take a curation back",
)

_MOST_BYTES = 1 << 21


def curate(
    context: typer.Context,
    apply: Annotated[
        str | None,
        typer.Option("--apply", metavar="FILE", help="Apply the operations in a file; `-` reads standard input."),
    ] = None,
    review: Annotated[
        bool, typer.Option("--review", help="Decide yourself, one by one, on a terminal: y, n, e, s, q, ?.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --apply or --review: say what would be done.")
    ] = False,
) -> None:
    """Print what the author of MEMORY.md decides from, or apply what they decided."""
    invocation = typer_glue.of(context)
    if review:
        if apply is not None:
            raise UsageError("--review and --apply are two ways to answer.", hint="Leave one of them out.")
        curation_review.run(invocation, dry_run=dry_run)
        return
    if apply is None:
        if dry_run:
            raise UsageError("--dry-run needs --apply or --review.", hint="The brief changes no document anyway.")
        found = invocation.workspace().curation_brief()
        invocation.done("curate-brief", render.brief_fields(found), render.brief_lines(found), found.notices)
        return
    render.tell(invocation, invocation.workspace().curate(_answer(apply), dry_run=dry_run))


def _answer(name: str) -> str:
    if name == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("Nothing is piped in.", hint="agentws curate --apply - < answer")
        return asked.argument(name)
    try:
        with open(name, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "surrogateescape")
    except FileNotFoundError as error:
        raise MissingFileError(f"{name} is not there.") from error
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}.") from error
