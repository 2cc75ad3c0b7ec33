"""agentws curate."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import asked, run
from agentws.cli import curate_render as render
from agentws.errors import MissingFileError, NeedsYouError, UsageError

EXAMPLES = run.examples(
    "agentws curate                        the brief: entries, doubts, candidates, how to answer",
    "agentws curate --apply - < answer     apply what the answer says, refuse what does not hold",
    "agentws curate --apply answer --dry-run",
    "agentws curate --review               go through what is proposed, one by one",
    "agentws undo                          take a curation back",
)

_MOST_BYTES = 1 << 20


def curate(
    context: typer.Context,
    apply: Annotated[
        str | None,
        typer.Option("--apply", metavar="FILE", help="Apply the operations in a file; `-` reads standard input."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --apply: say what would be done.")] = False,
) -> None:
    """Print what the author of MEMORY.md decides from, or apply what they decided."""
    invocation = run.of(context)
    if apply is None:
        if dry_run:
            raise UsageError("--dry-run needs --apply.", hint="The brief changes no document anyway.")
        found = invocation.workspace().curation_brief()
        invocation.done("curate-brief", render.brief_fields(found), render.brief_lines(found), found.notices)
        return
    done = invocation.workspace().curate(_answer(apply), dry_run=dry_run)
    invocation.done("curate", render.fields(done), render.lines(done), done.notices)
    if done.refused:
        count = len(done.refused)
        raise NeedsYouError(
            f"{count} operation{'s' * (count > 1)} refused.", hint="Mend them and apply them again: nothing else waits."
        )


def _answer(name: str) -> str:
    if name == "-":
        return asked.argument(name)
    try:
        with open(name, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "surrogateescape")
    except FileNotFoundError as error:
        raise MissingFileError(f"{name} is not there.") from error
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}.") from error
