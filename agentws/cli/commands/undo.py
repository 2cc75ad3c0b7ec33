"""agentws undo."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from agentws.cli import typer_glue
from agentws.cli.invocation import Run
from agentws.cli.render import everyday
from agentws.errors import ChangedUnderneathError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.operations.undo import Undone

EXAMPLES = typer_glue.examples(
    "agentws undo --dry-run",
    "agentws undo",
    "agentws undo && agentws undo   the last two changes",
    "agentws undo --redo            make it again",
    "agentws undo --list            what can be taken back, and whose it is",
)


def undo(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be taken back, and do nothing.")] = False,
    redo: Annotated[bool, typer.Option("--redo", help="Make again what was taken back last.")] = False,
    every: Annotated[bool, typer.Option("--list", help="List the changes, the newest first, and do nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Also the work of another session that runs.")] = False,
) -> None:
    """Take back the last thing agentws changed here, with git or without; the journal is told."""
    asked = typer_glue.of(context)
    if every:
        if dry_run or redo or yes:
            raise UsageError("--list only lists: leave the other options out.")
        _list(asked)
        return
    if not (yes or dry_run) and _can_ask(asked):
        would = _run(asked, redo=redo, dry_run=True)
        if would.whose.is_others:
            if not typer.confirm(f"This is the work of {would.whose.words}. Go on?", err=True):
                return
            _check_same(would, _run(asked, redo=redo, dry_run=True))
            yes = True
    found = _run(asked, redo=redo, dry_run=dry_run, yes=yes)
    asked.done("undo", everyday.undo_fields(found), everyday.undo_lines(found), found.notices)


def _list(asked: Run) -> None:
    found = asked.workspace().changes()
    asked.done("undo-list", everyday.changes_fields(found), everyday.changes_lines(found), found.notices)


def _can_ask(asked: Run) -> bool:
    streams = (sys.stdin, sys.stderr)
    return not asked.as_json and all(stream is not None and stream.isatty() for stream in streams)


def _run(asked: Run, *, redo: bool, dry_run: bool, yes: bool = False) -> Undone:
    workspace = asked.workspace()
    return (workspace.redo if redo else workspace.undo)(dry_run=dry_run, yes=yes)


def _check_same(agreed: Undone, now: Undone) -> None:
    """ChangedUnderneathError where the change that was agreed to is not the newest any more."""
    if agreed.number != now.number:
        raise ChangedUnderneathError(
            f"Another change was made meanwhile: `{now.verb}`. Nothing was taken back.",
            hint="Look at it, and run it again: agentws undo --dry-run",
        )
