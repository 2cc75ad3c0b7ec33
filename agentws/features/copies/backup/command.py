"""agentws backup create|list|verify|restore|drill|remove|detach."""

from __future__ import annotations

import os

from agentws.core.disk import clock
from agentws.core.formats.travel import destination
from agentws.core.terminal import dialog, invocation
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, YES, Verb, flag, optional, text, word
from agentws.core.text import sh
from agentws.core.text.names import many, some
from agentws.core.text.sanitize import one_line
from agentws.errors import DamagedError, MissingFileError, NeedsYouError, OutsideProgramError, UsageError
from agentws.features.copies.backup import command_drill
from agentws.features.copies.backup.checks import FAILING_DISK
from agentws.features.copies.backup.command_drill import inner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from agentws.features.copies.backup.create import Created
    from agentws.features.copies.backup.destinations import Listed
    from agentws.features.copies.backup.remove import Removed
    from agentws.features.copies.backup.restore import Restored
    from agentws.features.copies.backup.verify import Verified


def create(run: Run, *, to: str | None, keep: str | None, hooks: bool | None, full: bool, dry_run: bool) -> None:
    """Copy the changed files of the workspace to a folder on another disk, or to a git repository."""
    dialog.terminate_cleanly()
    workspace = run.workspace()
    place = _absolute(to)
    with dialog.progress_bar(run, "copying") as report:
        done = workspace.copies.create(place, rule=keep, hooks=hooks, full=full, dry_run=dry_run, progress=report)
    notices = dict.fromkeys(notice for item in done for notice in item.notices)
    run.result("backup-create", done, f"backups=.[{_CREATED}]", created_lines(done), notices=notices)
    failed = [item for item in done if item.failed]
    if failed:
        raise NeedsYouError(f"{len(failed)} of {len(done)} destinations failed (see above).", hint=failed[0].hint)
    if missing := sum(item.missing for item in done):
        raise NeedsYouError(
            f"The backup before holds {missing:,} event{'s' * (missing != 1)} missing here.",
            hint="An older state was restored, or another copy writes too. To compare: "
            f"agentws backup drill --at {next(item.previous for item in done if item.missing)}",
        )
    if any(item.damage for item in done):
        raise DamagedError(
            "The journal was damaged before it was copied (see above).",
            hint="To locate the damage: agentws journal verify. Older backups were kept.",
        )


def list_(run: Run, *, to: str | None) -> None:
    """List the backups: times and changes."""
    from agentws.workspace import list_backups

    run.check_main_audience()
    places = _places(run, to, may_be_none=to is None)
    if not places:
        run.done("backup-list", {"backups": []}, ["No backup yet. Create one: agentws backup create FOLDER"], ())
        return
    rows, unread = [], []
    for place in places:
        try:
            listed = list_backups(place)
            if to is None and not listed:
                raise MissingFileError(f"{place}: contains no backups.", hint="Is the disk mounted?")
            rows += listed
        except (MissingFileError, OutsideProgramError, UsageError) as error:
            if len(places) == 1:
                raise
            unread.append(f"{error.message} {error.hint or ''}".rstrip())
    run.result("backup-list", rows, f"backups=.[{_LISTED}]", listed_lines(rows), notices=unread)


def verify(run: Run, *, to: str | None, at: str | None) -> None:
    """Read every file of a backup, and verify the journal in it."""
    from agentws.workspace import verify_backup

    run.check_main_audience()
    dialog.terminate_cleanly()
    with dialog.progress_bar(run, "reading") as report:
        done = verify_backup(_places(run, to)[0], at=at, progress=report)
    run.result("backup-verify", done, _VERIFIED, verified_lines(done), notices=())
    if not done.well:
        raise DamagedError(
            "This backup is damaged (see above).",
            hint=FAILING_DISK
            if done.is_unread
            else "Make one that shares no file with it: agentws backup create --full",
        )


def restore(run: Run, *, to: str, target: str, at: str | None, dry_run: bool) -> None:
    """Put a backup into a new folder. A living workspace is never overwritten."""
    from agentws.workspace import restore_backup

    run.check_main_audience()
    dialog.terminate_cleanly()
    place = os.path.join(run.directory or ".", os.path.expanduser(target))
    with dialog.progress_bar(run, "restoring") as report:
        done = restore_backup(
            _absolute(to) or to, place, at=at, dry_run=dry_run, progress=report, environment=run.environment()
        )
    moment = clock.SystemClock(clock.local_zone_name(run.environment().timezone)).now()
    run.result("backup-restore", done, _RESTORED, restored_lines(done, moment), notices=done.stripped)
    if done.spoiled:
        raise DamagedError(
            "Files of this backup are damaged (see above).", hint="Compare them with another one: agentws backup list"
        )


def remove(run: Run, *, to: str, name: str, yes: bool, dry_run: bool) -> None:
    """Remove one backup, also one that `--keep` keeps because it alone holds events."""
    from agentws.workspace import remove_backup

    run.check_main_audience()
    done = remove_backup(_absolute(to) or to, name, agreed=yes, dry_run=dry_run)
    run.result("backup-remove", done, "place name events dry_run", removed_lines(done), notices=())


def detach(run: Run, *, to: str) -> None:
    """Stop copying to a destination. Its backups stay there."""
    workspace = run.workspace()
    done = workspace.copies.detach(_absolute(to) or to)
    run.done("backup-detach", {"to": done.to}, [f"Backups no longer go to {done.to}. Its backups stay."], ())


def _places(run: Run, to: str | None, *, may_be_none: bool = False) -> list[str]:
    """Return the folder that is named, else those that this workspace is copied to."""
    if to is not None:
        return [_absolute(to) or to]
    known = [result.to for result in run.workspace().copies.list()]
    if not known and not may_be_none:
        raise MissingFileError("No backup destination is known.", hint="Name the folder: agentws backup list FOLDER")
    return known


def _absolute(to: str | None) -> str | None:
    """A destination as it is meant from here; one that is not a folder is said on as it is, with all that it names."""
    parsed = destination.parse(to, invocation.path_meant) if to is not None else None
    return to if parsed is None or parsed.kind != destination.FOLDER else parsed.text


_AT = text("--at", "BACKUP", "Backup to use, by name or number. Default: the newest.")
_CREATED = """
    to name path at files bytes events copied_files copied_bytes added changed removed keep missing dry_run previous?
    expired damage stripped failed?
"""
_LISTED = "name place at agent host files bytes events added changed removed damage wrong?"
_VERIFIED = "well name place files bytes events findings[path what] original"
_RESTORED = """
    path name place agent at host files bytes events dry_run stripped damage spoiled
"""
VERBS = (
    Verb(
        "backup create",
        create,
        (
            optional(
                "to",
                "[DEST]",
                "Folder, git repository or restic:REPOSITORY. Default: all that were used before.",
            ),
            text(
                "--keep",
                "RULE",
                "Backups to keep there: `all`, a number, or '7 14d 8w 12m' (the newest 7, one a day for 14 days, …). "
                "Default: the rule used before, else that one.",
            ),
            flag(
                "--hooks/--no-hooks",
                "Whether hooks make a backup there when a session ends. Default: unchanged; for a new destination, "
                "in folders only.",
                default=None,
            ),
            flag("--full", "Copy every file again, and share none with older backups."),
            DRY_RUN,
        ),
        "agentws backup create /media/stick/backups           the first time",
        "agentws backup create                                from then on",
        "agentws backup create git@example.org:robin.git      a git repository, to private refs",
        "agentws backup create restic:s3:s3.example.org/robin   object storage, by restic",
        "agentws backup create --keep '30d 12m'",
        "agentws backup create /media/stick/backups --no-hooks   none at a session's end from now on",
        "agentws backup create --dry-run",
    ),
    Verb(
        "backup list",
        list_,
        (optional("to", "[DEST]", "Destination of the backups. Default: the known ones."),),
        "agentws backup list",
        "agentws backup list /media/stick/backups --json      also without a workspace",
    ),
    Verb(
        "backup verify",
        verify,
        (optional("to", "[DEST]", "Destination of the backups. Default: the first known one."), _AT),
        "agentws backup verify",
        "agentws backup verify /media/stick/backups --at 12",
    ),
    Verb(
        "backup restore",
        restore,
        (
            word("to", "DEST", "Destination of the backups, or one backup there."),
            word("target", "TARGET", "Folder for the workspace, new or empty."),
            _AT,
            DRY_RUN,
        ),
        "agentws backup restore /media/stick/backups ~/robin",
        "agentws backup restore /media/stick/backups /tmp/robin --at 12",
        "agentws backup restore git@example.org:robin.git ~/robin",
    ),
    command_drill.DRILL,
    Verb(
        "backup remove",
        remove,
        (
            word("to", "DEST", "Destination of the backups."),
            word("name", "BACKUP", "Backup to remove, by name or number; never the newest."),
            YES,
            DRY_RUN,
        ),
        "agentws backup remove /media/stick/backups 12 --dry-run",
        "agentws backup remove /media/stick/backups 12 --yes   also if it alone holds events",
    ),
    Verb(
        "backup detach",
        detach,
        (word("to", "DEST", "Destination that gets no more backups."),),
        "agentws backup detach /media/stick/backups",
    ),
)


def created_lines(done: Sequence[Created]) -> Iterator[str]:
    """Each backup: where it is, what was copied, what changed."""
    for backup in done:
        yield from _created_lines(backup)


def _created_lines(backup: Created) -> Iterator[str]:
    if backup.failed:
        yield one_line(f"{backup.to}: failed: {backup.failed}")
        return
    copied = f"{many(backup.copied_files, 'file')} ({_size(backup.copied_bytes)})"
    whole = f"{many(backup.files, 'file')}, {_size(backup.bytes)}"
    if backup.dry_run:
        yield one_line(f"Would copy {copied} of {whole}, to {backup.path}")
        if backup.expired:
            yield inner(f"would remove by the rule '{backup.keep}': {some(list(backup.expired))}")
        if backup.missing:
            yield inner(f"{backup.previous} holds {many(backup.missing, 'event')} missing here")
        return
    yield one_line(f"{backup.path}")
    yield inner(f"{whole}; copied {copied}, read back and compared")
    if backup.previous:
        yield inner(f"since {backup.previous}: {_changes(backup.added, backup.changed, backup.removed)}")
    if backup.expired:
        yield inner(f"removed by the rule '{backup.keep}': {some(list(backup.expired))}")
    if backup.missing:
        yield inner(f"{backup.previous} holds {many(backup.missing, 'event')} missing here; no backup was removed")
    for words in backup.stripped:
        yield inner(f"not copied as it is: {words}")
    for words in backup.damage:
        yield inner(f"damaged already: {words}")


def _changes(added: int, changed: int, removed: int) -> str:
    parts = [
        f"{count} {word}" for count, word in ((added, "added"), (changed, "changed"), (removed, "removed")) if count
    ]
    return ", ".join(parts) or "nothing changed"


def _size(count: int) -> str:
    return (
        f"{count:,} bytes" if count < 10_000 else f"{count / 1e6:,.2f} MB" if count < 1e9 else f"{count / 1e9:,.2f} GB"
    )


def listed_lines(backups: Sequence[Listed]) -> Iterator[str]:
    """A line for each backup, under the folder that holds it."""
    place = ""
    for listed in backups:
        if listed.place != place:
            place = listed.place
            yield one_line(place)
        if listed.wrong:
            yield inner(f"{listed.name}  unreadable: {listed.wrong}")
            continue
        damage = "; damaged" if listed.damage else ""
        what = _changes(listed.added, listed.changed, listed.removed)
        yield f"  {one_line(listed.name)}  {many(listed.files, 'file'):>11} {_size(listed.bytes):>11}  {what}{damage}"
    if not backups:
        yield "No complete backup."


def verified_lines(done: Verified) -> Iterator[str]:
    """The verdict, then what is wrong."""
    verdict = "Valid" if done.well else f"Damaged: {many(len(done.findings), 'finding')}"
    yield one_line(f"{verdict}: {done.place}/{done.name}, {many(done.files, 'file')}, {_size(done.bytes)} read.")
    for path, what in done.findings:
        yield inner(f"{path}: {what}")
    for words in done.original:
        yield inner(f"damaged before it was copied: {words}")


def removed_lines(done: Removed) -> Iterator[str]:
    """Yield what is gone, and the events that went with it."""
    yield one_line(f"{'Would remove' if done.dry_run else 'Removed'} {done.place}/{done.name}")
    yield f"  {many(done.events, 'event')} in no other backup" if done.events else "  all of its events are in others"


def restored_lines(done: Restored, now: datetime) -> Iterator[str]:
    """Yield what was restored, and what comes next; times are in the zone of `now`."""
    at = clock.local(done.at, now)
    if done.dry_run:
        yield one_line(f"Would restore {done.agent} as of {at} ({many(done.files, 'file')}) to {done.path}")
        yield "Nothing was changed."
        return
    yield one_line(f"Restored {done.agent} as of {at} to {done.path}")
    yield f"  {many(done.files, 'file')}, {_size(done.bytes)}, each compared with its digest"
    for words in done.damage:
        yield inner(f"damaged before it was copied: {words}")
    for path in done.spoiled:
        yield inner(f"damaged in the backup, before something was forgotten in it: {path}")
    agentws = f"agentws -C {sh.quote(done.path)}"
    yield one_line(f"If the original is lost, continue with this copy: {agentws} identity takeover")
    yield one_line(f"Hooks of agent programs are not part of a backup: {agentws} install")
