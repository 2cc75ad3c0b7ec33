"""agentws undo."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from agentws.cli import render, run
from agentws.cli.asked import Run
from agentws.errors import UsageError

EXAMPLES = run.examples(
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
    asked = run.of(context)
    if every:
        if dry_run or redo or yes:
            raise UsageError("--list only lists: leave the other options out.")
        _list(asked)
        return
    workspace = asked.workspace()
    verb = workspace.redo if redo else workspace.undo
    agreed = yes or dry_run or not _can_ask(asked) or _agrees(verb(dry_run=True))
    if not agreed:
        return
    done = asked.workspace()
    found = (done.redo if redo else done.undo)(dry_run=dry_run, yes=yes or _can_ask(asked))
    asked.done("undo", render.undo_fields(found), render.undo_lines(found), found.notices)


def _list(asked: Run) -> None:
    found = asked.workspace().changes()
    asked.done("undo-list", render.changes_fields(found), render.changes_lines(found), found.notices)


def _can_ask(asked: Run) -> bool:
    streams = (sys.stdin, sys.stderr)
    return not asked.as_json and all(stream is not None and stream.isatty() for stream in streams)


def _agrees(would: object) -> bool:
    """Ask whether somebody else's work is to be taken back; nothing is asked where it is one's own."""
    whose = would.whose  # type: ignore[attr-defined]
    if not whose.is_others:
        return True
    return typer.confirm(f"This is the work of {whose.words}. Go on?", err=True)
