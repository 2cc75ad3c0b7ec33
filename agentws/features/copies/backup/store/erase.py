"""Find what is to be purged or forgotten in the backups of all known destinations, and remove it where they can change.

The purge orders are in the workspace's journal, and in a file beside the journal of each backup older than them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Generic, TypeVar

from agentws.core.disk import local_dir, lock
from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.journal import event, purge, segment
from agentws.core.formats.journal.purge import LaterPurge, Order
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.backup import Manifest
from agentws.core.installation import backups
from agentws.core.journal import read
from agentws.core.journal.sealing import pack, purge as _purge
from agentws.core.stores import order_trust, record, writer_trust
from agentws.core.stores.purges import PurgedEvent
from agentws.core.stores.record import Happening
from agentws.core.stores.stores import Stores
from agentws.core.stores.traces import HeldCopies
from agentws.errors import AgentwsError
from agentws.features.copies.backup.store import reach
from agentws.features.copies.backup.store.backups import Backups
from agentws.features.copies.backup.store.folder import FolderBackups

Contents = dict[str, bytes | None]
Key = tuple[str, int, str]
Match = TypeVar("Match")

GIT = ".git/"
_LOCK = "backup"
_INTERRUPTED = "an interrupted backup: delete this folder, if none is being made"
_UNREADABLE = "the backup cannot be read"


class Search(Generic[Match]):
    """A search of backups for something to be removed; each `Match` is one place of a backup that holds it."""

    is_text = False
    """Whether a text is searched for, of which the files with matches are counted; else bodies of events."""

    def paths(self, manifest: Manifest) -> list[str]:
        """Return the paths of a backup whose contents have to be read."""
        raise NotImplementedError

    def held(self, manifest: Manifest, tree: str) -> list[Match]:
        """Return the matches in a backup whose files are in the folder `tree`."""
        raise NotImplementedError

    def is_beneath(self, tree: str) -> bool:
        """Return whether there is a match in a folder without a manifest."""
        raise NotImplementedError

    def without(
        self, eraser: Eraser, manifest: Manifest, tree: str, held: Sequence[Match]
    ) -> tuple[Contents, list[str]]:
        """Return the changed files of a backup without these matches, and what keeps some, as (path, why)."""
        raise NotImplementedError


def look(stores: Stores, search: Search[Match], *, reaches: bool) -> list[HeldCopies]:
    """Return, for each known destination, the backups with matches.

    Backups that cannot be changed are searched only with `reaches`.
    """

    def act(copies: HeldCopies, place: Backups) -> None:
        for name, _, _, held in _holding(place, search, copies):
            copies.files += len(held) if search.is_text else 0
            copies.names.append(name)
        copies.names += _interrupted(place, search)

    return _each(stores, act, all_=reaches)


def clear(eraser: Eraser, search: Search[Match]) -> list[HeldCopies]:
    """Remove the matches from the backups of all known destinations that can change, while no backup is made."""

    def act(copies: HeldCopies, place: Backups) -> None:
        if isinstance(place, FolderBackups):  # what killed runs of this workspace have left
            place.sweep(reach.owner(eraser.stores.root))
        copies.left += [f"{name}: {_INTERRUPTED}" for name in _interrupted(place, search)]
        for name, manifest, tree, held in _holding(place, search, copies):
            contents, left = ({}, []) if copies.stays else search.without(eraser, manifest, tree, held)
            copies.left += [f"{name}: {words}" for words in left]
            copies.names.append(name)
            if contents and isinstance(place, FolderBackups):
                spoiled = _spoiled(Files(tree), manifest, contents)
                copies.spoiled += [f"{name}: {path}" for path in spoiled]
                header = replace(manifest.header, spoiled=tuple(dict.fromkeys((*manifest.header.spoiled, *spoiled))))
                place.rewrite(name, replace(manifest, header=header), contents, at=eraser.run)
                copies.cleared.append(name)
                copies.files += len(contents)

    files = eraser.stores.files
    local_dir.prepare(files)
    with lock.Lock(files, _LOCK, note="forget"):
        return _each(eraser.stores, act, all_=not search.is_text)


def _holding(
    place: Backups, search: Search[Match], copies: HeldCopies
) -> Iterator[tuple[str, Manifest, str, list[Match]]]:
    """Yield (name, manifest, tree, matches) of each backup with matches; an unreadable one is noted in `copies`."""
    for name in place.names():
        try:
            manifest = place.manifest(name)
        except AgentwsError:
            copies.names.append(name)
            copies.left.append(f"{name}: {_UNREADABLE}")
            continue
        copies.git = copies.git or (search.is_text and f"{GIT}objects" in manifest.entries)
        with place.tree(name, search.paths(manifest)) as tree:
            held = search.held(manifest, tree)
            if held:
                yield name, manifest, tree, held


def _interrupted(place: Backups, search: Search[Match]) -> list[str]:
    """Return the folders of interrupted backups with matches."""
    names = place.leftovers() if isinstance(place, FolderBackups) else ()
    return [name for name in names if search.is_beneath(f"{place.place}/{name}/{backup.TREE}")]


def _each(stores: Stores, act: Callable[[HeldCopies, Backups], None], *, all_: bool) -> list[HeldCopies]:
    """Call `act` for each known destination of backups, and return the results; an unreachable one is `absent`.

    Backups that cannot be changed must be fetched to be searched; they are skipped unless `all_`.
    """
    result = []
    for destination in backups.read(*stores.machine):
        copies = HeldCopies(destination.to)
        result.append(copies)
        try:
            to = reach.named(destination.to)
            # What is fetched must not stay in the cache of this machine, which is cleared.
            with closing(reach.at(to, stores.manifest.agent_id, stores.manifest.name, known=True)) as place:
                copies.place, copies.stays = place.place, place.stays()
                if all_ or not copies.stays:
                    act(copies, place)
                    copies.is_searched = True
        except (AgentwsError, OSError) as error:
            copies.absent = error.message.rstrip(".") if isinstance(error, AgentwsError) else str(error)
    return result


class EventSearch(Search[PurgedEvent]):
    """A search for the bodies of these events."""

    def __init__(self, lines: Sequence[PurgedEvent]) -> None:
        self._lines = lines

    def paths(self, manifest: Manifest) -> list[str]:
        """Return the paths of the journals of their writers."""
        writers = tuple(f"{layout.JOURNAL}/{line.writer}/" for line in self._lines)
        return [path for path in manifest.entries if path.startswith(writers)]

    def held(self, _: Manifest, tree: str) -> list[PurgedEvent]:
        """Return those of the events whose bodies are in a backup, as it holds them."""
        return [purged for line in self._lines if (purged := whole(Files(tree), line)) is not None]

    def is_beneath(self, tree: str) -> bool:
        """Return whether the body of one of them is in a folder."""
        return any(whole(Files(tree), line) is not None for line in self._lines)

    def without(
        self, eraser: Eraser, manifest: Manifest, tree: str, held: Sequence[PurgedEvent]
    ) -> tuple[Contents, list[str]]:
        """Return the changed journal files of a backup without these bodies."""
        return eraser.journal(Files(tree), manifest, held), []


class Eraser:
    """Takes bodies out of the journals of backups; `reason` is recorded with each purge order that is new."""

    def __init__(self, stores: Stores, reason: str, *, run: str) -> None:
        self.notices: list[str] = []
        self.run = run
        self.stores = stores
        self._reason = reason
        self._known: dict[Key, LaterPurge] | None = None

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
            but = writer_trust.of(self.stores).unknown
            good = order_trust.OrderTrust(self.stores).is_good
            pairs = [pair for pair in _purge.orders(self.stores.files, but=but) if good(pair[1])]
            self._known = {_key(order): LaterPurge(order, entry.writer, entry.seq) for order, entry in pairs}
        known = self._known
        new = list({_key(line): line for line in lines if _key(line) not in known}.values())
        wanted = [
            Happening(
                event.PURGE, purge.body(writer=purged.writer, seq=purged.seq, digest=purged.digest, reason=self._reason)
            )
            for purged in new
        ]
        recorded, notices = record.record(self.stores, wanted) if wanted else ([], [])
        self.notices += notices
        for purged, order in zip(new, recorded, strict=True):
            by = str(order.cursor).partition(":")[0]
            made = Order(purged.writer, purged.seq, purged.digest, str(order.id))
            known[_key(purged)] = LaterPurge(made, by, order.seq or 0)
        return [known[_key(line)] for line in lines]


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
