"""agentws migrate."""

from __future__ import annotations

import os

from agentws.core.terminal import asking, output, progress
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import YES, Verb, flag, optional, text
from agentws.errors import NeedsYouError, UsageError
from agentws.features.copies.migrate import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from agentws.features.copies.migrate.arrival import Migrated


def migrate(
    run: Run,
    *,
    to: str | None,
    via: str | None,
    source: str | None,
    code: str | None,
    unsigned: bool,
    abort: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Move the agent to another place. The copy here stays, read-only, and names that place."""
    if source is not None:
        if to is None or abort or via not in (None, "git"):
            raise UsageError("--from needs a folder as DEST.", hint=f"agentws migrate robin --from {source}")
        _take(run, to, source, code=code or "", unsigned=unsigned, yes=yes, dry_run=dry_run)
        return
    if code is not None or unsigned:
        raise UsageError("--code and --unsigned need --from.", hint="agentws migrate robin --from URL --code CODE")
    workspace = run.workspace()
    if abort:
        _told(run, workspace.abort_migration(to, sure=yes))
        return
    if to is None:
        raise UsageError("Missing DEST.", hint="agentws migrate user@host:path, or a folder here")
    if dry_run or not yes:
        planned = _working(run, lambda progress: workspace.migrate(to, via=via, dry_run=True, progress=progress))
        if not _goes_on(run, planned, dry_run=dry_run):
            return
    _told(run, _working(run, lambda progress: workspace.migrate(to, via=via, progress=progress)))


def _take(run: Run, to: str, source: str, *, code: str, unsigned: bool, yes: bool, dry_run: bool) -> None:
    from agentws.workspace import take  # with all that it needs: no other verb pays for it

    place = os.path.join(run.directory or ".", os.path.expanduser(to))
    environment = run.environment()

    def taken(progress: Any, *, dry_run: bool = False) -> Migrated:
        words = {"code": code, "unsigned": unsigned, "dry_run": dry_run, "progress": progress}
        return take(place, source, environment=environment, **words)

    if dry_run or not yes:
        planned = _working(run, lambda progress: taken(progress, dry_run=True))
        if planned.state != "already" and not _goes_on(run, planned, dry_run=dry_run):
            return
    _told(run, _working(run, taken))


def _goes_on(run: Run, planned: Migrated, *, dry_run: bool) -> bool:
    """Show the plan and return whether to go on; NeedsYouError if nobody confirms."""
    if not dry_run and _agrees(run, planned):
        return True
    _told(run, planned)
    if not dry_run:
        raise NeedsYouError("Not confirmed, nothing moved.", hint="Re-run with --yes.")
    return False


def _told(run: Run, done: Migrated) -> None:
    run.done("migrate", render.fields(done), render.lines(done), done.notices)


def _agrees(run: Run, planned: Migrated) -> bool:
    if not asking.is_terminal(run):
        return False
    output.lines(render.lines(planned))
    return asking.confirm("Move the agent?")


def _working(run: Run, act: Callable[[Callable[[int, int], None] | None], Migrated]) -> Migrated:
    try:
        with progress.bar(run, "sending") as told:
            return act(told)
    except KeyboardInterrupt:
        hint = "Interrupted. Re-run the command to resume, or cancel: agentws migrate --abort"
        output.notices([hint], quiet=run.quiet)
        raise


VERBS = (
    Verb(
        "migrate",
        migrate,
        (
            optional("to", "DEST", "user@host:path (ssh and rsync), a folder here, or a git repository (--via git)."),
            text("--via", "WAY", "rsync, copy or git. Default: from DEST."),
            text("--from", "URL", "Take the agent from that repository to the folder DEST.", to="source"),
            text("--code", "CODE", "With --from: take the agent only if its code is this one."),
            flag("--unsigned", "With --from: accept a copy without a signature."),
            flag("--abort", "Cancel a running migration."),
            YES,
            flag("--dry-run", "Show what would be sent, without sending."),
        ),
        "agentws migrate sam@vps:agents/robin --dry-run       what would be sent, and where to",
        "agentws migrate sam@vps:agents/robin                 re-run it to resume",
        "agentws migrate /mnt/stick/robin --yes               to a folder of this machine",
        "agentws migrate ssh://git@host/robin.git --via git   through a shared repository; then, over there:",
        "agentws migrate robin --from ssh://git@host/robin.git --code 7Q2M-X4DK",
        "agentws migrate --abort                              cancel: the agent stays here",
    ),
)
