"""agentws init."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Annotated

import typer

from agentws.cli import environment, typer_glue
from agentws.cli.invocation import Run
from agentws.cli.render import everyday
from agentws.errors import WideFolderError
from agentws.workspace import initialise

EXAMPLES = typer_glue.examples(
    "agentws init my-agent --name Robin",
    "agentws init                       adopts the files that lie here",
    "agentws init --dry-run             says what it would find and add",
    "agentws init ops --template coder --no-git",
    "agentws init --private             in a code repository: `git add` passes over it",
)


def init(
    context: typer.Context,
    directory: Annotated[str, typer.Argument(metavar="DIR", help="The folder; made if it is not there.")] = ".",
    name: Annotated[str | None, typer.Option(metavar="NAME", help="The agent's name.")] = None,
    template: Annotated[
        str | None, typer.Option(metavar="NAME|DIR", help="default, assistant, coder, or a folder of yours.")
    ] = None,
    git: Annotated[bool, typer.Option("--git/--no-git", help="Keep past states in git.")] = True,
    private: Annotated[
        bool | None,
        typer.Option(
            "--private/--no-private", help="Keep it out of `git add`, by .git/info/exclude; asks on a terminal."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to the home folder, one above it, or /.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
) -> None:
    """Make a workspace, or adopt the one that lies there without changing a byte of it."""
    asked = typer_glue.of(context)
    base = asked.directory or "."
    root = os.path.realpath(os.path.join(os.path.expanduser(base), os.path.expanduser(directory)))
    home = environment.variables().get("HOME", "")
    make = partial(initialise, root, asked.environment(), name=name, template=template, git=git, home=home)
    if private is None and not dry_run and _is_terminal(asked) and make(dry_run=True).is_in_code:
        private = typer.confirm("`git add -A` here would publish the memory. Keep it private?", default=True, err=True)
    try:
        done = make(private=private, agreed=yes, dry_run=dry_run)
    except WideFolderError as error:
        if not (_is_terminal(asked) and typer.confirm(f"{error.message} Make it all the same?", err=True)):
            raise
        done = make(private=private, agreed=True)
    asked.done("init", everyday.init_fields(done), everyday.init_lines(done), done.notices)


def _is_terminal(asked: Run) -> bool:
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return not asked.as_json and all(stream is not None and stream.isatty() for stream in streams)
