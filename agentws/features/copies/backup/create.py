"""backup create: copy the workspace to each destination, completely or not at all."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass

from agentws.core.disk import files as _files, local_dir, lock, tombstone
from agentws.core.formats import layout
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.backup import Manifest
from agentws.core.formats.travel.inventory import FILE, FOLDER
from agentws.core.identity import write_access, writers
from agentws.core.installation import backups, host_info
from agentws.core.installation.backups import Known
from agentws.core.journal import read
from agentws.core.stores import facts
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, DiskError, LockHeldError, NeedsYouError, OutsideProgramError
from agentws.features.copies.backup import destinations, remove
from agentws.features.copies.backup.plan import keep, loss
from agentws.features.copies.backup.snapshot import Snapshot, unchanged
from agentws.features.copies.backup.store import chain, due, reach
from agentws.features.copies.backup.store.backups import Backups
from agentws.features.copies.backup.store.folder import FolderBackups
from agentws.features.copies.backup.store.part import Part
from agentws.features.copies.transfer import tree
from agentws.features.copies.transfer.verified_copy import Progress

LOCK = "backup"
"""The lock held while a backup is made."""
_LOCK_TIMEOUT_S = 1.0
_NO_LINKS = "{} has no hard links: each backup there is a full copy."
_MOST_DAMAGE = 5
_NEWEST = ("keep", "hooks", "name", "at", "since", "heads", "newest_ns", "failed", "hooks_failed")
"""The fields of a destination's record that a new backup updates."""
_FORK = "{} holds another history: its event {} is another one here"


@dataclass(frozen=True, slots=True)
class Created:
    """The result of backup create: the backup's `name` and `path`, what it contains, and what was copied now.

    `added`, `changed` and `removed` count files, against the `previous` backup (empty: none). `expired` are the backups
    removed by the rule `keep`. `missing` counts events of the previous backup that this workspace lacks: then none is
    removed. `failed` says why the backup failed (empty: it did not).
    """

    to: str
    name: str = ""
    path: str = ""
    at: str = ""
    files: int = 0
    bytes: int = 0
    events: int = 0
    copied_files: int = 0
    copied_bytes: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    previous: str = ""
    keep: str = ""
    expired: tuple[str, ...] = ()
    missing: int = 0
    damage: tuple[str, ...] = ()
    stripped: tuple[str, ...] = ()
    failed: str = ""
    hint: str = ""
    dry_run: bool = False
    notices: tuple[str, ...] = ()


def create(
    stores: Stores,
    to: str | None = None,
    *,
    rule: str | None = None,
    hooks: bool | None = None,
    full: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> list[Created]:
    """Back up the workspace to `to`, else to all known destinations; the first backup makes a destination known.

    `rule` says which older backups are kept from now on, `hooks` whether a host's hooks make one at session end (by
    default in folders only). With `full`, and after a failed drill, all files are copied and none is shared with an
    older backup. With several destinations, a failure is reported in `failed`; with one, its error is raised.
    UsageError, DiskError, ChangedUnderneathError, MissingFileError.
    """
    stores.check_adopted()
    if stores.files.exists(layout.MOVED):
        tombstone.check(stores.files)
    wanted = destinations.named(stores, to)
    if rule is not None:
        keep.parse(rule)
    if dry_run:
        return [_plan(stores, destination, rule, full) for destination in wanted]
    if stores.files.writable():
        stores.settle()
        local_dir.prepare(stores.files)
        with lock.Lock(stores.files, LOCK, timeout_s=_LOCK_TIMEOUT_S, note="backup"):
            now = destinations.named(stores, to)  # another run may have ended
            return _each(stores, now, rule, hooks, full, progress)
    return _each(stores, wanted, rule, hooks, full, progress)


def follow(stores: Stores, destination: Known) -> None:
    """Make a further backup at a destination that has one; the caller holds the LOCK.

    NeedsYouError if the newest backup has events that are missing here: a person must check it first.
    """
    with closing(destinations.opened(stores, destination)) as place:
        name, before = _before(place, full=False)
        missing, _ = _missing(stores, place, name, before)
        if missing:
            raise NeedsYouError(
                f"{name} holds {missing:,} event{'s' * (missing != 1)} missing here. Run: agentws backup drill"
            )
        destination.keep = destination.keep or keep.DEFAULT
        _made(stores, destination, place, _is_doubted(destination), None)


def _each(
    stores: Stores,
    wanted: list[Known],
    rule: str | None,
    hooks: bool | None,
    full: bool,
    progress: Progress | None,
) -> list[Created]:
    done = []
    for destination in wanted:
        destination.keep = rule or destination.keep or keep.DEFAULT
        destination.hooks = destination.hooks if hooks is None else "on" if hooks else "off"
        place: Backups | None = None
        try:
            with closing(destinations.opened(stores, destination)) as place:
                done.append(_made(stores, destination, place, full or _is_doubted(destination), progress))
        except (AgentwsError, OSError) as error:
            known = _files.failure(error, _place(error, destination.to)) if isinstance(error, OSError) else error
            # To open a repository is to ask it; a folder may be a misspelt name.
            _failed(stores, destination, known, is_there=place is not None and not isinstance(place, FolderBackups))
            if len(wanted) == 1:
                raise known from error
            done.append(Created(destination.to, failed=known.message, hint=known.hint or ""))
    return done


def _is_doubted(destination: Known) -> bool:
    """Return whether the newest backup failed a drill, so that the next one must not share its files."""
    return destination.drilled.get("well") is False and str(destination.drilled.get("at")) >= destination.at


def _place(error: OSError, to: str) -> str:
    """Return the absolute path of a failed call, such as one in the folder for temporary files; else `to`."""
    return name if isinstance(name := error.filename, str) and os.path.isabs(name) else to


def _failed(stores: Stores, destination: Known, error: AgentwsError, *, is_there: bool) -> None:
    """Record the failed backup of a destination that was used before, or that is there: a folder whose disk failed."""
    is_there = is_there or (isinstance(error, DiskError) and os.path.isdir(destination.to))
    if (destination.name or is_there) and not isinstance(error, LockHeldError):
        destination.failed = f"{stores.now_text()} {error.message}"

        def remember(now: Known) -> None:
            now.failed, now.keep, now.hooks = destination.failed, destination.keep, destination.hooks

        try:
            backups.write(*stores.machine, destination.to, remember, adds=True)
        except AgentwsError:
            return  # the error itself is reported


def _before(place: Backups, *, full: bool) -> tuple[str, Manifest | None]:
    """Return the name and manifest of the newest readable backup."""
    for name in reversed(place.names()):
        try:
            return name, place.manifest(name)
        except OutsideProgramError:
            if full:
                continue  # whatever is wrong with it, nothing of it is needed
            raise  # a line that is down says nothing about the backup
        except AgentwsError:
            continue  # `backup verify` names it; the next one is made without it
    return "", None


def _plan(stores: Stores, destination: Known, rule: str | None, full: bool) -> Created:
    full = full or _is_doubted(destination)
    rule = rule or destination.keep or keep.DEFAULT
    with closing(destinations.opened(stores, destination)) as place:
        name, before = _before(place, full=full)
        look = tree.of(stores).look()
        shared = None if full else before
        differing = [path for path, entry in look.entries.items() if entry.kind == FILE]
        differing = [path for path in differing if not unchanged(look, path, shared) and path not in look.texts]
        things = [entry for entry in look.entries.values() if entry.kind != FOLDER]
        names = [*(names := place.names()), backup.following(names, stores.clock.now())]
        newest = {
            writer: (read.retired(stores.files, writer) + 1, int(str(head["seq"])))
            for writer, head in writers.heads(writers.all_of(stores.files)).items()
        }
        missing, forks = _missing(stores, place, name, before)
        return Created(
            destination.to,
            path=place.place,
            files=len(things),
            bytes=sum(entry.size for entry in things),
            copied_files=len(differing),
            copied_bytes=sum(look.entries[path].size for path in differing),
            previous=name,
            keep=rule,
            expired=() if missing else tuple(remove.to_expire(place, rule, names, newest, stores.files)),
            missing=missing,
            stripped=tuple(look.stripped),
            dry_run=True,
            notices=(*_notices(stores, place), *forks),
        )


def _notices(stores: Stores, place: Backups) -> tuple[str, ...]:
    standing = write_access.judge(write_access.Facts(**facts.gather(stores)))
    copy = [f"{standing.said} {standing.remedy}"] if standing.kind == write_access.NEW else []
    return (*stores.notices, *copy, *place.notices(stores.root))


def _made(stores: Stores, destination: Known, place: Backups, full: bool, progress: Progress | None) -> Created:
    name, before = _before(place, full=full)
    part = place.begin(stores.manifest.name, reach.owner(stores.root), "" if full else name)
    try:
        taken = Snapshot(tree.of(stores), part, None if full else before, progress)
        taken.take(locked=stores.files.writable())
        part.settle(taken.entries.values())
        part.read_back()
        copy = _files.Outside(part.root)
        damage = [*chain.breaks(copy, part.copied, stores.files), *_damaged(before, taken, part)][:_MOST_DAMAGE]
        header = _header(stores, taken, name, before, copy, damage)
        entries = sorted(taken.entries.values(), key=lambda entry: entry.path.split("/"))
        part.finish(header, entries, taken.marks)
        destination.name = part.keep(stores.clock.now())
    except (AgentwsError, OSError):
        part.clear()
        raise
    destination.since = destination.since or header.at
    destination.failed = destination.hooks_failed = ""
    destination.at, destination.heads = header.at, {writer: seq for writer, (seq, _) in header.heads.items()}
    destination.newest_ns = max((each.mtime_ns for each in entries if layout.is_document(each.path)), default=0)
    due.prune(destination, place.names())
    missing, forks = _missing(stores, place, name, before)
    notices = (*due.asked(destination), *_remembered(stores, place, destination), *forks)
    expired, late = _expired(stores, place, destination, header) if not (damage or missing) else ((), ())
    return Created(
        destination.to,
        name=destination.name,
        path=f"{place.place}/{destination.name}",
        at=header.at,
        files=header.files,
        bytes=header.bytes,
        events=header.events,
        copied_files=len(part.copied),
        copied_bytes=sum(taken.entries[path].size for path in part.copied),
        added=header.added,
        changed=header.changed,
        removed=header.removed,
        previous=name,
        keep=destination.keep,
        expired=expired,
        missing=missing,
        damage=tuple(damage),
        stripped=tuple(taken.stripped),
        notices=(
            *_notices(stores, place),
            *notices,
            *late,
            *((_NO_LINKS.format(destination.to),) if not part.links else ()),
        ),
    )


def _expired(
    stores: Stores, place: Backups, destination: Known, newest: backup.Header
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Remove backups by the rule; return their names, and a notice if that failed."""
    try:
        return tuple(remove.expire(place, destination, newest.spans, stores.files)), ()
    except AgentwsError as error:
        return (), (f"The backup was made, but older ones were not all removed: {error.message}",)


def _damaged(before: Manifest | None, taken: Snapshot, part: Part) -> list[str]:
    """Return the damage noted in the previous backup of files that were not copied again."""
    damage = before.header.damage if before else ()
    shared = taken.entries.keys() - part.copied.keys()
    return [words for words in damage if words.partition(": ")[0] in shared]


def _missing(stores: Stores, place: Backups, name: str, before: Manifest | None) -> tuple[int, list[str]]:
    """Return how many events of the previous backup are missing here: the workspace is an older state or a fork.

    Also return notices of event numbers that other events have here.
    """
    heads = before.header.heads if before else {}
    tree = f"{place.place}/{name}/{backup.TREE}"
    shared = chain.shared(stores.files, heads, _files.Files(tree) if os.path.isdir(tree) else None)
    lacking = {writer: seq - shared[writer] for writer, (seq, _) in heads.items() if seq > shared[writer]}
    forks = [
        _FORK.format(name, f"{writer}:{shared[writer] + 1}")
        for writer in lacking
        if read.last_seq(stores.files, writer) > shared[writer]
    ]
    return sum(lacking.values()), forks


def _remembered(stores: Stores, place: Backups, destination: Known) -> tuple[str, ...]:
    """Record the newest backup of a destination; return a notice if that fails, since the backup is complete."""
    names = place.names()

    def remember(now: Known) -> None:
        for field in _NEWEST:
            setattr(now, field, getattr(destination, field))
        due.prune(now, names)

    try:
        backups.write(*stores.machine, destination.to, remember, adds=True)
    except AgentwsError as error:
        return (f"The backup was made, but not remembered here: {error.message}",)
    return ()


def _header(
    stores: Stores, taken: Snapshot, previous: str, before: Manifest | None, copy: _files.Files, damage: list[str]
) -> backup.Header:
    things = [entry for entry in taken.entries.values() if entry.kind != FOLDER]
    differs = loss.between(before.entries if before else {}, taken.entries)
    heads = writers.heads(writers.all_of(copy))
    return backup.Header(
        agent=stores.manifest.agent_id,
        name=stores.manifest.name,
        host=host_info.name(),
        root=stores.root,
        at=stores.now_text(),
        mode=os.stat(stores.root).st_mode & 0o755,
        heads={writer: (int(str(fields["seq"])), str(fields["hash"])) for writer, fields in heads.items()},
        files=len(things),
        bytes=sum(entry.size for entry in things),
        added=len(differs.added),
        changed=len(differs.changed),
        removed=len(differs.removed),
        previous=previous,
        damage=tuple(damage),
        starts={writer: gone + 1 for writer in heads if (gone := read.retired(copy, writer))},
    )
