"""Findings about the location of the workspace: gathers facts on permissions, disks, copies and leftovers."""

from __future__ import annotations

import os
import stat

from agentws.core.disk import local_dir, permissions
from agentws.core.disk.inspect import mounts, scan
from agentws.core.findings import PROBLEM, WARNING, Finding
from agentws.core.formats import layout
from agentws.core.installation import keys
from agentws.core.stores.seen import Seen
from agentws.errors import AgentwsError
from agentws.features.doctor.plan import durability, location
from agentws.features.hosts import install_record

_GIT = (".git", ".git/config", ".git/hooks")
"""Programs that git runs, or is configured to run, in the workspace's repository."""
_PRIVATE = ("", keys.PRIVATE)
_MOST_OPEN = 1_000


def findings(seen: Seen) -> list[Finding]:
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
