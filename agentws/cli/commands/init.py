"""agentws init."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agentws.cli import render, run
from agentws.workspace import initialise

EXAMPLES = run.examples(
    "agentws init my-agent --name Robin",
    "agentws init                       adopts the files that lie here",
    "agentws init --dry-run             says what it would find and add",
    "agentws init ops --template coder --no-git",
)


def init(
    context: typer.Context,
    directory: Annotated[str, typer.Argument(metavar="DIR", help="The folder; made if it is not there.")] = ".",
    name: Annotated[str | None, typer.Option(metavar="NAME", help="The agent's name.")] = None,
    template: Annotated[
        str | None, typer.Option(metavar="NAME|DIR", help="default, assistant, coder, or a folder of yours.")
    ] = None,
    git: Annotated[bool, typer.Option("--git/--no-git", help="Keep past states in git.")] = True,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
) -> None:
    """Make a workspace, or adopt the one that lies there without changing a byte of it."""
    asked = run.of(context)
    base = asked.directory or "."
    root = os.path.realpath(os.path.join(os.path.expanduser(base), os.path.expanduser(directory)))
    done = initialise(root, asked.environment(), name=name, template=template, git=git, dry_run=dry_run)
    asked.done("init", render.init_fields(done), render.init_lines(done), done.notices)
