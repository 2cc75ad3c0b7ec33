"""agentws session start|end."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agentws.cli import asked as _asked
from agentws.cli import run

START_EXAMPLES = run.examples(
    "export AGENTWS_SESSION=$(agentws session start)", 'agentws session start "Nightly report"'
)
END_EXAMPLES = run.examples("agentws session end", "agentws session end --session 20261120-0715-3fa9c1")

Text = Annotated[str | None, typer.Argument(metavar="[TEXT]", help="What it is about; `-` reads standard input.")]
Name = Annotated[str | None, typer.Option("--session", metavar="ID", help="Its id; else $AGENTWS_SESSION.")]


def start(context: typer.Context, text: Text = None, session: Name = None) -> None:
    """Begin a session and print its id. Events that name none belong to the newest that runs."""
    asked = run.of(context)
    # Whoever called this lives as long as the session does: a shell, or the program that holds the agent.
    done = asked.workspace().start_session(_argument(text), session=session, process=os.getppid())
    fields: dict[str, object] = {"session": done.session, "cursor": done.event.cursor, "notices": done.notices}
    asked.done("session-start", fields, [done.session], done.notices)


def end(context: typer.Context, text: Text = None, session: Name = None) -> None:
    """End a session, and seal the journal."""
    asked = run.of(context)
    done = asked.workspace().end_session(_argument(text), session=session)
    fields: dict[str, object] = {"session": done.session, "cursor": done.event.cursor, "notices": done.notices}
    asked.done("session-end", fields, [f"Ended: {done.session}"], done.notices)


def _argument(text: str | None) -> str | None:
    return _asked.argument(text) if text is not None else None
