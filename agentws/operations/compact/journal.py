"""The journal's share of `compact`: old segments are compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.errors import DamagedError
from agentws.formats import digest, layout, manifest
from agentws.formats.journal import segment
from agentws.storage.disk import local_dir, lock
from agentws.storage.journal import read
from agentws.storage.journal.retention import pack

if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores

_LOCK_TIMEOUT_S = 30.0


class JournalCompacted:
    """The segments that were compressed (RelPaths), or would be, and their size before and after in bytes."""

    __slots__ = ("after", "before", "compressed")

    def __init__(self) -> None:
        self.compressed: list[str] = []
        self.before = self.after = 0


def compact(stores: Stores, *, dry_run: bool) -> JournalCompacted:
    """Compress the old segments of every writer; with `dry_run` only say which, and `after` is unknown (0)."""
    done = JournalCompacted()
    if not stores.adopted:
        return done
    files = stores.files
    if not dry_run:
        local_dir.prepare(files)
        with lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
            for writer in read.writers(files):
                pack.clear(files, writer)
    due = [(writer, number) for writer in read.writers(files) for number in pack.due(files, writer)]
    if due and not dry_run:
        _require(stores, manifest.JOURNAL_GZ)
    for writer, number in due:
        _one(stores, writer, number, done, dry_run=dry_run)
    return done


def _one(stores: Stores, writer: str, number: int, done: JournalCompacted, *, dry_run: bool) -> None:
    path = segment.path(writer, number)
    try:
        before, after = (stores.files.size(path), 0) if dry_run else pack.pack(stores.files, writer, number)
    except DamagedError as error:
        stores.notices.append(f"{error.message} {error.hint or ''}".rstrip())
        return
    if before:
        done.compressed.append(path)
        done.before, done.after = done.before + before, done.after + after


def _require(stores: Stores, feature: str) -> None:
    """Let the manifest say, durably and before it is true, that earlier versions cannot read this workspace."""
    with lock.Lock(stores.files, lock.TRANSACTION, timeout_s=_LOCK_TIMEOUT_S):
        before = stores.files.read(layout.MANIFEST)
        after = manifest.with_feature(before.decode(), feature, where=layout.MANIFEST).encode()
        if after != before:
            stores.files.replace(layout.MANIFEST, after, expects=digest.of(before))
        else:
            stores.files.sync_way(layout.MANIFEST)  # whoever wrote it may have been killed before its name was durable
    stores.load()
