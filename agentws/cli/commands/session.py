"""agentws session start|end|list|show."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agentws.cli import invocation as _asked
from agentws.cli import typer_glue
from agentws.cli.render import journal
from agentws.cli.render import session as session_render
from agentws.errors import MissingFileError, UsageError
from agentws.workspace import Workspace

START_EXAMPLES = typer_glue.examples(
    "export AGENTWS_SESSION=$(agentws session start)",
    'agentws session start "Nightly report"',
    'agentws session start "Group chat" --audience shared',
    'AGENTWS_SESSION=$(agentws session start "Look for sources" --parent $AGENTWS_SESSION) my-subagent',
)
END_EXAMPLES = typer_glue.examples(
    "agentws session end",
    "agentws session end 20261120-0715-3fa9c1",
    "agentws session end 3fa9c1            the end of its id will do",
    'agentws session end --text "Report sent"',
)
LIST_EXAMPLES = typer_glue.examples(
    "agentws session list", "agentws session list --all", "agentws session list --limit 5 --json"
)
SHOW_EXAMPLES = typer_glue.examples(
    "agentws session show",
    "agentws session show 20261120-0715-3fa9c1",
    "agentws session show 3fa9c1          the end of its id will do",
)

_USUAL = 20

Text = Annotated[str | None, typer.Argument(metavar="[TEXT]", help="What it is about; `-` reads standard input.")]
Name = Annotated[str | None, typer.Option("--session", metavar="ID", help="Its id; else $AGENTWS_SESSION.")]


def start(
    context: typer.Context,
    text: Text = None,
    session: Name = None,
    parent: Annotated[
        str | None,
        typer.Option("--parent", metavar="ID", help="The session that begins this one, as a subagent's: a new id."),
    ] = None,
    audience: Annotated[
        str | None,
        typer.Option(metavar="WHO", help="Who hears what it says: main (the usual), or shared, where others listen."),
    ] = None,
    via: typer_glue.Via = None,
) -> None:
    """Begin a session and print its id. Events belong to it that name none and come from its process."""
    asked = typer_glue.of(context)
    # Whoever called this lives as long as the session does: a shell, or the program that holds the agent.
    done = asked.workspace().start_session(
        _argument(text), session=session, process=os.getppid(), parent=parent, via=via, audience=audience
    )
    fields: dict[str, object] = {"session": done.session, "cursor": done.event.cursor, "notices": done.notices}
    asked.done("session-start", fields, [done.session], done.notices)


def end(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]", help="Its id, or the end of it; else $AGENTWS_SESSION, else the newest that runs."
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="How it ended; `-` reads standard input.")
    ] = None,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="The same as ID.")] = None,
    via: typer_glue.Via = None,
) -> None:
    """End a session, and seal the journal."""
    if name is not None and session is not None:
        raise UsageError("Name the session once: ID or --session.")
    asked = typer_glue.of(context)
    workspace, part = asked.workspace(), name or session
    found = _find(workspace, part) if part else None
    done = workspace.end_session(_argument(text), session=found, via=via)
    fields: dict[str, object] = {"session": done.session, "cursor": done.event.cursor, "notices": done.notices}
    asked.done("session-end", fields, [f"Ended: {done.session}"], done.notices)


def _find(workspace: Workspace, part: str) -> str:
    try:
        return workspace.find_session(part)
    except MissingFileError as error:
        raise MissingFileError(error.message, hint=f"{error.hint} How it ended goes to --text.") from None


def list_sessions(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="All sessions, however many there are.")] = False,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The N that were last heard of; 20 without --all.")
    ] = None,
) -> None:
    """List sessions with their likely state, the newest last; a subagent's below the one that began it.

    Running: its process lives. Quiet: that serves other sessions too, and nothing happened in this one for half an
    hour. Crashed: it has no end, and its process is gone. What cannot be known from here is said to be so, with its
    age.
    """
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    found = workspace.sessions(limit=limit or (None if every else _USUAL))
    teller = journal.Teller(found.writers, workspace.clock.now().tzinfo)
    fields = session_render.list_fields(found) if asked.as_json else {}
    asked.done("session-list", fields, session_render.list_lines(teller, found), found.notices)


def show(
    context: typer.Context,
    session: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="Its id, or the end of it; else $AGENTWS_SESSION, else the newest."),
    ] = None,
) -> None:
    """Show a session: beginning, end or likely state, events, plan, decisions, what is in flight, its handoff."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    found = workspace.show_session(session)
    teller = journal.Teller(found.writers, workspace.clock.now().tzinfo)
    fields = session_render.show_fields(found) if asked.as_json else {}
    asked.done("session-show", fields, session_render.show_lines(teller, found), found.notices)


def _argument(text: str | None) -> str | None:
    return _asked.argument(text) if text is not None else None
