"""agentws journal list|follow|audit|replay|verify."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import output, typer_glue
from agentws.cli.render import journal
from agentws.errors import DamagedError

LIST_EXAMPLES = typer_glue.examples(
    "agentws journal list",
    "agentws journal list --kind action --kind 'task.*' --since yesterday",
    "agentws journal list --after a1b2c3:17 --limit 100 --json",
    "agentws journal list --signed       only what a seal proves",
)
FOLLOW_EXAMPLES = typer_glue.examples(
    "agentws journal follow",
    "agentws journal follow --json --after a1b2c3:17      go on where you were",
    "agentws journal follow --kind error --limit 1        wait for the next error",
)
AUDIT_EXAMPLES = typer_glue.examples(
    "agentws journal audit",
    "agentws journal audit --since 2026-11-20 --session nightly",
    "agentws journal audit --limit 20 --json",
)
REPLAY_EXAMPLES = typer_glue.examples(
    "agentws journal replay",
    "agentws journal replay --until a1b2c3:17",
    "agentws journal replay --until 2026-11-20T07:15 --session nightly --json",
)
VERIFY_EXAMPLES = typer_glue.examples("agentws journal verify", "agentws journal verify --json")

_USUAL = 50
_USUAL_ROWS = 100

After = Annotated[
    list[str] | None,
    typer.Option(
        "--after",
        metavar="WRITER:SEQ",
        help="Go on behind this cursor; given once for each writer, or several with commas.",
    ),
]
Session = Annotated[str | None, typer.Option("--session", metavar="ID", help="Events of this session.")]
Kind = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="KIND", help="Events of this kind (task.* for a family); may be given again."),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="Not earlier than 2026-11-20T07:15, yesterday, 3d, 2h.")
]
Task = Annotated[str | None, typer.Option("--task", metavar="SLUG", help="Events of this task.")]
Writer = Annotated[
    str | None, typer.Option("--writer", metavar="ID", help="Events of this writer; the end of its id will do.")
]


def list_events(
    context: typer.Context,
    after: After = None,
    session: Session = None,
    kind: Kind = None,
    since: Since = None,
    task: Task = None,
    writer: Writer = None,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="The newest N; with --after the first N behind it. 50 without --after and --since."
        ),
    ] = None,
    signed: Annotated[bool, typer.Option("--signed", help="Only events that are proved by a seal.")] = False,
) -> None:
    """List events, the newest last."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    found = workspace.events(
        after=after,
        session=session,
        kinds=kind or (),
        since=workspace.moment(since) if since else None,
        task=task,
        writer=writer,
        limit=limit or (None if after or since else _USUAL),
        signed=signed,
        whole=True,
    )
    if asked.as_json:
        journal.print_events("journal-list", found)
    else:
        teller = journal.Teller(found.writers, workspace.clock.now().tzinfo)
        output.lines(journal.event_lines(teller, found))
    output.notices([*workspace.notices, *found.notices], quiet=asked.quiet)
    if found.left_out:
        output.notices([f"{found.left_out:,} events were left out: no seal proves them yet."], quiet=asked.quiet)
    if signed and found.altered:
        many = "1 event is" if found.altered == 1 else f"{found.altered:,} events are"
        raise DamagedError(f"{many} not what was written.", hint="Each is named above. See: agentws journal verify")


def follow(
    context: typer.Context,
    after: After = None,
    session: Session = None,
    kind: Kind = None,
    since: Since = None,
    task: Task = None,
    writer: Writer = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="End after N events.")] = None,
    signed: Annotated[bool, typer.Option("--signed", help="Each event only once a seal proves it.")] = False,
) -> None:
    """Print events as they become durable, until Ctrl-C. With --json a line of JSON for each."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    found = workspace.follow(
        after=after,
        session=session,
        kinds=kind or (),
        since=workspace.moment(since) if since else None,
        task=task,
        writer=writer,
        limit=limit,
        signed=signed,
        whole=True,
    )
    output.notices(workspace.notices, quiet=asked.quiet)
    zone = workspace.clock.now().tzinfo
    for event in found:
        if asked.as_json:
            output.text(journal.followed("journal-follow", found, event))
        else:
            output.lines(journal.event_lines(journal.Teller(found.writers, zone), [event]))
        output.notices(found.notices, quiet=asked.quiet)
        found.notices.clear()


def audit(
    context: typer.Context,
    since: Since = None,
    session: Session = None,
    task: Task = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The newest N things; 100 without --since.")
    ] = None,
) -> None:
    """Show who did what, when, and with what result."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    found = workspace.audit(
        since=workspace.moment(since) if since else None,
        session=session,
        task=task,
        limit=limit or (None if since else _USUAL_ROWS),
    )
    notices = [*found.notices, *(["There are older ones: see --since and --limit."] if found.more else [])]
    teller = journal.Teller(found.writers, workspace.clock.now().tzinfo)
    fields = journal.audit_fields(found) if asked.as_json else {}
    asked.done("journal-audit", fields, journal.audit_lines(teller, found), notices)


def replay(
    context: typer.Context,
    until: Annotated[
        str | None,
        typer.Option(metavar="WRITER:SEQ|ID|TIME", help="The last event that counts, or a time; else all of them."),
    ] = None,
    session: Session = None,
) -> None:
    """Show the state that the journal leads to at any event: plan, what is in flight, decisions, tasks, sessions.

    Nothing is done again, and nothing is changed.
    """
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    found = workspace.replay_journal(until=until, session=session)
    teller = journal.Teller(found.writers, workspace.clock.now().tzinfo)
    fields = journal.replay_fields(found) if asked.as_json else {}
    asked.done("journal-replay", fields, journal.replay_lines(teller, found), found.notices)


def verify(context: typer.Context) -> None:
    """Verify every event: its chain, digest, blob and seal. Exits 14 where something is wrong, naming the line."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    with journal.progress(quiet=asked.quiet) as progress:
        found = workspace.verify_journal(progress=progress)
    fields, lines = journal.verify_fields(found), journal.verify_lines(found)
    asked.done("journal-verify", fields, lines, workspace.notices)
    if not found.sound:
        count = len(found.findings)
        raise DamagedError(
            f"The journal is not what was written: {count:,} finding{'s' if count > 1 else ''}.",
            hint="Each is named above; nothing was changed. Restore these files from a copy.",
        )
