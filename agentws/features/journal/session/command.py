"""The verbs `agentws session start|end|list|show`: their options and calls."""

from __future__ import annotations

import os

from agentws.core.formats.journal import summary
from agentws.core.terminal import invocation, moments, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.moments import Teller
from agentws.core.terminal.options import VIA, Verb, flag, number, optional, text
from agentws.core.text import origin
from agentws.core.text.sanitize import one_line
from agentws.errors import MissingFileError, UsageError
from agentws.features.journal import render as journal_render
from agentws.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from agentws.core.journal.events.imported import ImportedSession
    from agentws.features.journal.session.listing import Session, SessionList, SessionRow

_USUAL = 20


def start(
    run: Run, *, text: str | None, session: str | None, parent: str | None, audience: str | None, via: str | None
) -> None:
    """Start a session for the calling process, and print its id."""
    # The calling process, a shell or the agent's program, lives as long as the session.
    done = run.workspace().session.start(
        _argument(text), session=session, process=os.getppid(), parent=parent, via=via, audience=audience
    )
    fields: dict[str, object] = output.fields(done, "session cursor=event.cursor notices")
    run.done("session-start", fields, [done.session], done.notices)


def end(run: Run, *, name: str | None, text: str | None, session: str | None, via: str | None) -> None:
    """End a session, and seal the journal."""
    if name is not None and session is not None:
        raise UsageError("ID and --session cannot be used together.")
    workspace, part = run.workspace(), name or session
    value = _find(workspace, part) if part else None
    done = workspace.session.end(_argument(text), session=value, via=via)
    fields: dict[str, object] = output.fields(done, "session cursor=event.cursor notices")
    run.done("session-end", fields, [f"Ended: {done.session}"], done.notices)


def _find(workspace: Workspace, part: str) -> str:
    try:
        return workspace.session.find(part)
    except MissingFileError as error:
        raise MissingFileError(error.message, hint=f"{error.hint} For the outcome use --text.") from None


def list_sessions(run: Run, *, every: bool, limit: int | None) -> None:
    """List sessions with their likely state, newest last, subagents below their parents.

    Running: its process is alive. Quiet: no event for half an hour, and its process serves other sessions. Crashed:
    its process is gone. Exited: gone, but the agent had answered.
    """
    workspace = run.workspace()
    result = workspace.session.list(limit=limit or (None if every else _USUAL))
    teller = Teller.at_terminal(workspace, result.writers)
    names = f"{_SESSION} events=run.all_events depth in_flight"
    sessions = [_fields(row, names) for row in result.rows] if run.as_json else []
    lines = list_lines(teller, result)
    run.result(
        "session-list", result, f"sessions {_IMPORTED} older notices", lines, look=output.TABLE, sessions=sessions
    )


def show(run: Run, *, session: str | None) -> None:
    """Show a session: start, end or likely state, requests, plan, decisions, actions in flight, handoff."""
    workspace = run.workspace()
    result = workspace.session.show(session)
    teller = Teller(result.writers, workspace.stores.clock.now().tzinfo)
    fields = show_fields(result) if run.as_json else {}
    run.done("session-show", fields, show_lines(teller, result), result.notices)


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
                "Session id or its end. Default: $AGENTWS_SESSION, or the newest one.",
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


_WIDEST = 48
_HEAD = ("session", "state", "began", "lasted", "events", "in flight", "what")
_IMPORTED_HEAD = ("imported session", "from", "began", "requests", "failed", "log")
_IMPORTED = "imported[source id began ended requests failed path]"
_SESSION = """
    session=run.id writer=run.writer parent=run.parent text state=likely.state likely=likely.words why=likely.why
    began=run.origin.at ended=run.ended.at newest=run.newest.at age_s lasted_s
"""


def show_fields(session: Session) -> dict[str, object]:
    """Return the fields of `agentws/session-show@1`."""
    state = journal_render.state_fields(session.state)
    names = f"""
        {_SESSION} events=run.events earlier=run.earlier unended=run.unended counts=run.counts children handoff
        boot[at tokens budget sections[source tokens]] recalled[{journal_render.RECALLED}] requests *replayed decisions
        notices
    """
    asked = journal_render.masked([request.plain() for request in session.requests])
    decisions = journal_render.masked([decision.plain() for decision in session.decisions])
    return _fields(session, names, requests=asked, replayed=state, decisions=decisions)


def _fields(session: SessionRow | Session, names: str, **values: object) -> dict[str, object]:
    values |= {"age_s": _whole(session.likely.age_s), "lasted_s": _whole(session.lasted_s), "text": _text(session.run)}
    return output.fields(session, names, **values)


def list_lines(teller: Teller, session_list: SessionList) -> Iterator[str]:
    """Yield the lines of `session list` as a table, child sessions indented below their parents."""
    if not session_list.rows:
        yield 'No session yet. Start one: agentws session start "What it is about"'
    else:
        yield from output.table([_HEAD, *(_cells(teller, row) for row in session_list.rows)])
    if session_list.imported:
        rows = (_imported_cells(teller, row) for row in session_list.imported)
        yield from output.table([_IMPORTED_HEAD, *rows])
    if session_list.older:
        yield f"{session_list.older:,} older: agentws session list --all"


def _imported_cells(teller: Teller, session: ImportedSession) -> tuple[str, ...]:
    counts = f"{session.requests:,}", f"{session.failed:,}" if session.failed else ""
    words = (session.id, session.source, teller.moment(session.began), *counts, session.path)
    return tuple(map(one_line, words))


def _cells(teller: Teller, row: SessionRow) -> tuple[str, ...]:
    run = row.run
    began = teller.moment(run.origin.at)
    counts = f"{run.all_events:,}", f"{row.in_flight:,}" if row.in_flight else ""
    what = summary.cut(one_line(_text(run) or ""), _WIDEST)
    return ("  " * row.depth + one_line(run.id), _state(row), began, moments.span(row.lasted_s), *counts, what)


def _state(session: SessionRow | Session) -> str:
    likely = session.likely
    if likely.state == "ended":
        return f"ended, {one_line(likely.why)}" if likely.why == "failed" else "ended"
    if likely.state in ("unknown", "quiet") and likely.age_s is not None:
        return f"{likely.words}, last event {moments.span(likely.age_s)} ago"
    return str(likely.words)


def show_lines(teller: Teller, session: Session) -> Iterator[str]:
    """Yield the lines of `session show`, the most important first."""
    run, likely = session.run, session.likely
    text = _text(run)
    yield f"Session {one_line(run.id)}{f': {one_line(text)}' if text else ''}"
    why = f" ({one_line(likely.why)})" if likely.why else ""
    yield f"  state     {_state(session) if likely.state != 'ended' else 'ended'}{why}"
    yield f"  began     {teller.moment(run.origin.at)}{'' if run.started else ', no start was recorded'}"
    if run.earlier:
        yield f"  resumed   {teller.moment(run.first.at)}"
    yield f"  {'ended ' if run.ended else 'newest'}    {teller.moment((run.ended or run.newest).at)}"
    yield f"  lasted    {moments.span(session.lasted_s)}"
    counts = ", ".join(f"{one_line(kind)} ×{count:,}" for kind, count in sorted(run.counts.items()))
    yield f"  events    {run.events:,}: {counts}"
    yield from _around(session)
    yield from journal_render.part(
        "Requests", [journal_render.event_line(teller, request) for request in session.requests]
    )
    yield from journal_render.state_lines(teller, session.state, session.decisions)


def _around(session: Session) -> Iterator[str]:
    run = session.run
    if (boot := session.boot) is not None:
        yield f"  boot      {boot.at.replace('T', ' ')}, {boot.tokens:,} of {boot.budget:,} tokens"
        yield from (f"            {tokens:>6,}  {one_line(source)}" for source, tokens in boot.sections)
    if session.recalled:
        memories = sum(len(row.entries) for row in session.recalled)
        tokens = sum(row.tokens or 0 for row in session.recalled)
        yield f"  recalled  memories: {memories:,}, prompts: {len(session.recalled):,}, tokens: {tokens:,}"
        yield from journal_render.entry_lines(session.recalled)
    if run.parent:
        yield f"  part of   {one_line(run.parent)}"
    if session.children:
        yield f"  children  {one_line(', '.join(session.children))}"
    if session.handoff:
        yield f"  handoff   {one_line(session.handoff)}"
    if run.earlier:
        without = f", {run.unended} of them without an end" if run.unended else ""
        yield f"  earlier   {run.earlier} with the same id{without}"


def _text(run: Any) -> str | None:
    body = (run.started.body if run.started else None) or {}
    text = body.get("text")
    return f"{text}{origin.ending(run.started.src)}" if isinstance(text, str) else None


def _whole(seconds: float | None) -> int | None:
    return None if seconds is None else int(seconds)
