"""agentws sync [REMOTE], sync join|list|conflicts|resolve|lease|detach."""

from __future__ import annotations

import os
import shlex
import time

from agentws.core.disk import clock
from agentws.core.terminal import dialog, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, Verb, flag, number, optional, text, word
from agentws.core.text.names import many, some
from agentws.core.text.sanitize import one_line
from agentws.errors import AgentwsError, NeedsYouError, OutsideProgramError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from agentws.core.formats.travel.conflict import Record
    from agentws.features.sync.conflicts import Conflicts, Resolved
    from agentws.features.sync.known import Remote
    from agentws.features.sync.lease import Leased
    from agentws.features.sync.outcome import Joined, Moved, Synced

_CHOICES = "1, 2, both or neither"


def sync(
    run: Run,
    *,
    remote: str | None,
    dry_run: bool,
    watch: int | None,
    when_reachable: bool,
    accept_removals: bool,
    accept: str | None,
) -> None:
    """Synchronize this agent with your other machines, through a git repository or a folder."""
    workspace = run.workspace()
    try:
        with dialog.progress_bar(run, "syncing"):
            done = workspace.sync(_place(remote), dry_run=dry_run, accept_removals=accept_removals, accept=accept or "")
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
    if any(item.failed or not item.is_still for item in done):
        _tell(run, done)


def _tell(run: Run, done: list[Synced]) -> None:
    notices = dict.fromkeys(notice for synced in done for notice in synced.notices)
    outcomes = [synced for synced in done if not (run.quiet and synced.is_still)]
    run.result("sync", done, f"remotes=.[{SYNCED}]", synced_lines(outcomes), notices=notices)


def _check(done: list[Synced]) -> None:
    failed = [synced for synced in done if synced.failed]
    if failed:
        raise OutsideProgramError(f"{len(failed)} of {len(done)} remotes failed (see above).", hint=failed[0].hint)
    if parted := max((synced.parted for synced in done), default=0):
        raise NeedsYouError(
            f"{parted:,} event{'s' * (parted != 1)} stay{'s' * (parted == 1)} here: the remote has others instead.",
            hint="A snapshot was restored, or another copy writes too. A new journal begins: later events go out.",
        )


def join(run: Run, *, remote: str, directory: str | None) -> None:
    """Bring the agent from a remote to a new folder here."""
    from agentws.workspace import join

    run.check_main_audience()
    target = os.path.abspath(os.path.join(run.directory or ".", os.path.expanduser(directory))) if directory else None
    with dialog.progress_bar(run, "syncing"):
        done = join(_place(remote) or remote, target, run.environment())
    run.result("sync-join", done, "root name agent remote writer files events mode pushed", joined_lines(done))


def listed(run: Run) -> None:
    """List the remotes: when each was last reached, and what fails."""
    workspace = run.workspace()
    result = workspace.sync.list()
    lines = remotes_lines(result, workspace.stores.clock.now())
    run.done(
        "sync-list",
        {
            "remotes": [
                output.fields(remote, _REMOTE_FIELDS, failed=remote.failed.replace("\n", " ")) for remote in result
            ]
        },
        lines,
        workspace.notices,
    )


def conflicts(run: Run) -> None:
    """List conflicting edits of two machines."""
    result = run.workspace().sync.conflicts()
    run.done(
        "sync-conflicts",
        {"conflicts": [_record(record) for record in result.records]},
        conflicts_lines(result),
        result.notices,
    )


def resolve(run: Run, *, conflict: str, take: str | None, dry_run: bool) -> None:
    """Decide a conflict: keep one side, both or neither."""
    done = run.workspace().sync.resolve(conflict, take=take, dry_run=dry_run)
    run.result("sync-resolve", done, "id=record.id take? paths dry_run", resolved_lines(done))


def lease(run: Run, *, action: str | None, remote: str | None, from_holder: bool) -> None:
    """Show, take or release the lease, which says what machine may write (`sync.lease`)."""
    done = run.workspace().sync.lease(action or "show", _place(remote), from_holder=from_holder)
    run.result("sync-lease", done, "remote holder? host? is_ours mode", lease_lines(done))


def detach(run: Run, *, remote: str) -> None:
    """Stop syncing with a remote. The states there stay."""
    workspace = run.workspace()
    done = workspace.sync.detach(_place(remote) or remote)
    messages = [f"No longer synced with {done.url}. The states there stay."]
    run.done("sync-detach", {"remote": done.url}, messages, workspace.notices)


def _place(remote: str | None) -> str | None:
    """Return a remote as it is stored: a folder by its absolute path, a URL unchanged."""
    if remote is None or "://" in remote or (":" in remote.partition("/")[0]):
        return remote
    return os.path.abspath(os.path.expanduser(remote))


_REMOTE = "Git repository or folder. Default: every remote used before."
_REMOTE_FIELDS = "remote=url since? at? with=between? commit? forgets=!!renew failed?"
VERBS = (
    Verb(
        "sync",
        sync,
        (
            optional("remote", "[REMOTE]", _REMOTE),
            DRY_RUN,
            flag("--when-reachable", "Ignore a remote that cannot be reached; `status` shows it."),
            flag(
                "--accept-removals",
                "Remove files everywhere that are missing here. For a person.",
            ),
            text("--accept", "STATE", "Merge this state of an unknown machine, without its settings. For a person."),
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
            word("remote", "REMOTE", "Git repository or folder of `sync`."),
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
            word("conflict", "ID", "Id of the conflict, or its beginning.", completes="conflict"),
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
            text("--remote", "REMOTE", "Remote. Default: all of them."),
            flag("--from-holder", "Take it from a lost machine, which must not write again."),
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


_MOST_LINES = 6
_MOVED = "entries tasks events files hosts paths removed[entries tasks files]"
SYNCED = f"""
    remote commit? in=inward[{_MOVED}] out=outward[{_MOVED}] conflicts waiting skipped=skipped_count renewed
    failed? dry_run
"""
_TAKEN = {"1": "side 1", "2": "side 2", "both": "both sides", "neither": "neither side"}


def synced_lines(done: Sequence[Synced]) -> Iterator[str]:
    """Each remote: what came in, what went out, what needs a decision."""
    for synced in done:
        yield from _synced_lines(synced, alone=len(done) == 1)


def _synced_lines(synced: Synced, *, alone: bool) -> Iterator[str]:
    if synced.failed:
        yield one_line(f"{synced.remote}: failed: {synced.failed}")
        return
    came, went = _words(synced.inward), _words(synced.outward)
    where = "" if alone else f"{synced.remote}: "
    would = "would come in" if synced.dry_run else "in"
    if came:
        hosts = f" from {', '.join(synced.inward.hosts)}" if synced.inward.hosts else ""
        yield one_line(f"{where}{would}: {came}{hosts}")
    if went:
        yield one_line(f"{where}{'would go out' if synced.dry_run else 'out'}: {went}")
    if not came and not went:
        yield one_line(f"{where or 'Sync: '}nothing new.")
    if synced.skipped_count and (synced.made or synced.dry_run):
        left = f"not synced: {some([*synced.skipped])} ({synced.skipped_count:,} in all; to add: sync.include)"
        yield f"  {one_line(left)}"
    if synced.waiting:
        what = "1 conflict waits" if synced.waiting == 1 else f"{synced.waiting} conflicts wait"
        yield f"{where}{what} for your decision: agentws sync conflicts"


def _words(moved: Moved) -> str:
    gone = moved.removed
    parts = [
        many(count, word, words)
        for count, word, words in (
            (moved.entries, "entry", "entries"),
            (gone.entries, "entry removed", "entries removed"),
            (moved.tasks, "task", "tasks"),
            (gone.tasks, "task removed", "tasks removed"),
            (moved.events, "event", "events"),
        )
        if count
    ]
    parts += [f"{some(list(files))}{word}" for files, word in ((moved.files, ""), (gone.files, " removed")) if files]
    return ", ".join(parts) or (many(len(moved.paths), "file") if moved.paths else "")


def joined_lines(done: Joined) -> Iterator[str]:
    """Yield the new workspace's place, and how another machine lets this one in."""
    yield one_line(f"{done.name} is here: {done.root}")
    files, events = many(done.files, "file"), many(done.events, "event")
    yield f"  {one_line(f'{files}, {events}, from {done.remote}')}"
    if done.mode == "require":
        yield "This machine may not write before another one lets it in. Here: agentws identity vouch"
        yield "Run there the command that it prints, then on both machines: agentws sync"
    else:
        key = f" --key {shlex.quote(done.key)}" if done.key else ""
        yield "Until a person lets this machine in, the others take nothing from it. On one of them:"
        yield f"  agentws identity vouch {done.writer}{key}"


def remotes_lines(remotes: Sequence[Remote], now: datetime) -> Iterator[str]:
    """Each remote: when it was reached last, and with whom; why the newest try failed."""
    for remote in remotes:
        met = f", with {remote.between}" if remote.between else ""
        yield one_line(
            f"{remote.url}: {f'synced {clock.local(remote.at, now)}{met}' if remote.at else 'never reached'}"
        )
        if remote.renew:
            yield "  The next sync removes there what was forgotten."
        if remote.failed:
            at, _, why = remote.failed.partition(" ")
            yield f"  {one_line(f'Failed since {clock.local(at, now)}: {why}')}"
    if not remotes:
        yield "No remote is known. To name the first one: agentws sync REMOTE"


def _record(record: Record) -> dict[str, object]:
    return {"id": record.id, **{name: value for name, value in record.plain().items() if name != "agentws"}}


def conflicts_lines(listing: Conflicts) -> Iterator[str]:
    """Each conflict: where, what both sides say, and how to decide."""
    for record in listing.records:
        where = f", {record.where}" if record.where else ""
        between = " and ".join(listing.hosts.get(each) or each for each in record.between)
        yield one_line(f"{record.id}  {output.place(record.path)}{where} ({record.what}; {between or 'two machines'})")
        for place, side in enumerate(record.sides, 1):
            yield from _side_lines(place, side.file or side.text)
    if listing.records:
        first = listing.records[0]
        takes = {"entry": "1|2|both|neither", "field": "1|2|neither"}.get(first.what, "1|2")
        yield f"To decide: agentws sync resolve {first.id} --take {takes}"
    else:
        yield "No conflicts."


def _side_lines(number: int, text: str | None) -> Iterator[str]:
    lines = [line for line in (text or "").split("\n") if line.strip()] or ["(removed)"]
    for place, line in enumerate(lines[:_MOST_LINES]):
        yield f"  {f'{number}:' if not place else '  '} {one_line(line)}"
    if len(lines) > _MOST_LINES:
        yield f"     … {len(lines) - _MOST_LINES} more lines"


def resolved_lines(done: Resolved) -> Iterator[str]:
    """Yield the line about a resolved conflict."""
    kept = (
        f"side {done.take}" if done.take in ("1", "2") else {"both": "both sides", "neither": "neither"}.get(done.take)
    )
    what = f"{output.place(done.record.path)}: {kept or 'the file as it is'}"
    yield one_line(f"Would keep {what}" if done.dry_run else f"Decided {done.record.id}. {what}")


def lease_lines(done: Leased) -> Iterator[str]:
    """Yield the line about the holder of the lease."""
    who = "this machine" if done.is_ours else (done.host or done.holder or "nobody")
    off = " It has no effect: sync.lease is off." if done.mode == "off" else ""
    yield one_line(f"The lease is held by {who}.{off}")
