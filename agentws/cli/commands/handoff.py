"""agentws handoff, and handoff list|show|ack."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Annotated

import typer
from typer.core import TyperGroup

from agentws.cli import editor, typer_glue
from agentws.cli import invocation as _asked
from agentws.cli.render import handoff as render
from agentws.cli.render import journal
from agentws.workspace import Workspace

EXAMPLES = typer_glue.examples(
    'agentws handoff --doing "Moving the address book" --next "Ask Sam which Anna is which"',
    'agentws handoff --auto --decided "SQLite, one file"',
    "agentws handoff --stdin < note.md",
)
LIST_EXAMPLES = typer_glue.examples("agentws handoff list", "agentws handoff list --all --json")
SHOW_EXAMPLES = typer_glue.examples("agentws handoff show", "agentws handoff show 20261120-0715-3fa9c1")
ACK_EXAMPLES = typer_glue.examples("agentws handoff ack", "agentws handoff ack 2026-11-20-071500-evening")

Name = Annotated[
    str | None,
    typer.Argument(metavar="[NAME]", help="Its file or session, or how one begins or ends; else the newest open one."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]


class Handoffs(TyperGroup):
    """A group that is a verb by itself too, and so has the options that every verb has."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.params.extend(typer_glue.common_options())


def handoff(
    context: typer.Context,
    doing: Annotated[
        list[str] | None, typer.Option("--doing", metavar="TEXT", help="What was being done; may be given again.")
    ] = None,
    decided: Annotated[
        list[str] | None, typer.Option("--decided", metavar="TEXT", help="A decision; may be given again.")
    ] = None,
    pending: Annotated[
        list[str] | None, typer.Option("--pending", metavar="TEXT", help="What is still open; may be given again.")
    ] = None,
    next_step: Annotated[
        list[str] | None, typer.Option("--next", metavar="TEXT", help="What to do first; may be given again.")
    ] = None,
    failed: Annotated[
        list[str] | None,
        typer.Option("--failed", metavar="TEXT", help="What was tried and does not work; may be given again."),
    ] = None,
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Read standard input: Markdown, or a JSON object with the same keys.")
    ] = False,
    auto: Annotated[
        bool, typer.Option("--auto", help="Add what the journal, the newest log and the tasks say since the last one.")
    ] = False,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", metavar="N", help="Leave out what matters least beyond this size.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The session it is of; else $AGENTWS_SESSION.")
    ] = None,
    via: typer_glue.Via = None,
    dry_run: DryRun = False,
) -> None:
    """Leave a note for the next session: what was being done, decided, is open, comes next.

    It stays open, and boot shows it first, until it is acknowledged or a later handoff takes over. With nothing given,
    $VISUAL or $EDITOR opens on a terminal.
    """
    if context.invoked_subcommand is not None:
        return
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    text = _asked.argument("-") if stdin else None
    is_edited = not any((doing, decided, pending, next_step, failed, stdin, auto)) and sys.stdin and sys.stdin.isatty()
    if is_edited:
        text = editor.edited(workspace)
    with editor.kept_if_it_fails(workspace, text) if is_edited and text else nullcontext():
        done = workspace.handoff(
            doing=doing,
            decided=decided or (),
            pending=pending or (),
            next_step=next_step,
            failed=failed or (),
            text=text,
            auto=auto,
            max_tokens=max_tokens,
            session=session,
            via=via,
            dry_run=dry_run,
        )
    asked.done("handoff", render.written_fields(done), render.written_lines(done), done.notices)


def list_handoffs(
    context: typer.Context,
    all: Annotated[bool, typer.Option("--all", help="Also those that are closed.")] = False,
) -> None:
    """List the open handoffs, also the ones that nobody wrote: sessions that broke off."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    found = workspace.handoffs(all=all)
    asked.done("handoff-list", render.list_fields(found), render.list_lines(_teller(workspace), found), found.notices)


def show(
    context: typer.Context,
    name: Name = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Take one that was not written here as the agent's own, too.")
    ] = False,
) -> None:
    """Show a handoff."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    found = workspace.accept_handoff(name) if accept else workspace.show_handoff(name)
    asked.done("handoff-show", render.show_fields(found), render.show_lines(_teller(workspace), found), found.notices)


def ack(context: typer.Context, name: Name = None, dry_run: DryRun = False) -> None:
    """Close a handoff: its work was taken over. One that nobody wrote is kept as it is closed."""
    asked = typer_glue.of(context)
    done = asked.workspace().ack_handoff(name, dry_run=dry_run)
    asked.done("handoff-ack", render.closed_fields(done), render.closed_lines(done), done.notices)


def _teller(workspace: Workspace) -> journal.Teller:
    return journal.Teller((), workspace.clock.now().tzinfo)
