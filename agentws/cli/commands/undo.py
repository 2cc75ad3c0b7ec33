"""agentws undo."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import render, run

EXAMPLES = run.examples("agentws undo --dry-run", "agentws undo", "agentws undo && agentws undo   the last two changes")


def undo(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be taken back, and do nothing.")] = False,
) -> None:
    """Take back the last thing agentws changed here, with git or without."""
    asked = run.of(context)
    done = asked.workspace().undo(dry_run=dry_run)
    asked.done("undo", render.undo_fields(done), render.undo_lines(done), done.notices)
