"""The journal's part of `compact`: retires its beginning by `journal.keep`, and compresses old segments."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.disk import local_dir, lock
from agentws.core.formats import manifest
from agentws.core.formats.journal import segment
from agentws.core.journal import read
from agentws.core.journal.sealing import pack
from agentws.core.stores.stores import Stores
from agentws.errors import DamagedError
from agentws.features.journal import feature

_KEEP = "journal.keep"


class JournalCompacted(Result):
    """The result of compaction in the journal: the RelPaths of retired and of compressed segments, and the size in
    bytes of the latter before and after.
    """

    __slots__ = ("after", "before", "compressed", "keep", "retired")

    def __init__(self, keep: str = "") -> None:
        self.keep = keep
        self.retired: list[str] = []
        self.compressed: list[str] = []
        self.before = self.after = 0


def compact(stores: Stores, *, dry_run: bool) -> JournalCompacted:
    """Retire segments that `journal.keep` no longer keeps, and compress the old segments of every writer.

    With `dry_run` nothing is changed, and `after` is unknown (0).
    """
    done = JournalCompacted(str(stores.manifest.setting(_KEEP)))
    if not stores.adopted:
        return done
    if not dry_run:
        _clear(stores)
    if done.keep or not dry_run:
        from agentws.features.journal import retirement  # it imports all of sealing

        done.retired = retirement.planned(stores) if dry_run else retirement.carry_out(stores)
    _compress(stores, done, dry_run=dry_run)
    return done


def _clear(stores: Stores) -> None:
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, lock.APPEND):
        for writer in read.writers(stores.files):
            pack.clear(stores.files, writer)


def _compress(stores: Stores, done: JournalCompacted, *, dry_run: bool) -> None:
    files = stores.files
    due = [(writer, number) for writer in read.writers(files) for number in pack.due(files, writer)]
    due = [pair for pair in due if segment.path(*pair) not in done.retired]
    # Also if segments were compressed before: an earlier manifest may have been restored.
    if not dry_run and (due or any(files.unsorted(segment.packed_folder(writer)) for writer in read.writers(files))):
        feature.require(stores, manifest.JOURNAL_GZ)
    for writer, number in due:
        path = segment.path(writer, number)
        try:
            before, after = (files.size(path), 0) if dry_run else pack.pack(files, writer, number)
        except DamagedError as error:
            stores.notices.append(f"{error.message} {error.hint or ''}".rstrip())
            continue
        if before:
            done.compressed.append(path)
            done.before, done.after = done.before + before, done.after + after
