"""agentws sync [REMOTE], sync join|list|conflicts|resolve|lease|detach."""

from __future__ import annotations

import os
import time

from agentws.core.terminal import progress
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, Verb, flag, number, optional, text, word
from agentws.errors import AgentwsError, NeedsYouError, OutsideProgramError
from agentws.features.sync import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.sync.outcome import Synced

_CHOICES = "1, 2, both or neither"


def sync(
    run: Run, *, remote: str | None, dry_run: bool, watch: int | None, when_reachable: bool, accept_removals: bool
) -> None:
    """Bring this copy of the agent in step with your other machines, through a git repository or a folder."""
    workspace = run.workspace()
    try:
        with progress.bar(run, "syncing"):
            done = workspace.sync(_place(remote), dry_run=dry_run, accept_removals=accept_removals)
    except (OutsideProgramError, NeedsYouError):
        if not when_reachable:
            raise
        return
    _tell(run, done)
    while watch:
        time.sleep(watch)
        _again(run, remote)
    if not when_reachable:
        _check(done)


def _again(run: Run, remote: str | None) -> None:
    """Sync once more for `--watch`: a failure is printed, and the next round tries again."""
    try:
        done = run.workspace().sync(_place(remote))
    except AgentwsError as error:
        run.done("sync", {"remotes": []}, (), [f"{error.message} {error.hint or ''}".rstrip()])
        return
    if any(one.failed or not one.is_still for one in done):
        _tell(run, done)


def _tell(run: Run, done: list[Synced]) -> None:
    notices = dict.fromkeys(notice for one in done for notice in one.notices)
    told = [one for one in done if not (run.quiet and one.is_still)]
    run.done("sync", render.synced_fields(done), render.synced_lines(told), notices)


def _check(done: list[Synced]) -> None:
    failed = [one for one in done if one.failed]
    if failed:
        raise OutsideProgramError(f"{len(failed)} of {len(done)} remotes failed (see above).", hint=failed[0].hint)
    if parted := max((one.parted for one in done), default=0):
        raise NeedsYouError(
            f"{parted:,} event{'s' * (parted != 1)} stay{'s' * (parted == 1)} here: the remote has others instead.",
            hint="A snapshot was restored, or another copy writes too. A new journal begins: later events go out.",
        )


def join(run: Run, *, remote: str, directory: str | None) -> None:
    """Bring the agent to this machine: a new folder, made of what a remote holds."""
    from agentws.workspace import join

    run.check_main_audience()
    target = os.path.abspath(os.path.join(run.directory or ".", os.path.expanduser(directory))) if directory else None
    with progress.bar(run, "syncing"):
        done = join(_place(remote) or remote, target, run.environment())
    run.done("sync-join", render.joined_fields(done), render.joined_lines(done), done.notices)


def listed(run: Run) -> None:
    """List the remotes that this machine syncs with: when each was reached last, and what fails."""
    workspace = run.workspace()
    found = workspace.known_remotes()
    run.done("sync-list", render.remotes_fields(found), render.remotes_lines(found), workspace.notices)


def conflicts(run: Run) -> None:
    """List what was edited on two machines at once and waits for a decision."""
    found = run.workspace().conflicts()
    run.done("sync-conflicts", render.conflicts_fields(found), render.conflicts_lines(found), found.notices)


def resolve(run: Run, *, conflict: str, take: str | None, dry_run: bool) -> None:
    """Decide a conflict: keep one side, both or neither. Without --take, the file stays as it is now."""
    done = run.workspace().resolve_conflict(conflict, take=take, dry_run=dry_run)
    run.done("sync-resolve", render.resolved_fields(done), render.resolved_lines(done), done.notices)


def lease(run: Run, *, action: str | None, remote: str | None, from_holder: bool) -> None:
    """Show, take or release the lease: the sign which machine writes now (`sync.lease` in agentws.toml)."""
    done = run.workspace().lease(action or "show", _place(remote), from_holder=from_holder)
    run.done("sync-lease", render.lease_fields(done), render.lease_lines(done), done.notices)


def detach(run: Run, *, remote: str) -> None:
    """Stop syncing with a remote. The states there stay."""
    workspace = run.workspace()
    done = workspace.detach_remote(_place(remote) or remote)
    said = [f"No longer synced with {done.url}. The states there stay."]
    run.done("sync-detach", {"remote": done.url}, said, workspace.notices)


def _place(remote: str | None) -> str | None:
    """Return a remote as it is stored: a folder by its absolute path, a URL unchanged."""
    if remote is None or "://" in remote or (":" in remote.partition("/")[0]):
        return remote
    return os.path.abspath(os.path.expanduser(remote))


_REMOTE = "Git repository (ssh or path), or a folder such as a stick. Default: every remote used before."
VERBS = (
    Verb(
        "sync",
        sync,
        (
            optional("remote", "[REMOTE]", _REMOTE),
            DRY_RUN,
            flag("--when-reachable", "Succeed where a remote is away, as for a schedule; `status` shows it."),
            flag("--accept-removals", "Remove most files of a folder on every machine, because they are gone here."),
            number("--watch", "SECONDS", "Sync again after so many seconds, until Ctrl-C.", least=1),
        ),
        "agentws sync git@example.org:robin.git               the first time",
        "agentws sync                                         from then on",
        "agentws sync /media/stick",
        "agentws sync --watch 60",
    ),
    Verb(
        "sync join",
        join,
        (
            word("remote", "REMOTE", "Git repository or folder that the agent was synced with."),
            optional("directory", "[DIR]", "New folder. Default: the agent's name, here."),
        ),
        "agentws sync join git@example.org:robin.git",
        "agentws sync join /media/stick ~/robin",
    ),
    Verb("sync list", listed, (), "agentws sync list", "agentws sync list --json"),
    Verb("sync conflicts", conflicts, (), "agentws sync conflicts", "agentws sync conflicts --json"),
    Verb(
        "sync resolve",
        resolve,
        (
            word("conflict", "ID", "Conflict: its id, or the beginning of it.", completes="conflict"),
            text("--take", "SIDE", f"Side to keep: {_CHOICES}. Default: the file as it is now, edited by hand."),
            DRY_RUN,
        ),
        "agentws sync resolve 3fa9c1d2 --take 2",
        "agentws sync resolve 3fa9                            after an edit by hand",
    ),
    Verb(
        "sync lease",
        lease,
        (
            optional("action", "[ACTION]", "show, take or release. Default: show."),
            text("--remote", "REMOTE", "Remote whose lease is meant. Default: all of them."),
            flag("--from-holder", "Take it from a machine that is gone. That machine must no longer write."),
        ),
        "agentws sync lease",
        "agentws sync lease take",
        "agentws sync lease take --from-holder                the other machine is lost",
    ),
    Verb(
        "sync detach",
        detach,
        (word("remote", "REMOTE", "Remote to forget."),),
        "agentws sync detach /media/stick",
    ),
)
