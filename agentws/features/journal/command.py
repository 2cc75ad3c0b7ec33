"""The verbs `agentws journal list|follow|audit|replay|verify|seal|retract|renew`: their options, calls and output."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.moments import Teller
from agentws.core.terminal.options import DRY_RUN, Verb, flag, number, text, texts, words
from agentws.errors import DamagedError, UsageError
from agentws.features.journal import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from agentws.features.journal.renew import Renewed
    from agentws.features.journal.retract import Retracted


def seal(run: Run) -> None:
    """Sign the journal of this installation up to now."""
    done = run.workspace().journal.seal()
    run.result("journal-seal", done, "writer? seq cursor key reason? notices", _sealed_lines(done))


def retract(run: Run, *, events: list[str], reason: str, dry_run: bool) -> None:
    """Record that events do not count; `journal list` marks them."""
    workspace = run.workspace()
    done = workspace.journal.retract(events, reason=reason, dry_run=dry_run)
    lines = _retracted_lines(done, workspace.stores.clock.now())
    run.result("journal-retract", done, "reason dry_run events[cursor kind at already retracted=by?] notices", lines)


def renew(run: Run, *, reason: str) -> None:
    """Continue in a new journal beside a damaged one."""
    done = run.workspace().journal.renew(reason=reason)
    run.result("journal-renew", done, "writer before last_good=seq damage notices", _renewed_lines(done))


def _sealed_lines(done: Any) -> Iterator[str]:
    if done.seq is None:
        yield f"Nothing was sealed: {done.reason}."
    else:
        yield f"Sealed {done.writer}:{done.seq} and all before it ({done.cursor})"


def _retracted_lines(done: Retracted, now: datetime) -> Iterator[str]:
    from agentws.core.disk import clock  # `journal verify` needs none

    for event in done.events:
        what = f"{event.cursor}  {clock.local(event.at, now)}  {event.kind}"
        if event.already:
            yield f"{what}: already retracted by {event.by}."
        else:
            yield f"{what}: would be retracted." if done.dry_run else f"{what}: retracted by {event.by}."
    if done.dry_run:
        yield "Nothing was changed."


def _renewed_lines(done: Renewed) -> Iterator[str]:
    yield f"This installation continues as writer {done.writer}, in a separate journal."
    yield f"The journal of {done.before} is unchanged; its last valid event is {done.before}:{done.seq}."


_LONG_BYTES = 32 << 20
"""A shorter journal is verified without a bar of progress."""
_KEEPING = (
    Verb("journal seal", seal, (), "agentws journal seal"),
    Verb(
        "journal retract",
        retract,
        (
            words("events", "EVENT...", "Events: WRITER:SEQ, as in `journal list`, or ids."),
            text("--reason", "TEXT", "Reason, recorded in the journal.", is_required=True),
            DRY_RUN,
        ),
        'agentws journal retract 0069f1c2a03fa9c1:17 --reason "measured the wrong room" --dry-run',
        'agentws journal retract 17 --reason "measured the wrong room"',
    ),
    Verb(
        "journal renew",
        renew,
        (text("--reason", "TEXT", "Reason, recorded in the journal.", default=""),),
        "agentws journal renew",
        'agentws journal renew --reason "the disk was failing"',
    ),
)


_USUAL = 50
_USUAL_ROWS = 100


def list_events(
    run: Run,
    *,
    after: list[str] | None,
    session: str | None,
    kind: list[str] | None,
    since: str | None,
    task: str | None,
    writer: str | None,
    limit: int | None,
    signed: bool,
) -> None:
    """List events, newest last."""
    workspace = run.workspace()
    result = workspace.journal.list(
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
    if run.as_json:
        render.print_events(result)
    else:
        teller = Teller(result.writers, workspace.stores.clock.now().tzinfo)
        output.lines(render.event_lines(teller, result))
    output.notices([*workspace.notices, *result.notices], quiet=run.quiet)
    if result.left_out:
        output.notices([f"{result.left_out:,} events were left out: not sealed yet."], quiet=run.quiet)
    if signed and result.altered:
        many = "1 event was" if result.altered == 1 else f"{result.altered:,} events were"
        raise DamagedError(f"{many} changed after writing.", hint="See above, and: agentws journal verify")


def follow(
    run: Run,
    *,
    after: list[str] | None,
    session: str | None,
    kind: list[str] | None,
    since: str | None,
    task: str | None,
    writer: str | None,
    limit: int | None,
    signed: bool,
) -> None:
    """Print events as they become durable, until Ctrl-C."""
    workspace = run.workspace()
    result = workspace.journal.follow(
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
    output.notices(workspace.notices, quiet=run.quiet)
    zone = workspace.stores.clock.now().tzinfo
    for event in result:
        if run.as_json:
            output.text(render.followed(result, event))
        else:
            output.lines(render.event_lines(Teller(result.writers, zone), [event]))
        output.notices(result.notices, quiet=run.quiet)
        result.notices.clear()


def audit(
    run: Run, *, since: str | None, session: str | None, task: str | None, limit: int | None, recalled: bool
) -> None:
    """Show who did what, when, and with what result."""
    workspace = run.workspace()
    if recalled:
        _audit_recalled(run, since, session, task, limit)
        return
    result = workspace.journal.audit(
        since=workspace.moment(since) if since else None,
        session=session,
        task=task,
        limit=limit or (None if since else _USUAL_ROWS),
    )
    notices = [*result.notices, *(["Older rows are not shown: use --since or --limit."] if result.more else [])]
    teller = Teller(result.writers, workspace.stores.clock.now().tzinfo)
    fields = render.audit_fields(result) if run.as_json else {}
    run.done("journal-audit", fields, render.audit_lines(teller, result), notices)


def _audit_recalled(run: Run, since: str | None, session: str | None, task: str | None, limit: int | None) -> None:

    if task is not None:
        raise UsageError("--recalled and --task cannot be used together.", hint="Use --session or --since.")
    workspace = run.workspace()
    result = workspace.plumbing.recalled(
        since=workspace.moment(since) if since else None,
        session=session,
        limit=limit or (None if since else _USUAL_ROWS),
    )
    notices = [*result.notices, *(["Older rows are not shown: use --since or --limit."] if result.more else [])]
    teller = Teller(result.writers, workspace.stores.clock.now().tzinfo)
    is_on = bool(workspace.stores.manifest.setting("recall.prompt"))
    lines = render.recalled_lines(teller, result, is_on=is_on)
    run.result("journal-recalled", result, f"recalled=rows[{render.RECALLED}] more notices", lines, notices=notices)


def replay(run: Run, *, until: str | None, session: str | None) -> None:
    """Show the state at any event: plan, actions in flight, decisions, tasks, sessions.

    Nothing is executed or changed.
    """
    workspace = run.workspace()
    result = workspace.journal.replay(until=until, session=session)
    teller = Teller(result.writers, workspace.stores.clock.now().tzinfo)
    shown = render.state_fields(result.state)
    handoffs = render.masked([handoff.plain() for handoff in result.state.handoffs])
    lines = render.replay_lines(teller, result)
    run.result("journal-replay", result, render.REPLAYED, lines, shown=shown, handoffs=handoffs)


def verify(run: Run) -> None:
    """Verify every event: chain, digest, blob, seal. Exits 14 and names the line if one fails."""
    from agentws.core.terminal import dialog  # `journal list` needs none

    workspace = run.workspace()
    with dialog.progress_bar(run, "verifying", least=_LONG_BYTES) as progress:
        result = workspace.journal.verify(progress=progress)
    run.result("journal-verify", result, render.VERIFIED, render.verify_lines(result), notices=workspace.notices)
    if not result.sound:
        from agentws.core.journal.sealing import order_check, verify  # seldom

        count = len(result.findings)
        is_older = all(finding.what.endswith(verify.OLDER) for finding in result.findings)
        hint = "See above. Restore these files from a backup."
        if is_older:
            hint = "Restore the newer journal/, or fetch it: agentws sync. If it is lost: "
            hint += (
                "agentws journal renew" if workspace.stores.installation() else "the next event begins a new journal."
            )
        elif any(finding.what in (order_check.NOT_OURS, order_check.NOT_GIVEN) for finding in result.findings):
            hint += " If this machine was restored from a snapshot, begin a new journal: agentws journal renew"
        verb = "lacks events" if is_older else "was altered"
        raise DamagedError(f"The journal {verb}: {count:,} finding{'s' if count > 1 else ''}.", hint=hint)


_AFTER = texts("--after", "WRITER:SEQ", "Start after this cursor; one per writer, repeatable or comma-separated.")
_SESSION = text("--session", "ID", "Events of this session.", completes="session")
_KIND = texts("--kind", "KIND", "Events of this kind (task.* for a family); repeatable.", completes="event-kind")
_SINCE = text("--since", "TIME", "Since 2026-11-20T07:15, yesterday, 3d, 2h.")
_TASK = text("--task", "SLUG", "Events of this task.", completes="task")
_WRITER = text("--writer", "ID", "Events of this writer (id or its end).")
VERBS = (
    Verb(
        "journal list",
        list_events,
        (
            _AFTER,
            _SESSION,
            _KIND,
            _SINCE,
            _TASK,
            _WRITER,
            number(
                "--limit",
                "N",
                "The newest N; with --after the first N. Default: 50.",
                least=1,
            ),
            flag("--signed", "Only sealed events."),
        ),
        "agentws journal list",
        "agentws journal list --kind action --kind 'task.*' --since yesterday",
        "agentws journal list --after a1b2c3:17 --limit 100 --json",
        "agentws journal list --signed       only sealed events",
    ),
    Verb(
        "journal follow",
        follow,
        (
            _AFTER,
            _SESSION,
            _KIND,
            _SINCE,
            _TASK,
            _WRITER,
            number("--limit", "N", "Stop after N events.", least=1),
            flag("--signed", "Show each event only after it is sealed."),
        ),
        "agentws journal follow",
        "agentws journal follow --json --after a1b2c3:17      resume there",
        "agentws journal follow --kind error --limit 1        wait for the next error",
    ),
    Verb(
        "journal audit",
        audit,
        (
            _SINCE,
            _SESSION,
            _TASK,
            number("--limit", "N", "The newest N rows. Default: 100; all with --since.", least=1),
            flag("--recalled", "Show the memories added to prompts instead."),
        ),
        "agentws journal audit",
        "agentws journal audit --since 2026-11-20 --session nightly",
        "agentws journal audit --limit 20 --json",
        "agentws journal audit --recalled     what reached the agent",
    ),
    Verb(
        "journal replay",
        replay,
        (text("--until", "WRITER:SEQ|ID|TIME", "Last event or time to include. Default: all."), _SESSION),
        "agentws journal replay",
        "agentws journal replay --until a1b2c3:17",
        "agentws journal replay --until 2026-11-20T07:15 --session nightly --json",
    ),
    Verb("journal verify", verify, (), "agentws journal verify", "agentws journal verify --json"),
    *_KEEPING,
)
