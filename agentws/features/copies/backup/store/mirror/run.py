"""One run of a mirror: the events and documents that the newest backup lacks, as far as they are not there yet."""

from __future__ import annotations

import contextlib
import os
import stat

from agentws.core.formats import digest, layout
from agentws.core.formats.journal import chain, purge, segment
from agentws.core.formats.travel import mirror
from agentws.core.formats.travel.inventory import FILE
from agentws.core.formats.travel.mirror import State, Stretch
from agentws.core.journal import read
from agentws.errors import AgentwsError, MissingFileError, TooLargeError, UnsafeFileError
from agentws.features.copies.backup.store import source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files
    from agentws.core.formats.travel.backup import Manifest
    from agentws.features.copies.backup.store.mirror.medium import Medium

_AHEAD = "the mirror holds newer events of {} than this workspace; they were left there"


class Run:
    """Copies what `manifest`, the backup called `name`, lacks of the workspace in `files` to `medium`.

    `events` and `documents` count what was copied, `wrong` says what was not and why, `state` is the mirror afterwards,
    `newest_ns` the newest time of a document that was there to copy.
    """

    def __init__(self, files: Files, medium: Medium, name: str, manifest: Manifest) -> None:
        self.events = self.documents = self.newest_ns = 0
        self.wrong: list[str] = []
        agent = manifest.header.agent
        state = medium.state()
        self.state = state if state is not None and state.agent == agent else State(agent)
        self._before = b"" if self.state.odd else mirror.encode(self.state)  # what is odd there goes
        self.state.follows = name
        self._due: dict[str, bytes] = {}
        self._files = files
        self._medium = medium
        self._manifest = manifest

    def copy(self, at: str, host: str) -> None:
        """Copy it, and tell it in the state as of the moment `at`. DiskError."""
        if self._medium.is_bare:  # told first, so that a run which is killed leaves no files that nothing tells of
            self.state.at, self.state.host = at, host
            self._before = mirror.encode(self.state)
            self._medium.save(self.state)
        for writer in read.writers(self._files):
            self._writer(writer)
        self._all_documents()
        if mirror.encode(self.state) != self._before:
            self.state.at, self.state.host = at, host
            self._medium.save(self.state)
        for path, data in self._due.items():
            self._medium.put(path, data)
        self._drop_strays()
        self._medium.settle()

    def _drop_strays(self) -> None:
        """Take out what killed runs have left: what is told nowhere, and no blob."""
        told = {segment.path(writer, number) for writer, held in self.state.segments.items() for number in held}
        told |= {path for path, document in self.state.documents.items() if document is not None}
        for path in self._medium.paths():
            if path not in told and not mirror.blob_of(path):
                with contextlib.suppress(AgentwsError):  # nothing of ours: a link, a device, what is too large
                    self._medium.drop(path)

    # Events

    def _writer(self, writer: str) -> None:
        head = self._manifest.header.heads.get(writer, (0, ""))[0]
        line = read.newest_line(self._files, writer)
        last = segment.seq_of(line) if line else 0
        held = self.state.segments.setdefault(writer, {})
        if held and max(one.seq for one in held.values()) > last:
            self.wrong.append(_AHEAD.format(writer))
            return
        first = read.holding(self._files, writer, head + 1) if last > head else 0
        for number in [number for number in held if not first or number < first]:
            self._medium.drop(segment.path(writer, number))
            del held[number]
        if first:
            self._segments(writer, [number for number in read.segments(self._files, writer) if number >= first])
        self._drop_blobs(writer)

    def _segments(self, writer: str, numbers: list[int]) -> None:
        held, before = self.state.segments[writer], (0, "")
        for number in numbers:
            path = segment.path(writer, number)
            status = read.status(self._files, path)
            marks = status.st_size, status.st_ino, status.st_ctime_ns
            known = held.get(number)
            if known is None or known.marks != marks:
                try:
                    found = self._segment(writer, number, known, before, marks)
                except (ValueError, MissingFileError) as error:
                    self.wrong.append(f"{path}: {error}")
                    return
                if found is None:
                    return
                held[number] = known = found
                if number != numbers[-1]:
                    self._medium.save(self.state)
            before = known.seq, known.hash

    def _segment(
        self, writer: str, number: int, known: Stretch | None, before: tuple[int, str], marks: tuple[int, int, int]
    ) -> Stretch | None:
        """The segment as it is mirrored now, None where it has no line; ValueError where its chain is broken."""
        path = segment.path(writer, number)
        data = b"".join(block for _, block in read.blocks(self._files, writer, number))
        if not data:
            return None
        grown = known is not None and digest.of(data[: known.size]) == known.digest
        start = known.size if known is not None and grown else 0
        seq, prev = (known.seq, known.hash) if known is not None and grown else before if before[0] else _before(data)
        new = data[start:]
        hash_ = chain.check_lines(new, seq=seq + 1, prev=prev) if new else prev
        last = segment.seq_of(data[data.rfind(b"\n", 0, -1) + 1 :])
        if known is not None and not grown and not _has(data, known):
            raise ValueError("another journal than the mirror holds; that was left there")
        self._copy_blobs(writer, new)
        if new and not (start and self._medium.append(path, start, new)):
            self._medium.put(path, data)
        self.events += last - (known.seq if known is not None else max(seq, self._head(writer)))
        return Stretch(len(data), digest.of(data), last, hash_, marks)

    def _head(self, writer: str) -> int:
        return self._manifest.header.heads.get(writer, (0, ""))[0]

    def _copy_blobs(self, writer: str, lines: bytes) -> None:
        for line in lines.splitlines() if b'"blob"' in lines else ():
            name = purge.blob(line)
            path = segment.blob_path(writer, name) if name else ""
            if path and not self._medium.holds(path) and self._files.exists(path):
                self._medium.put(path, self._files.read(path))

    def _drop_blobs(self, writer: str) -> None:
        """Take out the blobs that the workspace has no longer: their events were purged."""
        folder = segment.blob_path(writer, "")[:-1]
        for name in self._medium.blobs(folder):
            if not self._files.exists(f"{folder}/{name}"):
                self._medium.drop(f"{folder}/{name}")

    # Documents

    def _all_documents(self) -> None:
        present = set()
        for path, status in source.walk(self._files.root, _others(self._files.root)):
            if stat.S_ISREG(status.st_mode) and mirror.is_document(path):
                present.add(path)
                self.newest_ns = max(self.newest_ns, status.st_mtime_ns)
                self._document(path, status)
        told, entries = self.state.documents, self._manifest.entries
        gone = {path for path, one in entries.items() if one.kind == FILE and mirror.is_document(path)} - present
        for path in {*told, *gone} - present:
            if told.get(path) is not None:
                self._medium.drop(path)
            if path in gone:
                told[path] = None
            else:
                del told[path]

    def _document(self, path: str, status: os.stat_result) -> None:
        old = self._manifest.entries.get(path)
        seen = stat.S_IMODE(status.st_mode), status.st_mtime_ns, status.st_size
        marks = status.st_ino, status.st_ctime_ns
        as_copied = old is not None and (old.mode, old.mtime_ns, old.size) == seen
        if as_copied and self._manifest.marks.get(path) == marks:
            self._forget(path)
            return
        try:
            data = self._files.read(path)
        except (MissingFileError, UnsafeFileError, TooLargeError):
            return
        content = digest.of(data)
        if old is not None and (old.content, old.mode) == (content, seen[0]):
            self._forget(path)
        else:
            self._due_now(path, data, (*seen[:2], len(data), content))

    def _due_now(self, path: str, data: bytes, told: tuple[int, int, int, str]) -> None:
        """Tell a document that is to be written, unless it stands there already."""
        known = self.state.documents.get(path)
        stands = known is not None and known[4] is None
        if known is not None and known[3] == told[3] and (stands or self._medium.digest(path) == told[3]):
            self.state.documents[path] = (*told, None)
            return
        before = self._medium.digest(path)
        self.state.documents[path] = (*told, before)
        self._due[path] = data
        self.documents += 1

    def _forget(self, path: str) -> None:
        """The document is what the backup holds."""
        if self.state.documents.pop(path, None) is not None:
            self._medium.drop(path)


def _before(data: bytes) -> tuple[int, str]:
    """Number and hash of the line before a segment, as its first line tells them."""
    line = data.partition(b"\n")[0]
    return segment.seq_of(line) - 1, line.partition(b'"prev":"')[2].partition(b'"')[0].decode("ascii", "replace")


def _has(data: bytes, known: Stretch) -> bool:
    """Return whether the newest line that is known stands in the segment, purged or not."""
    start = data.find(b'{"agentws":1,"seq":%d,' % known.seq)
    return start >= 0 and chain.hash_of(data[start:].partition(b"\n")[0]) == known.hash


def _others(root: str) -> frozenset[str]:
    """What need not be walked: the folders in the root that hold no document."""
    return frozenset(name for name in os.listdir(root) if os.path.isdir(f"{root}/{name}") and not layout.may_hold(name))
