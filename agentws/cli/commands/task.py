"""agentws task add|list|show|start|step|wait|pause|resume|done|cancel|due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from agentws.cli import invocation as _asked
from agentws.cli import typer_glue
from agentws.cli.render import task

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.workspace import Workspace

ADD_EXAMPLES = typer_glue.examples(
    'agentws task add "Move the address book" --step "export" --step "import the contacts" --start',
    'agentws task add "Ask Sam about the roof" --priority high --goal "Dry before winter."',
)
LIST_EXAMPLES = typer_glue.examples("agentws task list", "agentws task list --all --json")
SHOW_EXAMPLES = typer_glue.examples(
    "agentws task show move-the-address-book",
    "agentws task show move      enough where no other begins so",
)
START_EXAMPLES = typer_glue.examples("agentws task start move-the-address-book")
STEP_EXAMPLES = typer_glue.examples(
    'agentws task step move-the-address-book "import the contacts"',
    "agentws task step move-the-address-book --done 1      checks its first box",
)
WAIT_EXAMPLES = typer_glue.examples(
    "agentws task wait move-the-address-book --until monday",
    "agentws task wait move-the-address-book --until 2026-11-23T09:00",
    "agentws task wait move-the-address-book --for inbox/contacts.csv",
    'agentws task wait move-the-address-book --on "Sam, which of the two Annas is which"',
)
PAUSE_EXAMPLES = typer_glue.examples('agentws task pause move-the-address-book "Sam is on holiday"')
RESUME_EXAMPLES = typer_glue.examples("agentws task resume move-the-address-book")
DONE_EXAMPLES = typer_glue.examples(
    "agentws task done move-the-address-book", 'agentws task done roof "It was the gutter"'
)
CANCEL_EXAMPLES = typer_glue.examples('agentws task cancel roof "The house was sold"')
DUE_EXAMPLES = typer_glue.examples(
    "agentws task due", "*/10 * * * * agentws task due -C /home/robin      a line for cron"
)

Slug = Annotated[
    str, typer.Argument(metavar="SLUG", help="The task: its name, a beginning that only it has, or its path.")
]
Reason = Annotated[str, typer.Argument(metavar="[TEXT]", help="Why, for the journal; `-` reads standard input.")]


def add(
    context: typer.Context,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="What is to be done; `-` reads standard input.")],
    goal: Annotated[str, typer.Option(metavar="TEXT", help="What it is for; `-` reads standard input.")] = "",
    step: Annotated[
        list[str] | None, typer.Option("--step", metavar="TEXT", help="A step, as a check box; may be given again.")
    ] = None,
    priority: Annotated[str | None, typer.Option(metavar="WORD", help="high, normal or low.")] = None,
    start: Annotated[bool, typer.Option("--start", help="Begin it at once.")] = False,
    via: typer_glue.Via = None,
) -> None:
    """Make a task, tasks/<slug>.md, and print where it stands.

    A thing to do that outlives the session is a task; a to-do line in a log is a note about one.
    """
    _done(
        context,
        lambda workspace: workspace.add_task(
            _asked.argument(title), goal=_text(goal), steps=step or (), priority=priority, start=start, via=via
        ),
    )


def list_tasks(
    context: typer.Context,
    all: Annotated[bool, typer.Option("--all", help="Those that are over, too.")] = False,
) -> None:
    """List the tasks: active ones first, then those whose wait is over."""
    asked = typer_glue.of(context)
    found = asked.workspace().tasks(all=all)
    fields = task.list_fields(found) if asked.as_json else {}  # there may be many
    asked.done("task-list", fields, task.list_lines(found), found.notices)


def show(context: typer.Context, slug: Slug) -> None:
    """Show a task: where it stands, its check boxes with their numbers, its history."""
    asked = typer_glue.of(context)
    found = asked.workspace().task(slug)
    asked.done("task-show", task.show_fields(found), task.show_lines(found), found.notices)


def start(context: typer.Context, slug: Slug, reason: Reason = "", via: typer_glue.Via = None) -> None:
    """Work on a task from now on; one that was over begins again."""
    _done(context, lambda workspace: workspace.start_task(slug, _text(reason), via=via))


def step(
    context: typer.Context,
    slug: Slug,
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="Where it stands; `-` reads standard input.")] = "",
    done: Annotated[
        list[int] | None, typer.Option("--done", metavar="N", help="Check box N, as show counts; may be given again.")
    ] = None,
    via: typer_glue.Via = None,
) -> None:
    """Say where a task stands, or check one of its boxes."""
    _done(context, lambda workspace: workspace.step_task(slug, _text(text), done=done or (), via=via))


def wait(
    context: typer.Context,
    slug: Slug,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="2026-11-23T09:00, tomorrow, monday, 3d, 2h.")
    ] = None,
    path: Annotated[
        str | None, typer.Option("--for", metavar="PATH", help="A file of the workspace that is to appear.")
    ] = None,
    on: Annotated[str | None, typer.Option("--on", metavar="TEXT", help="Anything else, in words.")] = None,
    via: typer_glue.Via = None,
) -> None:
    """Let a task wait for a time, a file, or anything in words."""
    _done(context, lambda workspace: workspace.wait_task(slug, until=until, path=path, on=on and _text(on), via=via))


def pause(context: typer.Context, slug: Slug, reason: Reason = "", via: typer_glue.Via = None) -> None:
    """Put a task aside; what it waits for is kept."""
    _done(context, lambda workspace: workspace.pause_task(slug, _text(reason), via=via))


def resume(context: typer.Context, slug: Slug, reason: Reason = "", via: typer_glue.Via = None) -> None:
    """Go on with a task that was paused or waits; a paused one that still waits, waits again."""
    _done(context, lambda workspace: workspace.resume_task(slug, _text(reason), via=via))


def finish(context: typer.Context, slug: Slug, reason: Reason = "", via: typer_glue.Via = None) -> None:
    """The task is done."""
    _done(context, lambda workspace: workspace.finish_task(slug, _text(reason), via=via))


def cancel(context: typer.Context, slug: Slug, reason: Reason = "", via: typer_glue.Via = None) -> None:
    """The task is given up."""
    _done(context, lambda workspace: workspace.cancel_task(slug, _text(reason), via=via))


def due(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
) -> None:
    """Wake the tasks whose time has come or whose file is there, and print them. Once; for cron."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    done = workspace.wake_tasks(dry_run=dry_run)
    notices = [*done.notices, *task.noticed(done.noticed)]
    asked.done("task-due", task.due_fields(done), task.due_lines(done, workspace.clock.now()), notices)


def _done(context: typer.Context, verb: Callable[[Workspace], Any]) -> None:
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    done = verb(workspace)
    lines = task.changed_lines(done, workspace.clock.now())
    notices = [*done.notices, *task.noticed(done.noticed)]
    asked.done(f"task-{done.verb}", task.changed_fields(done), lines, notices)


def _text(text: str) -> str:
    return _asked.argument(text) if text else ""
