"""The verbs `agentws session start|end|list|show`: their options and calls."""

from __future__ import annotations

import os

from agentws.core.terminal import invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.moments import Teller
from agentws.core.terminal.options import VIA, Verb, flag, number, optional, text
from agentws.errors import MissingFileError, UsageError
from agentws.features.journal.session import render as session_render
from agentws.workspace import Workspace

_USUAL = 20


def start(
    run: Run, *, text: str | None, session: str | None, parent: str | None, audience: str | None, via: str | None
) -> None:
    """Start a session and print its id. Events of the calling process then belong to that session."""
    # The calling process, a shell or the agent's program, lives as long as the session.
    done = run.workspace().start_session(
        _argument(text), session=session, process=os.getppid(), parent=parent, via=via, audience=audience
    )
    fields: dict[str, object] = output.fields(done, "session cursor=event.cursor notices")
    run.done("session-start", fields, [done.session], done.notices)


def end(run: Run, *, name: str | None, text: str | None, session: str | None, via: str | None) -> None:
    """End a session, and seal the journal."""
    if name is not None and session is not None:
        raise UsageError("ID and --session cannot be used together.")
    workspace, part = run.workspace(), name or session
    found = _find(workspace, part) if part else None
    done = workspace.end_session(_argument(text), session=found, via=via)
    fields: dict[str, object] = output.fields(done, "session cursor=event.cursor notices")
    run.done("session-end", fields, [f"Ended: {done.session}"], done.notices)


def _find(workspace: Workspace, part: str) -> str:
    try:
        return workspace.find_session(part)
    except MissingFileError as error:
        raise MissingFileError(error.message, hint=f"{error.hint} For the outcome use --text.") from None


def list_sessions(run: Run, *, every: bool, limit: int | None) -> None:
    """List sessions with their likely state, newest last. A subagent is listed below its parent.

    Running: its process is alive. Quiet: no event for half an hour, while its process serves other sessions.
    Crashed: no end, and its process exited. Otherwise the state is unknown, shown with its age.
    """
    workspace = run.workspace()
    found = workspace.sessions(limit=limit or (None if every else _USUAL))
    teller = Teller.at_terminal(workspace, found.writers)
    fields = session_render.list_fields(found) if run.as_json else {}
    run.done("session-list", fields, session_render.list_lines(teller, found), found.notices, look=output.TABLE)


def show(run: Run, *, session: str | None) -> None:
    """Show a session: start, end or likely state, events, plan, decisions, actions in flight, handoff."""
    workspace = run.workspace()
    found = workspace.show_session(session)
    teller = Teller(found.writers, workspace.clock.now().tzinfo)
    fields = session_render.show_fields(found) if run.as_json else {}
    run.done("session-show", fields, session_render.show_lines(teller, found), found.notices)


def _argument(text: str | None) -> str | None:
    return invocation.argument(text) if text is not None else None


VERBS = (
    Verb(
        "session start",
        start,
        (
            optional("text", "[TEXT]", "Topic of the session; `-` reads standard input."),
            text("--session", "ID", "Session id. Default: $AGENTWS_SESSION."),
            text("--parent", "ID", "Parent session, for a subagent."),
            text("--audience", "WHO", "Audience: main (default), or shared if others listen."),
            VIA,
        ),
        "export AGENTWS_SESSION=$(agentws session start)",
        'agentws session start "Nightly report"',
        'agentws session start "Group chat" --audience shared',
        'AGENTWS_SESSION=$(agentws session start "Look for sources" --parent $AGENTWS_SESSION) my-subagent',
    ),
    Verb(
        "session end",
        end,
        (
            optional(
                "name",
                "[ID]",
                "Session id or its end. Default: $AGENTWS_SESSION, or the newest running one.",
                completes="session",
            ),
            text("--text", "TEXT", "Outcome; `-` reads standard input."),
            text("--session", "ID", "The same as ID.", completes="session"),
            VIA,
        ),
        "agentws session end",
        "agentws session end 20261120-0715-3fa9c1",
        "agentws session end 3fa9c1            the end of its id will do",
        'agentws session end --text "Report sent"',
    ),
    Verb(
        "session list",
        list_sessions,
        (
            flag("--all", "List all sessions.", to="every"),
            number("--limit", "N", "The N most recent sessions. Default: 20.", least=1),
        ),
        "agentws session list",
        "agentws session list --all",
        "agentws session list --limit 5 --json",
    ),
    Verb(
        "session show",
        show,
        (
            optional(
                "session",
                "[ID]",
                "Session id or its end. Default: $AGENTWS_SESSION, or the newest one.",
                completes="session",
            ),
        ),
        "agentws session show",
        "agentws session show 20261120-0715-3fa9c1",
        "agentws session show 3fa9c1          the end of its id will do",
    ),
)
