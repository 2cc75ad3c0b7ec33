"""The verbs agentws handoff, and handoff list, show and ack."""

from __future__ import annotations

import sys
from functools import partial

from agentws.core.terminal import invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.moments import Teller
from agentws.core.terminal.options import DRY_RUN, VIA, Verb, flag, number, optional, text, texts
from agentws.errors import UsageError
from agentws.features.handoff import render


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

    It stays open, and boot shows it first, until it is acknowledged or a later handoff replaces it. Without options,
    $VISUAL or $EDITOR opens on a terminal.
    """
    workspace = run.workspace()
    write = partial(
        workspace.handoff,
        doing=doing,
        decided=decided or (),
        pending=pending or (),
        next_step=next_step,
        failed=failed or (),
        auto=auto,
        max_tokens=max_tokens,
        session=session,
        via=via,
        dry_run=dry_run,
    )
    is_given = any((doing, decided, pending, next_step, failed, auto))
    if stdin:
        said = invocation.argument("-")
        if not said.strip() and not is_given:
            raise UsageError(
                "Nothing to hand over: standard input is empty.",
                hint="Pipe the note in: agentws handoff --stdin <note.md, or derive it: agentws handoff --auto",
            )
        done = write(text=said)
    elif is_given or not (sys.stdin and sys.stdin.isatty()):
        done = write()
    else:
        from agentws.core.terminal import editor

        text = editor.edited(workspace)
        with editor.kept_if_it_fails(workspace, text):
            done = write(text=text)
    run.done("handoff", render.written_fields(done), render.written_lines(done), done.notices)


def list_handoffs(run: Run, *, all: bool) -> None:
    """List open handoffs, also those recovered from sessions without one."""
    workspace = run.workspace()
    found = workspace.handoffs(all=all)
    lines = render.list_lines(Teller.at_terminal(workspace), found)
    run.done("handoff-list", render.list_fields(found), lines, found.notices, look=output.ROWS)


def show(run: Run, *, name: str | None, accept: bool) -> None:
    """Show a handoff."""
    workspace = run.workspace()
    found = workspace.accept_handoff(name) if accept else workspace.show_handoff(name)
    lines = render.show_lines(Teller((), workspace.clock.now().tzinfo), found)
    run.done("handoff-show", render.show_fields(found), lines, found.notices, look=output.MARKDOWN)


def ack(run: Run, *, name: str | None, dry_run: bool) -> None:
    """Close a handoff whose work you have picked up. A recovered one is saved then."""
    done = run.workspace().ack_handoff(name, dry_run=dry_run)
    run.done("handoff-ack", render.closed_fields(done), render.closed_lines(done), done.notices)


_NAME = optional("name", "[NAME]", "Handoff: file or session id, or a unique part of it. Default: newest open handoff.")
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
