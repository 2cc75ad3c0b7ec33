"""The verbs agentws handoff, and handoff list, show and ack."""

from __future__ import annotations

import sys
from functools import partial

from agentws.core.formats.documents import handoff as handoff_file
from agentws.core.terminal import invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.moments import Teller
from agentws.core.terminal.options import AGAIN, DRY_RUN, VIA, Verb, flag, number, optional, text, texts
from agentws.core.text import names
from agentws.core.text.sanitize import one_line
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.handoff.close import Closed
    from agentws.features.handoff.listing import HandoffList, HandoffRow, ShownHandoff
    from agentws.features.handoff.write import Written


def handoff(
    run: Run,
    *,
    doing: list[str] | None,
    decided: list[str] | None,
    pending: list[str] | None,
    next_step: list[str] | None,
    failed: list[str] | None,
    stdin: bool,
    auto: bool,
    max_tokens: int | None,
    session: str | None,
    via: str | None,
    dry_run: bool,
) -> None:
    """Write a note for the next session: work, decisions, open items, next steps.

    Boot shows it first until it is acknowledged or replaced. Without options, an editor opens on a terminal.
    """
    workspace = run.workspace()
    write = partial(
        workspace.handoff,
        doing=doing,
        decided=decided or (),
        pending=pending or (),
        next=next_step,
        failed=failed or (),
        auto=auto,
        max_tokens=max_tokens,
        session=session,
        via=via,
        dry_run=dry_run,
    )
    is_given = any((doing, decided, pending, next_step, failed, auto))
    if stdin:
        argument = invocation.argument("-")
        if not argument.strip() and not is_given:
            raise UsageError(
                "Nothing to hand over: standard input is empty.",
                hint="Pipe the note in: agentws handoff --stdin <note.md, or derive it: agentws handoff --auto",
            )
        done = write(text=argument)
    elif is_given or not (sys.stdin and sys.stdin.isatty()):
        done = write()
    else:
        from agentws.core.terminal import editor

        text = editor.edited(workspace)
        with editor.kept_if_it_fails(workspace, text):
            done = write(text=text)
    note = handoff_file.decode(done.text.encode("utf-8", "surrogateescape"), path=done.path)
    sections = _sections(handoff_file.sections(note.body))
    run.result("handoff", done, _WRITTEN, written_lines(done), at=note.at, sections=sections)


def list_handoffs(run: Run, *, all: bool) -> None:
    """List open handoffs, also those recovered from sessions without one. Exits 3 if a file cannot be read."""
    workspace = run.workspace()
    result = workspace.handoff.list(all=all)
    lines = list_lines(Teller.at_terminal(workspace), result)
    run.result("handoff-list", result, f"handoffs=rows[{_ROW}] notices", lines, look=output.ROWS)
    invocation.check_read(result.unread)


def show(run: Run, *, name: str | None, accept: bool) -> None:
    """Show a handoff."""
    workspace = run.workspace()
    result = workspace.handoff.accept(name) if accept else workspace.handoff.show(name)
    lines = show_lines(Teller((), workspace.stores.clock.now().tzinfo), result)
    names, sections = f"*row[{_ROW}] sections text=body notices", _sections(result.sections)
    run.result("handoff-show", result, names, lines, look=output.MARKDOWN, sections=sections)


def ack(run: Run, *, name: str | None, dry_run: bool) -> None:
    """Close a handoff whose work you have picked up. A recovered one is saved then."""
    done = run.workspace().handoff.ack(name, dry_run=dry_run)
    run.result("handoff-ack", done, "name path session? origin already dry_run notices", closed_lines(done))


_NAME = optional("name", "[NAME]", "Handoff: file or session id, or a unique part of it. Default: newest open handoff.")
_ROW = "name path? session? at? origin src? status follows why?"
_WRITTEN = "path session? at follows sections left_out dry_run notices"
VERBS = (
    Verb(
        "handoff",
        handoff,
        (
            texts("--doing", "TEXT", "Work in progress; repeatable."),
            texts("--decided", "TEXT", "A decision; repeatable."),
            texts("--pending", "TEXT", "Open items; repeatable."),
            texts("--next", "TEXT", "Next steps; repeatable.", to="next_step"),
            texts("--failed", "TEXT", "Failed attempts; repeatable."),
            flag("--stdin", "Read standard input: Markdown, or a JSON object with the same keys."),
            flag("--auto", "Add what was recorded since the last handoff."),
            number("--max-tokens", "N", "Maximum tokens; the least important lines are left out."),
            text("--session", "ID", "Session of the handoff. Default: $AGENTWS_SESSION.", completes="session"),
            VIA,
            DRY_RUN,
            AGAIN,
        ),
        'agentws handoff --doing "Moving the address book" --next "Ask Sam which Anna is which"',
        'agentws handoff --auto --decided "SQLite, one file"',
        "agentws handoff --stdin < note.md",
    ),
    Verb(
        "handoff list",
        list_handoffs,
        (flag("--all", "Include closed handoffs."),),
        "agentws handoff list",
        "agentws handoff list --all --json",
    ),
    Verb(
        "handoff show",
        show,
        (_NAME, flag("--accept", "Accept a handoff of unknown origin as your own.")),
        "agentws handoff show",
        "agentws handoff show 20261120-0715-3fa9c1",
    ),
    Verb("handoff ack", ack, (_NAME, DRY_RUN), "agentws handoff ack", "agentws handoff ack 2026-11-20-071500-evening"),
)


_WIDEST = 48


def written_lines(written: Written) -> Iterator[str]:
    """Yield the path of the handoff and what it follows; after a dry run also its text."""
    if written.dry_run:
        yield f"Would write {output.place(written.path)}:"
        yield from written.text.rstrip("\n").split("\n")
        return
    yield output.place(written.path)
    if written.follows:
        yield f"Replaces {names.some(written.follows)}"


def list_lines(teller: Teller, handoff_list: HandoffList) -> Iterator[str]:
    """Return the handoffs, newest first, one a line."""
    if not handoff_list.rows:
        if not handoff_list.unread:
            yield "No open handoff."
        return
    cells = [(row.status, _at(teller, row.at), row.origin, one_line(row.name), _more(row)) for row in handoff_list.rows]
    widths = [min(_WIDEST, max(len(row[column]) for row in cells)) for column in range(4)]
    for row in cells:
        parts = [cell.ljust(width) for cell, width in zip(row[:4], widths, strict=True)]
        yield "  ".join([*parts, row[4]]).rstrip()


def show_lines(teller: Teller, shown_handoff: ShownHandoff) -> Iterator[str]:
    """Yield the header line of a handoff, then its text."""
    row = shown_handoff.row
    of = f" · session {one_line(row.session)}" if row.session else ""
    written = row.path or "recovered from the journal"
    via = f" · via {one_line(row.src)}" if row.src else ""
    yield f"# Handoff · {_at(teller, row.at)}{of} · {row.status}{via} · {written}"
    yield ""
    yield from shown_handoff.body.rstrip("\n").split("\n")


def closed_lines(closed: Closed) -> Iterator[str]:
    """Yield the lines about a closed handoff, with its path."""
    if closed.already:
        yield f"Already closed: {one_line(closed.name)}"
    else:
        kept = (
            f" (saved as {output.place(closed.path)})"
            if closed.origin == handoff_file.DERIVED and closed.name != closed.path
            else ""
        )
        yield f"{'Would close' if closed.dry_run else 'Closed'}: {one_line(closed.name)}{kept}"


def _sections(by_heading: dict[str, str]) -> dict[str, str]:
    """Return the sections by JSON key; other headings stay as they are."""
    keys = {heading: key for key, heading in reversed(handoff_file.KEYS.items())}
    return {keys.get(heading, heading or "text"): text for heading, text in by_heading.items()}


def _more(row: HandoffRow) -> str:
    via = f"via {one_line(row.src)}" if row.src else ""
    return f"recovered: {row.why}" if row.origin == handoff_file.DERIVED and not row.path else via


def _at(teller: Teller, at: str) -> str:
    return teller.moment(at) if at else "time unknown"
