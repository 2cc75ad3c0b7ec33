"""Remove purged event bodies from backups, if the destination allows changes.

The purge orders are in the workspace's journal, and in a file beside the journal of each backup older than them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from agentws.core.disk import local_dir, lock
from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.journal import event, purge, segment
from agentws.core.formats.journal.purge import LaterPurge, Order
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.backup import Manifest
from agentws.core.journal import read
from agentws.core.journal.sealing import pack, purge as _purge
from agentws.core.stores import order_trust, record, writer_trust
from agentws.core.stores.purges import PurgedEvent
from agentws.core.stores.record import Happening
from agentws.core.stores.stores import Stores
from agentws.core.stores.traces import HeldCopies
from agentws.errors import AgentwsError
from agentws.features.copies.backup.store import copies as _copies, reach
from agentws.features.copies.backup.store.backups import Backups
from agentws.features.copies.backup.store.folder import FolderBackups

Contents = dict[str, bytes | None]
Key = tuple[str, int, str]

_LOCK = "backup"


class Eraser:
    """Replaces files in backups; `reason` is recorded with each purge order that is not in the journal yet."""

    def __init__(self, stores: Stores, reason: str, *, run: str) -> None:
        self.notices: list[str] = []
        self.run = run
        self._stores = stores
        self._reason = reason
        self._known: dict[Key, LaterPurge] | None = None

    def purge(self, lines: Sequence[PurgedEvent]) -> list[HeldCopies]:
        """Remove the bodies of these events from the backups of all known destinations."""

        def erase(copies: HeldCopies, place: Backups) -> None:
            self.sweep(place)
            copies.left += [f"{name}: {_copies.INTERRUPTED}" for name in _interrupted(place, lines)]
            for name, manifest, tree, purges in holding(place, lines, copies):
                files = Files(tree)
                contents = {} if copies.stays else self.journal(files, manifest, purges)
                self.put(copies, place, name, manifest, contents, files)

        with self.alone():
            return _copies.each(self._stores, erase, all_=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the backup lock, so that no backup is made meanwhile."""
        files = self._stores.files
        local_dir.prepare(files)
        with lock.Lock(files, _LOCK, note="forget"):
            yield

    def sweep(self, place: Backups) -> None:
        """Remove the partial backups that killed runs of this workspace have left in a folder."""
        if isinstance(place, FolderBackups):
            place.sweep(reach.owner(self._stores.root))

    def put(
        self, copies: HeldCopies, place: Backups, name: str, manifest: Manifest, contents: Contents, files: Files
    ) -> None:
        """Replace the files of a backup by `contents`; `files` reads the old ones."""
        copies.names.append(name)
        if contents and isinstance(place, FolderBackups):
            spoiled = _spoiled(files, manifest, contents)
            copies.spoiled += [f"{name}: {path}" for path in spoiled]
            header = replace(manifest.header, spoiled=tuple(dict.fromkeys((*manifest.header.spoiled, *spoiled))))
            place.rewrite(name, replace(manifest, header=header), contents, at=self.run)
            copies.cleared.append(name)
            copies.files += len(contents)

    def journal(self, files: Files, manifest: Manifest, lines: Sequence[PurgedEvent]) -> Contents:
        """Return the changed journal files of a backup: segments without these bodies, removed blobs, purge orders."""
        if not lines:
            return {}
        orders = self._orders(lines)
        contents = _segments(files, manifest, [order.order for order in orders])
        for line in lines:
            if line.blob and not _is_named(files, manifest, contents, line.writer, line.blob):
                contents[segment.blob_path(line.writer, line.blob)] = None
        later = [order for order in orders if order.at > manifest.header.heads.get(order.by, (0, ""))[0]]
        if later:
            purges = purge.decode_later(files.read(purge.LATER_PATH)) if files.exists(purge.LATER_PATH) else []
            contents[purge.LATER_PATH] = purge.encode_later([*purges, *later])
        return {path: data for path, data in contents.items() if data is not None or path in manifest.entries}

    def _orders(self, lines: Sequence[PurgedEvent]) -> list[LaterPurge]:
        """Return the purge order of each of these events; missing orders are first recorded in the journal."""
        if self._known is None:
            but = writer_trust.of(self._stores).unknown
            good = order_trust.OrderTrust(self._stores).is_good
            pairs = [pair for pair in _purge.orders(self._stores.files, but=but) if good(pair[1])]
            self._known = {_key(order): LaterPurge(order, entry.writer, entry.seq) for order, entry in pairs}
        known = self._known
        new = list({_key(line): line for line in lines if _key(line) not in known}.values())
        wanted = [
            Happening(
                event.PURGE, purge.body(writer=purged.writer, seq=purged.seq, digest=purged.digest, reason=self._reason)
            )
            for purged in new
        ]
        recorded, notices = record.record(self._stores, wanted) if wanted else ([], [])
        self.notices += notices
        for purged, order in zip(new, recorded, strict=True):
            by = str(order.cursor).partition(":")[0]
            made = Order(purged.writer, purged.seq, purged.digest, str(order.id))
            known[_key(purged)] = LaterPurge(made, by, order.seq or 0)
        return [known[_key(line)] for line in lines]


def look(stores: Stores, lines: Sequence[PurgedEvent], *, reaches: bool) -> list[HeldCopies]:
    """Return, for each known destination, the backups that hold bodies of these events.

    Backups that cannot be changed are searched only with `reaches`.
    """

    def told(copies: HeldCopies, place: Backups) -> None:
        copies.names = [name for name, *_ in holding(place, lines, copies)] + copies.names
        copies.names += _interrupted(place, lines)

    return _copies.each(stores, told, all_=reaches)


def holding(
    place: Backups, lines: Sequence[PurgedEvent], copies: HeldCopies
) -> Iterator[tuple[str, Manifest, str, list[PurgedEvent]]]:
    """Yield (name, manifest, tree, events) of each backup that holds the bodies of some of these events.

    An unreadable backup is noted in `copies` and skipped.
    """
    for name, manifest in _copies.manifests(place, copies):
        writers = tuple(f"{layout.JOURNAL}/{purged.writer}/" for purged in lines)
        with place.tree(name, [path for path in manifest.entries if path.startswith(writers)]) as tree:
            purges = [purged for line in lines if (purged := whole(Files(tree), line)) is not None]
            if purges:
                yield name, manifest, tree, purges


def _interrupted(place: Backups, lines: Sequence[PurgedEvent]) -> list[str]:
    """Return the folders of interrupted backups that hold the bodies of some of these events."""
    if not isinstance(place, FolderBackups):
        return []
    trees = {name: Files(f"{place.place}/{name}/{backup.TREE}") for name in place.leftovers()}
    return [name for name, files in trees.items() if any(whole(files, line) is not None for line in lines)]


def _spoiled(files: Files, manifest: Manifest, contents: Contents) -> list[str]:
    """Return the changed paths whose old file was damaged: it differs from the backup's manifest."""
    entries = manifest.entries
    present = [path for path, data in contents.items() if data is not None and path in entries]
    return [path for path in present if files.digest(path) != entries[path].content]


def segments(manifest: Manifest) -> dict[str, tuple[str, int]]:
    """Return the writer and number of each journal segment of a backup, by path."""
    result: dict[str, tuple[str, int]] = {}
    for path in manifest.entries:
        names = path.split("/")
        number = segment.number_of(names[-1].removesuffix(segment.GZ)) if len(names) in (3, 4) else None
        plain = segment.path(names[1], number) if number else ""
        if number and path in (plain, segment.packed_path(plain)):
            result[path] = (names[1], number)
    return result


def whole(files: Files, line: PurgedEvent) -> PurgedEvent | None:
    """Return an event as a backup holds it, with its body; None if the body is not in the backup."""
    try:
        entry = read.find(files, line.writer, line.seq)
        purged = PurgedEvent(entry, 0, purge.blob(read.line_of(files, entry)))
    except AgentwsError:
        return None
    return purged if entry.body is not None and purged.digest == line.digest else None


def _segments(files: Files, manifest: Manifest, orders: Sequence[Order]) -> Contents:
    """Return the segments with ordered events, plain or packed, without the bodies of these events."""
    places: dict[str, list[Order]] = {}
    for order in orders:
        path = segment.path(order.writer, read.holding(files, order.writer, order.seq))
        for form in (path, segment.packed_path(path)):
            if form in manifest.entries:
                places.setdefault(form, []).append(order)
    contents: Contents = {}
    for path, some in places.items():
        new, _ = _purge.without(pack.lines(path, files.read(path)), some)
        contents[path] = pack.stored(path, new)
    return contents


def _is_named(files: Files, manifest: Manifest, contents: Contents, writer: str, blob: str) -> bool:
    """Return whether an event in a backup's journal still refers to a blob."""
    for path, (name, _) in segments(manifest).items():
        if name == writer:
            data = contents[path] if path in contents else files.read(path)
            if data is not None and blob.encode() in pack.lines(path, data):
                return True
    return False


def _key(purged: Order | PurgedEvent) -> Key:
    return purged.writer, purged.seq, purged.digest
