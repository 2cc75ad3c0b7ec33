"""The rounds of checks: findings of doctor itself and of each feature; quick ones for `status`, all for `doctor`."""

from __future__ import annotations

import os
import stat

from agentws import features
from agentws.core import findings as finding
from agentws.core.disk import clock, local_dir, permissions
from agentws.core.disk.inspect import mounts, scan
from agentws.core.findings import PROBLEM, WARNING, Finding
from agentws.core.formats import layout
from agentws.core.formats.journal import event
from agentws.core.installation import backups, keys, remotes as synced
from agentws.core.journal import recovery, select, sync_failure
from agentws.core.states import plumbing, repository
from agentws.core.stores import writer_trust
from agentws.core.stores.seen import Seen
from agentws.errors import AgentwsError, UsageError
from agentws.features.doctor import documents
from agentws.features.doctor.plan import durability, location
from agentws.features.hosts import install_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from agentws.core.stores.stores import Stores

    Round: TypeAlias = Callable[[Seen], Iterable[Finding]]


def quick(seen: Seen) -> list[Finding]:
    """Run the quick checks, for which no document is read, and return their findings, the worst first."""
    return finding.worst_first(_asked(seen, (documents.standing, *_shallow(seen))))


def every(seen: Seen) -> list[Finding]:
    """Run all checks of doctor and of each feature, and return their findings in order."""
    from agentws.features.doctor import contents  # `status` does without

    deep = features.each("deep_findings", seen.stores.files)
    return _asked(seen, (documents.standing, contents.findings, *deep, *_shallow(seen)))


def _shallow(seen: Seen) -> Iterator[Round]:
    yield from (findings, location_findings)
    yield from features.each("findings", seen.stores.files)


def _asked(seen: Seen, rounds: Iterable[Round]) -> list[Finding]:
    faults: list[Finding] = []
    for each in rounds:
        try:
            faults += each(seen)
        except AgentwsError as error:
            remedy = error.hint or "Fix the cause and re-run: this check was not completed."
            faults.append(finding.of_error("unread", finding.WARNING, error.message, remedy=remedy))
    return faults


_BRANCH = "branch"


def findings(seen: Seen) -> list[Finding]:
    """Return doctor's own findings about history, journal, seals, interrupted changes and the clock."""
    journal = _journal(seen)
    failure = local_dir.seal_failure(seen.stores.files)
    if failure:
        journal.append(durability.unsealed(failure))
    if local_dir.interrupted(seen.stores.files):
        journal.append(durability.interrupted())
    if seen.stores.adopted:
        journal += _history(seen)
    return journal + _times(seen)


def _journal(seen: Seen) -> list[Finding]:
    files = seen.stores.files
    try:
        own = seen.stores.installation()
        if own is None:
            return []
        if sync_failure.stands(files, own.writer):
            return [durability.poisoned(sync_failure.path(own.writer))]
        recovery.check_end(files, own)
    except AgentwsError as error:
        return [durability.damaged(error.message, error.hint)]
    return []


def _history(seen: Seen) -> list[Finding]:
    stores = seen.stores
    git_dir = repository.find(stores.root)
    off = stores.manifest.setting("history.commits") == "off"
    why = "switched off" if off else "no git repository"
    failure = stores.history_failure()
    broken = "" if failure else _broken(seen, git_dir, off=off)
    history = durability.history(
        failure=failure,
        broken=broken,
        kept=not off and git_dir is not None,
        gone=not off and git_dir is None and stores.files.exists(local_dir.MADE_REPOSITORY),
        why_not=why,
        remotes=git_dir is not None
        and (
            repository.has_remote(git_dir)
            or bool(backups.read(*stores.machine))
            or any(remote.at for remote in synced.read(*stores.machine))
        ),
        ref=seen.history.line if seen.history else "",
    )
    if git_dir is None or off:
        return history
    if not failure and not broken and seen.history is not None and (ref := seen.history.emptied()):
        history.append(durability.emptied(ref))
    history += durability.not_kept(seen.others())
    for path, age_s in repository.locks(git_dir):
        history += durability.git_lock(path, age_s=age_s)
    own = stores.manifest.setting("history.commits") == _BRANCH and git_dir == f"{stores.root}/.git"
    there = seen.look.entries
    attributes = f"{layout.DAYS}/.gitattributes" in there or layout.DAYS not in there
    return history + durability.git_files(ignore=".gitignore" in there, attributes=attributes, own=own)


def _broken(seen: Seen, git_dir: str | None, *, off: bool) -> str:
    """Return why no state of history could be recorded now, empty if it could."""
    if git_dir is None or off:
        return ""
    if not seen.is_glance and not plumbing.available():
        return "git is not usable here: version 2.30 or later is needed"
    try:
        seen.newest_state()
    except AgentwsError as error:
        return error.message
    return ""


def _times(seen: Seen) -> list[Finding]:
    stores, now = seen.stores, seen.moment
    faults = durability.made_later(now, stores.manifest.created, layout.MANIFEST) + _zones(stores, seen)
    logs = ((path, layout.day_of(path.rpartition("/")[2])) for path in reversed(seen.look.files(layout.DAYS)))
    # The name of a log begins with its day, so the last one is the newest.
    faults += next((durability.future_days(now, path, day) for path, day in logs if day), [])
    wanted = select.Wanted(without=event.STRUCTURE)
    for writer in writer_trust.known(stores):
        try:
            newest_event = select.Reader(stores.files, wanted).newest(writer, 1)
        except AgentwsError:
            continue  # a damaged journal is another finding
        for entry in newest_event:
            faults += durability.future_events(now, entry.at, f"{writer}:{entry.seq}")
    return faults


def _zones(stores: Stores, seen: Seen) -> list[Finding]:
    zone = stores.manifest.timezone
    try:
        clock.zone(zone)
    except UsageError:
        return durability.unknown_zone(zone, layout.MANIFEST)
    local_zone_name = clock.local_zone_name(stores.environment.timezone)
    there = seen.moment.astimezone(clock.zone(local_zone_name))
    if not stores.adopted or not local_zone_name:  # a zone of this machine without a name is not compared
        return []
    return durability.zones(seen.moment, there, own_zone=local_zone_name, zone=zone, manifest=layout.MANIFEST)


_GIT = (".git", ".git/config", ".git/hooks")
"""Programs that git runs, or is configured to run, in the workspace's repository."""
_PRIVATE = ("", keys.PRIVATE)
_MOST_OPEN = 1_000


def location_findings(seen: Seen) -> list[Finding]:
    """Return the findings about the location of the workspace."""
    root = seen.stores.root
    faults = _writable(seen) + _room(seen) + _access(seen)
    faults += location.network(*mounts.kind_of(root), root)
    files = seen.stores.files
    faults += location.unprotected(root, is_unsynced=mounts.is_unsynced(files), is_unlocked=mounts.is_unlocked(files))
    faults += location.synced(root, mounts.marks(root, location.MARKS))
    faults += location.conflicts(_copied(seen), also=seen.look.logs)
    return faults + _left_over(seen)


def _writable(seen: Seen) -> list[Finding]:
    if seen.stores.files.writable():
        return location.unwritable(seen.unwritable())
    remedy = "Check the owner and mode of the folder, and how its disk is mounted."
    says = "is read-only: agentws can write nothing"
    return [Finding("not-writable", PROBLEM, says, remedy=remedy, path=seen.stores.root)]


def _room(seen: Seen) -> list[Finding]:
    left = mounts.free_space(seen.stores.root)
    says = location.free_space(left)
    severity = PROBLEM if location.is_full(left) else WARNING
    return [Finding("disk-full", severity, says, remedy=location.MAKE_ROOM, path=seen.stores.root)] if says else []


def _access(seen: Seen) -> list[Finding]:
    root = seen.stores.root
    modes = _modes(seen)
    mode = modes[""]
    open_paths = [path for path, bits in modes.items() if path and bits & stat.S_IWOTH]
    faults = location.shared(
        root, mode=mode, reachable=mounts.reachable(root), open_paths=sorted(open_paths)[:_MOST_OPEN]
    )
    group = permissions.group(root)
    if group:
        # Open paths that are for the owner alone are a finding of their own.
        shared = {path: bits for path, bits in modes.items() if path.partition("/")[0] not in permissions.OWN}
        paths = sorted(path or root for path, bits in shared.items() if bits & stat.S_IWGRP)
        faults += location.grouped(root, group=group, open_paths=paths, is_meant=bool(mode & stat.S_ISGID))
    faults += location.own(root, permissions.opened(root))
    return faults + _private(seen)


def _modes(seen: Seen) -> dict[str, int]:
    """Return the modes of all files that an agent trusts or a program runs, by RelPath; "" is the workspace itself."""
    root = seen.stores.root
    hooked = (_beneath(root, path) for record in install_record.all_of(seen.stores.files) for path in _written(record))
    others = {path: mode for path in (*hooked, *_GIT) if path and (mode := permissions.mode(root, path)) is not None}
    tops = {top for top in {path.partition("/")[0] for path in seen.look.entries} if _is_ours(top)}
    ours = {
        entry.path: entry.mode
        for entry in seen.look.entries.values()
        if entry.kind != scan.OTHER and (entry.path.partition("/")[0] in tops or layout.is_document(entry.path))
    }
    return {"": permissions.mode(root) or 0, **ours, **others}


def _written(record: install_record.Record) -> list[str]:
    return [os.path.join(record.folder, place) for place in record.after]


def _beneath(root: str, path: str) -> str:
    """Return the RelPath of an absolute path in the workspace, empty for other paths."""
    return path.removeprefix(f"{root}/") if path.startswith(f"{root}/") else ""


def _is_ours(top: str) -> bool:
    return top in (layout.LOCAL, layout.JOURNAL) or layout.is_document(f"{top}/x.md")


def _private(seen: Seen) -> list[Finding]:
    """Return the findings on private files that are open to others: the key, and copies of settings."""
    copies = f"{seen.stores.root}/{layout.LOCAL}"
    modes = [(path.removeprefix(f"{layout.LOCAL}/"), seen.look.entries[path].mode) for path in _copies(seen)]
    faults = location.private(copies, modes)
    try:
        own = seen.stores.installation()
    except AgentwsError:
        return faults  # a damaged installation is a separate finding
    if own is not None:
        modes = [(name, mode) for name in _PRIVATE if (mode := permissions.mode(own.folder, name)) is not None]
        faults += location.private(own.folder, modes)
    return faults


def _copies(seen: Seen) -> list[str]:
    return [path for path in seen.look.files(install_record.FOLDER) if path.endswith(".json")]


def _copied(seen: Seen) -> list[str]:
    """Return the paths that may be conflict copies: all files but those of this machine alone."""
    return sorted(
        entry.path
        for entry in seen.look.entries.values()
        if entry.kind == scan.FILE and not entry.path.startswith(f"{layout.LOCAL}/")
    )


def _left_over(seen: Seen) -> list[Finding]:
    entries = seen.look.entries
    new, old = scan.staged_temp_files(
        entry for entry in entries.values() if not entry.path.startswith(f"{layout.LOCAL}/")
    )
    faults = durability.left_over(new) + durability.kept_aside(old)
    try:
        own = seen.stores.installation()
    except AgentwsError:
        own = None
    if own is not None:
        faults += durability.left_over(scan.temp_files_of_keys(own.folder), base=own.folder)
    ignore = entries.get(f"{layout.LOCAL}/.gitignore")
    if layout.LOCAL in entries and (ignore is None or not ignore.size_bytes):
        faults.append(durability.local_ignore())
    return faults + durability.quarantined(seen.look.files(local_dir.QUARANTINE))
