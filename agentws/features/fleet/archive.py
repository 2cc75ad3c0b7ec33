"""An archive of the journal in object storage: every closed segment, compressed, and the blobs of its lines.

The names are those of the workspace, behind the agent's id, so a copy of them is a journal again. An object is created
once and never changed, but to take out what was purged here.
"""

from __future__ import annotations

import itertools
import os
import re
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from agentws.core.disk import files as _files
from agentws.core.formats import digest, layout
from agentws.core.formats.journal import chain, packed, purge, segment
from agentws.core.journal import read, unpacked
from agentws.core.journal.sealing import verify as _verify
from agentws.errors import AgentwsError, DamagedError, MissingFileError, NestedWorkspaceError, UsageError
from agentws.features.fleet.object_store import UNUSABLE, ObjectStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentws.core.disk.files import Files
    from agentws.core.stores.stores import Stores

_MOST_BLOB_BYTES = 64 << 20
"""Larger than any blob by agentws."""
_PATH = re.compile(rf"{layout.JOURNAL}/[0-9a-f]{{16}}/(?:packed/[0-9]{{6,}}\.jsonl\.gz|blobs/[0-9a-f]{{64}})")


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault of a file of the archive or of the journal."""

    path: str
    what: str


@dataclass(slots=True)
class Archived:
    """What an archive run wrote: objects that are new, objects that were there and are equal, and those from which
    purged content was taken; `bytes` were written. What has `problems` was left alone.
    """

    url: str
    agent: str
    dry_run: bool
    new: int = 0
    equal: int = 0
    purged: int = 0
    bytes: int = 0
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Verified:
    """What an archive holds: its objects, the events in its segments, and what is wrong. `waiting` closed segments of
    the workspace are not archived yet.
    """

    url: str
    agent: str
    objects: int
    events: int
    waiting: int
    problems: tuple[Problem, ...]
    folder: str | None = None


def archive(stores: Stores, place: ObjectStore, *, dry_run: bool = False) -> Archived:
    """Write the closed segments of all writers, and their blobs, to the archive; each is checked first.

    The newest segment of a writer is not closed. Whatever is there already is read and compared.
    """
    files, agent = stores.files, stores.manifest.agent_id
    if place.folder is not None and f"{os.path.realpath(place.folder)}/".startswith(f"{files.root}/"):
        raise NestedWorkspaceError("The archive would be inside of the workspace.", hint="Choose a folder elsewhere.")
    run = _Run(files, place, {*place.names(agent)}, Archived(place.url, agent, dry_run))
    for writer in read.writers(files):
        numbers = read.segments(files, writer)[:-1]
        last: tuple[int, str] | None = (0, chain.genesis(agent, writer)) if numbers[:1] == [1] else None
        for number in numbers:
            last = run.segment(writer, number, last)
    return run.done


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of `archive`; `known` are the names of the objects that are there."""

    files: Files
    place: ObjectStore
    known: set[str]
    done: Archived

    def segment(self, writer: str, number: int, last: tuple[int, str] | None) -> tuple[int, str] | None:
        """Archive a segment that follows the line `last` (number, hash); return its last line, None if unknown."""
        path = segment.path(writer, number)
        with self._noted(path):
            lines = read.part(self.files, path, unpacked.MOST_BYTES)[0]
            stretch = chain.unbroken(lines, last)
            if stretch.wrong:
                raise DamagedError(f"damaged, so it was not archived: {stretch.wrong}")
            for name in sorted(_blobs(lines)):
                self._blob(segment.blob_path(writer, name), name)
            self._put(segment.packed_path(path), lines)
            return stretch.last
        return None

    @contextmanager
    def _noted(self, path: str) -> Iterator[None]:
        """Note a fault of a file as a problem; one of the whole archive ends the run."""
        try:
            yield
        except UNUSABLE:
            raise
        except AgentwsError as error:
            self.done.problems += (Problem(path, error.message),)

    def _blob(self, path: str, name: str) -> None:
        with self._noted(path):
            data = self.files.read(path, limit_bytes=_MOST_BLOB_BYTES)
            if digest.of(data) != name:
                raise DamagedError("does not match its digest, so it was not archived")
            self._create(path, data)

    def _put(self, path: str, lines: bytes) -> None:
        """Archive the lines of a segment, or compare them with its object."""
        if self._create(path, packed.pack(lines)):
            return
        with self._noted(path):
            data, version = self.place.get(self._name(path), unpacked.MOST_PACKED_BYTES)
            there = unpacked.lines(self.place.place(self._name(path)), data)
            if is_purged_copy(there, lines):
                self.done.equal += 1
            elif is_purged_copy(lines, there):
                self._purge(path, lines, there, version)
            else:
                words = f"the archive has {digest.of(there)}, the workspace {digest.of(lines)}: neither was changed"
                raise DamagedError(words)

    def _purge(self, path: str, lines: bytes, there: bytes, version: Mapping[str, str]) -> None:
        """Take from the archive what was purged here."""
        self.done.purged += 1
        if self.done.dry_run:
            return
        data = packed.pack(lines)
        try:
            self.place.replace(self._name(path), data, version)
        except FileExistsError:
            raise DamagedError("was changed by another process meanwhile: re-run the command") from None
        self.done.bytes += len(data)
        for name in _blobs(there) - _blobs(lines):
            blob = segment.blob_path(path.split("/")[1], name)
            if not self.files.exists(blob):  # another line may still have it
                self.place.remove(self._name(blob))

    def _create(self, path: str, data: bytes) -> bool:
        """Create an object; return False for a segment that is there. A blob's name is its digest."""
        name = self._name(path)
        if name not in self.known and (self.done.dry_run or self.place.create(name, data)):
            self.done.new += 1
            self.done.bytes += len(data)
            return True
        if not is_segment(path):
            self.done.equal += 1
        return False

    def _name(self, path: str) -> str:
        return f"{self.done.agent}/{path}"


def _blobs(lines: bytes) -> set[str]:
    """Return the digests of the blobs that the lines of a segment refer to; a line that is not readable has none."""
    names = set[str | None]()
    for line in lines.split(b"\n"):
        with suppress(DamagedError):
            names.add(purge.blob(line))
    return {name for name in names if name}


def verify(stores: Stores, place: ObjectStore) -> Verified:
    """Read the whole archive, and verify chains, digests, blobs, purges and seals as `journal verify` does.

    The lines of the newest segments, which are not closed, are taken from the workspace.
    """
    with tempfile.TemporaryDirectory(prefix="agentws-archive-") as folder:
        return _verified(place, stores.manifest.agent_id, folder, stores)


def restore(place: ObjectStore, folder: str, agent: str | None = None) -> Verified:
    """Write the archived journal of an agent to a new folder, and verify it. UsageError if `folder` is not empty, or if
    several agents have an archive here and none is named.
    """
    if os.path.lexists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise UsageError(f"{folder} exists.", hint="Name a new folder.")
    agents = place.agents()
    if not agents or agent not in (None, *agents):
        raise MissingFileError(f"{place.url} has no archive{f' of the agent {agent}' if agent else ''}.")
    if agent is None and len(agents) > 1:
        raise UsageError(f"Which agent? The archive has: {', '.join(agents)}.", hint="--agent ID")
    os.makedirs(folder, exist_ok=True)
    return _verified(place, agent or agents[0], folder)


def _verified(place: ObjectStore, agent: str, folder: str, stores: Stores | None = None) -> Verified:
    """Write all objects of an agent below `folder`, and the newest segments of its workspace, if given; verify them."""
    count, problems = 0, list[Problem]()
    for name in place.names(agent):
        path = name.removeprefix(f"{agent}/")
        if not is_ours(path):
            problems.append(Problem(path, "not written by agentws, so it was left alone"))
            continue
        count += 1
        limit_bytes = unpacked.MOST_PACKED_BYTES if is_segment(path) else _MOST_BLOB_BYTES
        try:
            data, _ = place.get(name, limit_bytes)
            if is_segment(path):
                unpacked.lines(path, data)
            _write(folder, path, data)
        except (DamagedError, MissingFileError) as error:
            problems.append(Problem(path, error.message))
    waiting = _copy_newest(stores.files, folder) if stores is not None else 0
    journal, damaged = _verify.verify(_files.Files(folder), agent), {problem.path for problem in problems}
    wrong = (each for each in journal.findings if each.path not in damaged)
    problems += [Problem(f"{each.path}:{each.line}", each.what) for each in wrong]
    events = sum(checked.events for checked in journal.writers)
    return Verified(place.url, agent, count, events, waiting, tuple(problems), None if stores is not None else folder)


def _copy_newest(files: Files, folder: str) -> int:
    """Copy what an archive in `folder` lacks of the workspace: segments with their blobs, signers and purges.

    Return how many of these segments are closed.
    """
    waiting = 0
    for writer in read.writers(files):
        numbers = read.segments(files, writer)
        lacking = {*numbers} - {*read.segments(_files.Files(folder), writer)}
        waiting += len(lacking.intersection(numbers[:-1]))
        for path in (segment.path(writer, number) for number in lacking):
            lines = read.part(files, path, unpacked.MOST_BYTES)[0]
            _write(folder, path, lines)
            for blob in filter(files.exists, (segment.blob_path(writer, name) for name in _blobs(lines))):
                _write(folder, blob, files.read(blob, limit_bytes=_MOST_BLOB_BYTES))
    for path in filter(files.exists, (layout.SIGNERS, f"{layout.JOURNAL}/purges.jsonl")):
        _write(folder, path, files.read(path))
    return waiting


def _write(folder: str, path: str, data: bytes) -> None:
    place = os.path.join(folder, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as file:
        file.write(data)


def is_ours(path: str) -> bool:
    """Return whether a path within an agent's archive is one that `fleet archive` writes: a segment or a blob."""
    return _PATH.fullmatch(path) is not None


def is_segment(path: str) -> bool:
    """Return whether a path within an archive is that of a segment."""
    return path.endswith(segment.GZ)


def is_purged_copy(lines: bytes, whole: bytes) -> bool:
    """Return whether the lines of a segment are those of another one, but for content that was purged from them."""
    for line, other in itertools.zip_longest(lines.split(b"\n"), whole.split(b"\n"), fillvalue=b""):
        is_same_event = line.partition(chain.SPLIT)[0] == other.partition(chain.SPLIT)[0]
        if line != other and not (is_same_event and chain.was_purged(line) and chain.is_whole(line)):
            return False
    return True
