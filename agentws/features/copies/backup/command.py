"""agentws backup create|list|verify|restore|remove|detach."""

from __future__ import annotations

import os

from agentws.core.formats.travel import destination
from agentws.core.terminal import progress, termination
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, YES, Verb, flag, optional, text, word
from agentws.errors import DamagedError, MissingFileError, NeedsYouError, OutsideProgramError, UsageError
from agentws.features.copies.backup import render


def create(run: Run, *, to: str | None, keep: str | None, hooks: bool | None, full: bool, dry_run: bool) -> None:
    """Copy the workspace to a folder, best on another disk, or to a git repository. Only changed files are copied."""
    termination.cleanly()
    workspace = run.workspace()
    place = _absolute(to)
    with progress.bar(run, "copying") as told:
        done = workspace.create_backup(place, rule=keep, hooks=hooks, full=full, dry_run=dry_run, progress=told)
    notices = dict.fromkeys(notice for one in done for notice in one.notices)
    run.done("backup-create", render.created_fields(done), render.created_lines(done), notices)
    failed = [one for one in done if one.failed]
    if failed:
        raise NeedsYouError(f"{len(failed)} of {len(done)} destinations failed (see above).", hint=failed[0].hint)
    if missing := sum(one.missing for one in done):
        raise NeedsYouError(
            f"The backup before holds {missing:,} event{'s' * (missing != 1)} missing here.",
            hint="An older state was restored, or another copy writes too. To compare: "
            f"agentws drill --at {next(one.previous for one in done if one.missing)}",
        )
    if any(one.damage for one in done):
        raise DamagedError(
            "The journal was damaged before it was copied (see above).",
            hint="To locate the damage: agentws journal verify. Older backups were kept.",
        )


def list_(run: Run, *, to: str | None) -> None:
    """List the backups: when they were made, and what changed."""
    from agentws.workspace import list_backups

    run.check_main_audience()
    places = _places(run, to)
    found, unread = [], []
    for place in places:
        try:
            here = list_backups(place)
            if to is None and not here:
                raise MissingFileError(f"{place}: contains no backups.", hint="Is the disk mounted?")
            found += here
        except (MissingFileError, OutsideProgramError, UsageError) as error:
            if len(places) == 1:
                raise
            unread.append(f"{error.message} {error.hint or ''}".rstrip())
    run.done("backup-list", render.listed_fields(found), render.listed_lines(found), unread)


def verify(run: Run, *, to: str | None, at: str | None) -> None:
    """Read every file of a backup, and verify the journal in it."""
    from agentws.workspace import verify_backup

    run.check_main_audience()
    termination.cleanly()
    with progress.bar(run, "reading") as told:
        done = verify_backup(_places(run, to)[0], at=at, progress=told)
    run.done("backup-verify", render.verified_fields(done), render.verified_lines(done), ())
    if not done.well:
        raise DamagedError(
            "This backup is damaged (see above).",
            hint="Make one that shares no file with it: agentws backup create --full",
        )


def restore(run: Run, *, to: str, target: str, at: str | None, dry_run: bool) -> None:
    """Put a backup into a new folder. A living workspace is never overwritten."""
    from agentws.workspace import restore_backup

    run.check_main_audience()
    termination.cleanly()
    place = os.path.join(run.directory or ".", os.path.expanduser(target))
    with progress.bar(run, "restoring") as told:
        done = restore_backup(
            _absolute(to) or to, place, at=at, dry_run=dry_run, progress=told, environment=run.environment()
        )
    run.done("backup-restore", render.restored_fields(done), render.restored_lines(done), done.stripped)
    if done.unrestored and not done.spoiled:
        raise NeedsYouError(
            "A mirror of an earlier version holds newer work that was not restored (see above).",
            hint=f"Look for it there: {done.place}/mirror",
        )
    if done.spoiled:
        raise DamagedError(
            "Files of this backup are damaged (see above).", hint="Compare them with another one: agentws backup list"
        )


def remove(run: Run, *, to: str, name: str, yes: bool, dry_run: bool) -> None:
    """Remove one backup, also one that `--keep` keeps because it alone holds events."""
    from agentws.workspace import remove_backup

    run.check_main_audience()
    done = remove_backup(_absolute(to) or to, name, agreed=yes, dry_run=dry_run)
    run.done("backup-remove", render.removed_fields(done), render.removed_lines(done), ())


def detach(run: Run, *, to: str) -> None:
    """Stop copying to a destination. Its backups stay there."""
    workspace = run.workspace()
    done = workspace.detach_backup(_absolute(to) or to)
    run.done("backup-detach", {"to": done.to}, [f"Backups no longer go to {done.to}. Its backups stay."], ())


def _places(run: Run, to: str | None) -> list[str]:
    """The folder that is named, else those that this workspace is copied to."""
    if to is not None:
        return [_absolute(to) or to]
    known = [one.to for one in run.workspace().known_backups()]
    if not known:
        raise MissingFileError("No backup destination is known.", hint="Name the folder: agentws backup list FOLDER")
    return known


def _absolute(to: str | None) -> str | None:
    """A destination as it is meant from here; one that is no folder is said on as it is, with all that it names."""
    found = destination.parse(to, _path) if to is not None else None
    return to if found is None or found.kind != destination.FOLDER else found.text


def _path(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


_AT = text("--at", "BACKUP", "Backup to use, by name or number. Default: the newest.")
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
                "Whether hooks make a backup there when a session ends. Default: as before; at first, in folders.",
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
