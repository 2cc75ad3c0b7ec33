"""agentws migrate."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agentws.core.terminal import dialog, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import YES, Verb, flag, optional, text
from agentws.core.text import sizes
from agentws.core.text.sanitize import one_line
from agentws.errors import NeedsYouError, UsageError
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
        _report(run, workspace.copies.abort_migration(to, sure=yes))
        return
    if to is None:
        raise UsageError("Missing DEST.", hint="agentws migrate user@host:path, or a folder here")
    if dry_run or not yes:
        planned = _working(run, lambda progress: workspace.copies.migrate(to, via=via, dry_run=True, progress=progress))
        if not _goes_on(run, planned, dry_run=dry_run):
            return
    _report(run, _working(run, lambda progress: workspace.copies.migrate(to, via=via, progress=progress)))


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
    _report(run, _working(run, taken))


def _goes_on(run: Run, planned: Migrated, *, dry_run: bool) -> bool:
    """Show the plan and return whether to go on; NeedsYouError if nobody confirms."""
    if not dry_run and _agrees(run, planned):
        return True
    _report(run, planned)
    if not dry_run:
        raise NeedsYouError("Not confirmed, nothing moved.", hint="Re-run with --yes.")
    return False


def _report(run: Run, done: Migrated) -> None:
    run.result("migrate", done, _MIGRATED, migrated_lines(done))


def _agrees(run: Run, planned: Migrated) -> bool:
    if not dialog.is_terminal(run):
        return False
    output.lines(migrated_lines(planned))
    return dialog.confirm("Move the agent?")


def _working(run: Run, act: Callable[[Callable[[int, int], None] | None], Migrated]) -> Migrated:
    try:
        with dialog.progress_bar(run, "sending") as report:
            return act(report)
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
            text("--from", "URL", "Take the agent from that repository to DEST.", to="source"),
            text("--code", "CODE", "With --from: accept only an agent with this code."),
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


_MOST_SHOWN = 5
_MIGRATED = """
    to via state migration path host files bytes sent_files sent_bytes resumes aside booted vouched through left
    stripped runs signer code notices
"""


def migrated_lines(done: Migrated) -> Iterator[str]:
    """Yield the lines about a migration, or about a dry run."""
    yield from _WORDS[done.state](done)


def _planned(done: Migrated) -> Iterator[str]:
    if done.through:
        yield f"Would take the agent from {one_line(done.through)} to {one_line(done.to)}"
        yield f"  holds     {done.files:,} files, {sizes.readable(done.bytes)}, from {one_line(done.host)}"
        yield from _sender(done)
        yield from _left(done)
        yield "  compare   the code with the one shown at the source"
        yield "  then      this machine holds the agent, and the repository no longer does"
        return
    yield f"{'Resumes the move' if done.resumes else 'Would move the agent'} to {one_line(done.to)}"
    if done.via != "git":
        yield from _where(done)
    yield f"  holds     {done.files:,} files, {sizes.readable(done.bytes)}"
    yield f"  to send   {done.sent_files:,} files, {sizes.readable(done.sent_bytes)}"
    yield from _left(done)
    if done.via == "git":
        yield f"  as        refs/agentws/migration/{done.migration or '<id>'} of that repository, until taken"
        yield "  carries   everything, including journal, checkpoints and .git."
        yield "            Everyone who can read that repository can read the agent until then"
    yield "  then      the new copy is verified; this copy stays, read-only"


def _moved(done: Migrated) -> Iterator[str]:
    yield f"The agent is now at {one_line(done.to)}."
    yield from _where(done)
    yield f"  {_compared(done)} {done.files:,} files, {sizes.readable(done.bytes)}, verified there"
    yield from _sender(done)
    yield f"  sent now  {done.sent_files:,} files, {sizes.readable(done.sent_bytes)}"
    if done.booted:
        yield "  booted    there once, as a check: it works"
    elif done.booted is None:
        yield "  booted    not yet. Install agentws there, then run: agentws boot"
    if done.vouched:
        yield "  vouched   this installation vouched for the new one, which may write"
    if done.aside:
        yield f"  set aside the older copy there is now {one_line(done.aside)}"
    yield from _left(done)
    yield "This copy stays, read-only."


def _waiting(done: Migrated) -> Iterator[str]:
    yield f"The agent waits at {one_line(done.to)}. No copy may write until a machine takes the agent from there."
    yield f"  {_compared(done)} {done.files:,} files, {sizes.readable(done.bytes)}, verified by fetching back"
    yield from _sender(done)
    url = f"{done.to}#" if "#" in done.to else done.to  # else its own would be taken for that of an id
    more = f" --code {done.code}" if done.code else ""
    more += "" if done.signer or not done.code else " --unsigned"
    yield f"  take it   at the new place: agentws migrate DIR --from {one_line(url)}{more}"
    yield "  or        agentws migrate --abort, until the agent is taken"
    yield from _left(done)
    yield "This copy stays, read-only."


def _arrived(done: Migrated) -> Iterator[str]:
    yield f"The agent is now at {one_line(done.to)}."
    yield f"  {_compared(done)} {done.files:,} files, {sizes.readable(done.bytes)}, from {one_line(done.host)}"
    yield from _sender(done)
    yield from _left(done)
    if done.booted:
        yield "  booted    here once, as a check: it works"
    if done.aside:
        yield f"  set aside the older copy here is now {one_line(done.aside)}"


def _already(done: Migrated) -> Iterator[str]:
    if done.via == "git" and not done.through:  # it only waited there
        yield f"The agent no longer waits at {one_line(done.to)}. Nothing was changed."
        return
    yield f"The agent is already at {one_line(done.to)}. Nothing was changed."


def _aborted(done: Migrated) -> Iterator[str]:
    yield f"The move to {one_line(done.to)} was cancelled. The agent continues here."


def _where(done: Migrated) -> Iterator[str]:
    on = f", on {one_line(done.host)}" if done.host and done.via != "copy" else ""
    yield f"  place     {one_line(done.path)}{on}"


def _compared(done: Migrated) -> str:
    """Return the word for the check of the files: `verified` only if they are signed and unchanged."""
    return "verified " if done.signer and not _is_changed(done) else "compared "


def _is_changed(done: Migrated) -> bool:
    return bool(done.through and done.stripped)


def _sender(done: Migrated) -> Iterator[str]:
    if done.code:
        yield f"  signed    {f'by {done.signer}' if done.signer else 'no'}"
        yield f"  code      {done.code}"


def _left(done: Migrated) -> Iterator[str]:
    yield from _some("stays    ", [f"{path}: not a file, folder or link: cannot be sent" for path in done.left])
    yield from _some("not sent " if not done.through else "left out ", done.stripped)
    yield from _some("could run", done.runs)


def _some(what: str, lines: Sequence[str]) -> Iterator[str]:
    for each in lines[:_MOST_SHOWN]:
        yield f"  {what} {one_line(each)}"
    if len(lines) > _MOST_SHOWN:
        yield f"  {what} … and {len(lines) - _MOST_SHOWN:,} more"


_WORDS = {
    "planned": _planned,
    "moved": _moved,
    "waiting": _waiting,
    "arrived": _arrived,
    "already": _already,
    "aborted": _aborted,
}
