"""agentws context list|new|show|use."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import invocation as _asked
from agentws.cli import typer_glue
from agentws.cli.render import everyday
from agentws.errors import UsageError

LIST_EXAMPLES = typer_glue.examples("agentws context list")
NEW_EXAMPLES = typer_glue.examples(
    "agentws context new blog --file notes/style.md --tag writing",
    'agentws context new blog --text "Write short sentences."',
)
SHOW_EXAMPLES = typer_glue.examples("agentws context show blog")
USE_EXAMPLES = typer_glue.examples("agentws context use blog", "agentws context use --none")

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The context's name.")]


def list_contexts(context: typer.Context) -> None:
    """List the contexts; the one in use is marked."""
    asked = typer_glue.of(context)
    found = asked.workspace().contexts()
    asked.done("context-list", everyday.contexts_fields(found), everyday.contexts_lines(found), found.notices)


def new(
    context: typer.Context,
    name: Name,
    file: Annotated[
        list[str] | None, typer.Option("--file", metavar="PATH", help="A file to load; may be given again.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag that matters; may be given again.")
    ] = None,
    text: Annotated[
        str, typer.Option(metavar="TEXT", help="What to tell the agent in this context; `-` reads standard input.")
    ] = "",
    via: typer_glue.Via = None,
    dry_run: DryRun = False,
) -> None:
    """Make a context."""
    asked = typer_glue.of(context)
    done = asked.workspace().new_context(
        name, files=file or (), tags=tag or (), text=_asked.argument(text) if text else "", via=via, dry_run=dry_run
    )
    asked.done("context-new", everyday.changed_fields(done), everyday.changed_lines(done, "made"), done.notices)


def show(context: typer.Context, name: Name) -> None:
    """Show what a context loads."""
    asked = typer_glue.of(context)
    found = asked.workspace().context(name)
    asked.done("context-show", everyday.context_fields(found), everyday.context_lines(found), ())


def use(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="The context's name.")] = "",
    none: Annotated[bool, typer.Option("--none", help="Use no context.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Let boot load a context from now on."""
    if bool(name) == none:
        raise UsageError("Name a context, or say --none.", hint="See which there are: agentws context list")
    asked = typer_glue.of(context)
    done = asked.workspace().use_context(name, dry_run=dry_run)
    asked.done("context-use", everyday.changed_fields(done), everyday.changed_lines(done, "in use"), done.notices)
