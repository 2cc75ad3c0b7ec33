"""backup restore: restore a backup to a new folder, and check each file against its digest."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

from agentws.core.disk import local_dir
from agentws.core.disk.files import Files, Outside
from agentws.core.environment import Environment
from agentws.core.formats import digest
from agentws.core.formats.git import gitconfig
from agentws.core.formats.travel import inventory
from agentws.core.formats.travel.backup import Manifest
from agentws.core.formats.travel.inventory import Cargo, Inventory, TreeEntry
from agentws.core.installation import backups
from agentws.core.stores import stores
from agentws.errors import AgentwsError, DamagedError, DiskError, UsageError
from agentws.features.copies.backup import destinations
from agentws.features.copies.backup.store.backups import Backups
from agentws.features.copies.transfer import verified_copy
from agentws.features.copies.transfer.transport import Source, Transport, opened
from agentws.features.copies.transfer.verified_copy import Progress

_ID_BYTES = 4
_OTHERS = "others"
"""The folder of files with unusual names, in backups that earlier versions sent through rclone."""
_STANDS = {"workspace": "already contains a workspace", "folder": "is not empty", "other": "is not a folder"}


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of a restore to `path`: the backup's `name`, its time `at`, its `host`, and what it contains.

    `stripped` says what was not restored as it was, and why; `spoiled` are paths restored with damage that the backup
    had when text was forgotten in it.
    """

    path: str
    name: str
    place: str
    agent: str
    at: str
    host: str
    files: int
    bytes: int
    events: int
    stripped: tuple[str, ...] = ()
    damage: tuple[str, ...] = ()
    dry_run: bool = False
    spoiled: tuple[str, ...] = ()


def restore_backup(
    to: str,
    target: str,
    *,
    at: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
    environment: Environment | None = None,
) -> Restored:
    """Restore the newest backup of the destination `to`, or the one called `at`, to the new or empty folder `target`.

    The copy records the destination, as an installation of this `environment`, but sends nothing before its own first
    backup.

    The folder appears only when it is complete. UsageError if `target` is not empty, DamagedError if the backup does
    not match its digests, DiskError.
    """
    with destinations.one_backup(to, at) as (place, name):
        done = restored(place, name, target, dry_run=dry_run, progress=progress)
    if environment is not None and not dry_run:
        with suppress(AgentwsError):  # a courtesy: the copy is whole without it
            copy = stores.open_at(done.path, environment)
            (destination,) = destinations.named(copy, to)
            backups.write(*copy.machine, destination.to, lambda now: setattr(now, "since", copy.now_text()), adds=True)
    return done


def restored(
    place: Backups,
    name: str,
    target: str,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Restored:
    """Restore the backup called `name` to `target`; see `restore_backup`."""
    path = os.path.abspath(os.path.expanduser(target))
    with verified_copy.reach() as local:
        fields = local.inspect(path, os.urandom(_ID_BYTES).hex())
        _check(fields, path)
        manifest = place.manifest(name)
        with place.tree(name) as tree:
            loaded = safe(manifest, tree)
            if not dry_run:
                _put(local, f"{place.place}/{name}", tree, manifest, loaded, progress)
    header = manifest.header
    return Restored(
        fields["path"],
        name,
        place.place,
        header.name,
        header.at,
        header.host,
        header.files,
        header.bytes,
        header.events,
        tuple(loaded.stripped),
        header.damage,
        dry_run,
        header.spoiled,
    )


def safe(manifest: Manifest, tree: str) -> Cargo:
    """Return the entries of a backup that are safe to restore, since others may have written to the medium."""
    files = Files(tree)

    def read(entry: TreeEntry) -> bytes:
        try:
            return files.part(entry.path, gitconfig.LIMIT_BYTES)[0]
        except AgentwsError:
            return b""

    return inventory.load_cargo(manifest.entries, read, digest.of)


def _check(fields: dict[str, Any], path: str) -> None:
    if fields["stands"] in _STANDS:
        raise UsageError(f"{path} {_STANDS[fields['stands']]}.", hint="Name a new folder. Nothing was changed.")
    if fields["inside"]:
        raise UsageError(f"{path} is inside the workspace {fields['inside']}.", hint="Name a folder outside of it.")
    if fields["above"] != "ready":
        raise UsageError(f"{os.path.dirname(path)} is {fields['above']}.", hint="Create that folder, or name another.")


def _put(
    local: Transport,
    where: str,
    tree: str,
    manifest: Manifest,
    loaded: Cargo,
    progress: Progress | None,
) -> None:
    local.prepare("1")
    copy = verified_copy.VerifiedCopy(_Held(tree, loaded), local, progress, same=TreeEntry.is_content_of)
    try:
        copy.carry(copy.look())
        if copy.complaint:
            hint = "Use another one: agentws backup list"
            raise DamagedError(f"The backup is incomplete: {copy.complaint}", hint=hint)
        for entry in copy.difference().send:
            if entry.path not in copy.there:
                raise DiskError(f"{entry.path}: missing in the restored copy.", hint="Re-run the same command.")
            raise DamagedError(
                f"{where}: {entry.path} does not match its digest.",
                hint="Restore another backup: agentws backup list. The parts that match can be copied by hand.",
            )
        copy.settle()
    except BaseException:
        local.abandon()
        raise
    there = local.activate(manifest.header.mode & inventory.RIGHTS, "")
    local_dir.prepare(Outside(there["path"]))


class _Held(Source):
    """The files of a backup, in the folder `root`."""

    def __init__(self, root: str, loaded: Cargo) -> None:
        super().__init__(root)
        self._entries, self.texts = loaded.entries, loaded.texts
        self._others = set(Files(os.path.dirname(root)).listing(_OTHERS))

    def scan(self) -> Inventory:
        """Return all entries, folders before their content."""
        entries = sorted(self._entries.values(), key=lambda entry: entry.path.split("/"))
        return {entry.path: entry for entry in entries}

    def opened(self, entry: TreeEntry) -> BinaryIO:
        """Open a file of the tree, or one that is beside it under its digest, since rclone would have renamed it."""
        if entry.content in self._others and not os.path.lexists(f"{self.root}/{entry.path}"):
            return opened(os.path.dirname(self.root), f"{_OTHERS}/{entry.content}")
        return super().opened(entry)
