"""Find forgotten text in backups, and remove it; each file content is searched once.

As in a workspace, these are lines of documents, compaction's records of them, and bodies of events.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import zlib
from dataclasses import dataclass, field

from agentws.core.disk import content
from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.journal import event, segment
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.inventory import FILE, LINK, TreeEntry
from agentws.core.journal import unpacked
from agentws.core.journal.sealing import pack
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, DamagedError, MissingFileError
from agentws.features.copies.backup.store import erase
from agentws.features.copies.backup.store.erase import GIT, Contents, Search
from agentws.features.copies.transfer import disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from agentws.core.environment import Environment
    from agentws.core.formats.travel.backup import Manifest
    from agentws.core.stores.traces import Sought
    from agentws.features.copies.backup.store.erase import Eraser

_RECALLED = f'"kind":"{event.RECALLED}"'.encode()
_BLOB = re.compile(rb'"blob":"([0-9a-f]{64})"')
_PIECE = 1 << 20
_LONGEST = 8 << 20
"""Longest line searched as a whole; longer ones are searched in overlapping pieces."""
_OVERLAP = 1 << 15
_KEPT = "not a document, or a name"


@dataclass(slots=True)
class Look:
    """The result of searching a file: whether it `holds` a match, has `recalls`, and which `blobs` it names."""

    holds: bool
    recalls: bool = False
    blobs: set[str] = field(default_factory=set)


class TextSearch(Search[str]):
    """A search for forgotten text, each content once; a match is the path of a file with it."""

    is_text = True

    def __init__(self, sought: Sought, environment: Environment) -> None:
        self._sought = sought
        self._environment = environment
        self._known: dict[str, Look] = {}
        self._digests: dict[tuple[int, ...], str] = {}

    def _of(self, files: Files, entry: TreeEntry) -> Look:
        """Return the search result of a file; an unreadable file counts as a match."""
        try:
            content = _key(entry.path, self._content(files, entry))
            if content not in self._known:
                self._known[content] = self._look(files, entry.path)
            return self._known[content]
        except (AgentwsError, OSError, EOFError, zlib.error):
            return Look(True)

    def _content(self, files: Files, entry: TreeEntry) -> str:
        """Return the digest of a file's actual content, which may differ from the manifest's.

        For a file that was not fetched, since its content was searched before, it is the manifest's digest.
        """
        try:
            status = files.status(entry.path)
        except MissingFileError:
            if _key(entry.path, entry.content) in self._known:
                return entry.content
            raise
        mark = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if mark not in self._digests:
            with open(files.open(entry.path), "rb") as stream:
                self._digests[mark] = hashlib.file_digest(stream, "sha256").hexdigest()
        return self._digests[mark]

    def _look(self, files: Files, path: str) -> Look:
        result = Look(False)
        for piece in _pieces(files, path):
            result.holds = result.holds or self._sought.is_in_bytes(piece)
            if _is_journal(path):
                result.recalls = result.recalls or _RECALLED in piece
                result.blobs |= {name.decode() for name in _BLOB.findall(piece)}
        return result

    def paths(self, manifest: Manifest) -> list[str]:
        """Return the paths of a backup's files whose content was not searched yet."""
        texts = {
            _key(entry.path, entry.content): entry.path
            for entry in reversed(manifest.entries.values())
            if entry.kind == FILE and not entry.path.startswith(GIT)
        }
        return [path for key, path in texts.items() if key not in self._known]

    def held(self, manifest: Manifest, tree: str) -> list[str]:
        """Return the paths in a backup whose content or name matches, and the manifest's if its header matches."""
        files = Files(tree)
        names = [entry.path for entry in manifest.entries.values() if self._is_in(files, entry)]
        header = manifest.header
        texts = (header.name, header.host, header.root, *header.damage)
        return names + ([backup.MANIFEST] if any(map(self._tells, texts)) else [])

    def is_beneath(self, tree: str) -> bool:
        """Return whether any content or name in a folder without a manifest matches."""
        files = Files(tree)
        found = disk.walk(tree, ()) if os.path.isdir(tree) else ()
        entries = (disk.describe(tree, path, status, digests=False) for path, status in found)
        return any(self._is_in(files, TreeEntry(*entry[:6])) for entry in entries if entry is not None)

    def without(self, eraser: Eraser, manifest: Manifest, tree: str, held: Sequence[str]) -> tuple[Contents, list[str]]:
        """Return the changed files of a backup without the matches, and the paths that still match, with the reason."""
        copy = Stores(tree, self._environment)
        copy.load()
        changes, places = self._sought.documents(copy, run=eraser.run)
        contents: Contents = {change.path: change.data for change in changes if change.path in manifest.entries}
        only = self._segments(copy.files, manifest, held, recalls=bool(places))
        events = self._sought.events(copy, places, only) if only else []
        contents |= eraser.journal(copy.files, manifest, [event for event in events if not event.already])
        contents |= dict.fromkeys(path for path in self._sought.whole_files(copy, held) if path in manifest.entries)
        return contents, [f"{path} ({_KEPT})" for path in held if self._keeps(contents, path)]

    def _segments(
        self, files: Files, manifest: Manifest, held: Collection[str], *, recalls: bool
    ) -> set[tuple[str, int]]:
        """Return the segments (writer, number) that may match, also by a blob or a recall receipt."""
        blobs = {path.rpartition("/")[2] for path in held if "/blobs/" in path}
        segments = set()
        for path, place in erase.segments(manifest).items():
            look = self._of(files, manifest.entries[path])
            if look.holds or not blobs.isdisjoint(look.blobs) or (recalls and look.recalls):
                segments.add(place)
        return segments

    def _keeps(self, contents: Mapping[str, bytes | None], path: str) -> bool:
        """Return whether a file with a match still matches after the change."""
        if path not in contents:
            return True
        data = contents[path]
        return data is not None and (self._sought.is_in(path) or self._sought.is_in_bytes(pack.lines(path, data)))

    def _is_in(self, files: Files, entry: TreeEntry) -> bool:
        """Return whether an entry's content or name matches; git objects are not searched."""
        if self._tells(entry.path) or (entry.kind == LINK and self._tells(entry.content)):
            return True
        return entry.kind == FILE and not entry.path.startswith(GIT) and self._of(files, entry).holds

    def _tells(self, text: str) -> bool:
        return self._sought.is_in(text)


def _key(path: str, content: str) -> str:
    """Return the key of a content: journal files have their own keys, since they are searched for more."""
    return f"{layout.JOURNAL}/{content}" if _is_journal(path) else content


def _is_journal(path: str) -> bool:
    return path.startswith(f"{layout.JOURNAL}/")


def _pieces(files: Files, path: str) -> Iterator[bytes]:
    if not (_is_journal(path) and path.endswith(segment.GZ)):
        yield from content.pieces(files, path)  # what else is compressed is not looked into, as in a workspace
        return
    with open(files.open(path), "rb") as raw, gzip.open(raw) as stream:
        before = b""
        size = 0
        while piece := stream.read(_PIECE):
            size += len(piece)
            if size > unpacked.MOST_BYTES:
                raise DamagedError(f"{path}: larger than any segment.")
            whole, _, before = (before + piece).rpartition(b"\n")
            yield whole
            if len(before) > _LONGEST:
                yield before
                before = before[-_OVERLAP:]
        yield before
