"""What the mirrors beside the newest backup add to it: events whose chain goes on from its own, newer documents.

Nothing is believed of a mirror but what follows from the backup: a segment has to contain, or to follow, the newest
line of its writer there, a blob is called by its digest, a document has the digest that `mirror.json` tells.

A mirror follows a backup. What it tells of a document is taken where the newest backup holds what that one held; where
both have gone on, or another mirror tells otherwise, the document of the backup stays, and the other one is named.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentws.core.formats import digest, layout
from agentws.core.formats.journal import chain, segment
from agentws.core.formats.journal.chain import Stretch
from agentws.core.formats.travel import backup, mirror
from agentws.core.formats.travel.backup import Manifest
from agentws.core.formats.travel.inventory import FILE, FOLDER, Inventory, TreeEntry
from agentws.core.formats.travel.mirror import Document, State
from agentws.core.journal import read
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.copies.backup.store.folder import FolderBackups
from agentws.features.copies.backup.store.mirror import medium
from agentws.features.copies.backup.store.mirror.medium import Medium

_FILE_MODE, _FOLDER_MODE = 0o600, 0o700
_APART = "{} of the mirror in {}: another version, which was left there"


class Overlay:
    """What is newer than a backup: the files of the mirrors by path, and the documents that went since (`removed`).

    `heads` are number and hash of the newest event of each writer, `events` and `documents` count what is newer,
    `at` is the moment of the newest mirror (empty: there is none), `wrong` says what was not taken and why, `apart`
    which documents have another version in a mirror.
    """

    def __init__(self, heads: dict[str, tuple[int, str]]) -> None:
        self.entries: Inventory = {}
        self.removed: list[str] = []
        self.heads = dict(heads)
        self.events = self.documents = 0
        self.at = ""
        self.wrong: list[str] = []
        self.apart: list[str] = []
        self._from: dict[str, Medium] = {}

    def read(self, entry: TreeEntry) -> bytes:
        """The content of one of the entries. DiskError, MissingFileError."""
        return self._from[entry.path].tree.part(entry.path, entry.size)[0]

    def onto(self, entries: Inventory) -> None:
        """Let the entries of a backup be those of the workspace as the mirrors tell it."""
        for path in self.removed:
            entries.pop(path, None)
        for path, entry in self.entries.items():
            entries.update(_above(path, entry, entries))
            entries[path] = entry

    def add(self, path: str, data: bytes, mode: int, mtime_ns: int, source: Medium) -> None:
        """Take a file from a mirror."""
        self.entries[path] = TreeEntry(path, FILE, mode, mtime_ns, len(data), digest.of(data))
        self._from[path] = source


def _above(path: str, entry: TreeEntry, entries: Inventory) -> Inventory:
    """The folders above a path that the entries lack."""
    mode = _FOLDER_MODE if path.startswith(f"{layout.JOURNAL}/") else 0o755
    return {
        folder: TreeEntry(folder, FOLDER, mode, entry.mtime_ns, 0, "")
        for folder in folders(path)
        if folder not in entries
    }


def folders(path: str) -> list[str]:
    """The folders above a path, the outermost first."""
    names = path.split("/")[:-1]
    return ["/".join(names[:depth]) for depth in range(1, len(names) + 1)]


def newer(place: str, name: str, manifest: Manifest) -> Overlay:
    """Return what the mirrors in the folder of an agent's backups add to `manifest`, that of the backup `name`.

    At a destination that is no folder, nothing: it takes no mirror.
    """
    overlay = Overlay(manifest.header.heads)
    mirrors: list[tuple[Medium, State]] = []
    for replica in (each for each in medium.all_of(place) if not each.is_bare):
        try:
            state = replica.state()
        except AgentwsError:
            state = None
        if state is None or state.agent != manifest.header.agent:
            overlay.wrong.append(f"{replica.place}/{mirror.FOLDER}/{replica.owner}: unreadable mirror")
            continue
        overlay.wrong += [f"{path} of the mirror: not a document" for path in state.odd]
        events = sum(_events(overlay, replica, state, writer, manifest) for writer in state.segments)
        overlay.events += events
        mirrors.append((replica, state))
        if events or state.follows == name:
            overlay.at = max(overlay.at, state.at)
    _documents(overlay, mirrors, name, manifest)
    return overlay


def _events(overlay: Overlay, replica: Medium, state: State, writer: str, manifest: Manifest) -> int:
    """Take the segments of a writer, as far as their chain goes on from the backup; how many events are newer."""
    head = overlay.heads.get(writer, (0, chain.genesis(manifest.header.agent, writer)))
    last: tuple[int, str] | None = None
    for number in sorted(state.segments[writer]):
        path = segment.path(writer, number)
        try:
            data = b"".join(block for _, block in read.blocks(replica.tree, writer, number))
            if not data:
                continue
            lines = chain.unbroken(data, last)
            if last is None or last[0] < head[0]:
                _check_passes(lines, head)
        except (ValueError, AgentwsError) as error:
            overlay.wrong.append(f"{path} of the mirror: {error}")
            break
        last = lines.last
        if lines.hashes and last[0] > head[0]:
            overlay.add(path, data[: lines.end], _FILE_MODE, replica.tree.status(path).st_mtime_ns, replica)
            overlay.heads[writer] = last
        if lines.wrong:
            overlay.wrong.append(f"{path} of the mirror: damaged after event {last[0]}")
            break
    if overlay.heads.get(writer, head) != head:
        _blobs(overlay, replica, writer, manifest)
    return max(0, last[0] - head[0]) if last else 0


def _check_passes(lines: Stretch, head: tuple[int, str]) -> None:
    """Raise ValueError unless these lines, the first of a mirror, end before the backup's newest line or contain it."""
    hashes = [lines.before[1], *lines.hashes]
    index = head[0] - lines.before[0]
    if index >= len(hashes) and lines.wrong:
        raise ValueError(lines.wrong)
    if index < 0 or (index < len(hashes) and hashes[index] != head[1]):
        raise ValueError("it does not go on from the backup")


def _blobs(overlay: Overlay, replica: Medium, writer: str, manifest: Manifest) -> None:
    folder = segment.blob_path(writer, "")[:-1]
    for name in replica.tree.listing(folder):
        path = f"{folder}/{name}"
        if path in manifest.entries or path in overlay.entries or not mirror.blob_of(path):
            continue
        data = replica.tree.read(path)
        if digest.of(data) == name:
            overlay.add(path, data, _FILE_MODE, replica.tree.status(path).st_mtime_ns, replica)


def _documents(overlay: Overlay, mirrors: Iterable[tuple[Medium, State]], name: str, manifest: Manifest) -> None:
    """Take from the mirrors what is newer than `manifest`, that of the backup `name`; the newest mirror comes first."""
    for replica, state in sorted(mirrors, key=lambda each: (each[1].follows == name, each[1].at), reverse=True):
        before = manifest.entries if state.follows == name else _followed(replica, state)
        for path, document in state.documents.items():
            _document(overlay, replica, path, document, before, manifest)


def _followed(replica: Medium, state: State) -> Inventory | None:
    """What the backup that a mirror follows holds; None where nobody can tell."""
    if not backup.number_of(state.follows):
        return None
    try:
        manifest = FolderBackups(replica.place).manifest(state.follows)
    except AgentwsError:
        return None
    return manifest.entries if manifest.header.agent == state.agent else None


def _document(
    overlay: Overlay,
    replica: Medium,
    path: str,
    document: Document | None,
    before: Inventory | None,
    manifest: Manifest,
) -> None:
    new, now = document[3] if document is not None else "", _content(manifest.entries, path)
    taken = "" if path in overlay.removed else _content(overlay.entries, path)
    is_taken = path in overlay.removed or path in overlay.entries
    if new == (taken if is_taken else now):
        return
    if is_taken or before is None or now != _content(before, path):
        overlay.apart.append(_APART.format(path, f"{replica.place}/{mirror.FOLDER}/{replica.owner}"))
    elif document is None:
        overlay.removed.append(path)
        overlay.documents += 1
    else:
        _add(overlay, replica, path, document, manifest)


def _add(overlay: Overlay, replica: Medium, path: str, document: Document, manifest: Manifest) -> None:
    mode, mtime_ns, _, content, before = document
    try:
        data = replica.tree.read(path)
    except MissingFileError:
        if before != "":  # else it was to be written
            overlay.wrong.append(f"{path} of the mirror: missing")
        return
    except AgentwsError as error:
        overlay.wrong.append(f"{path} of the mirror: {error.message}")
        return
    if digest.of(data) not in (content, before) or not _has_room(path, manifest):
        overlay.wrong.append(f"{path} of the mirror: not what was copied")
        return
    overlay.add(path, data, mode & 0o777, mtime_ns, replica)
    overlay.documents += 1


def _content(entries: Inventory, path: str) -> str:
    """The digest of a file; empty where there is none."""
    entry = entries.get(path)
    return entry.content if entry is not None else ""


def _has_room(path: str, manifest: Manifest) -> bool:
    """Return whether a file may stand at `path`: nothing above it is a link or a file, and no folder stands there."""
    present = manifest.entries.get(path)
    above = [manifest.entries.get(folder) for folder in folders(path)]
    return (present is None or present.kind == FILE) and all(entry is None or entry.kind == FOLDER for entry in above)
