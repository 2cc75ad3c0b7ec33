"""The git objects of sync's private repository: read by one git process, and written as durable packs."""

from __future__ import annotations

import contextlib

from agentws.core.disk import files as _files
from agentws.core.formats.git import objects
from agentws.core.states import plumbing, private, repository
from agentws.errors import DamagedError
from agentws.features.sync.store.reader import LARGEST_BYTES, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

ALGORITHM = "sha1"
_PENDING_BYTES = 32 << 20
_MOST_READ_BYTES = 1 << 30
_MOST_PACKS = 40
_FOLDED = ("-d", "-q", "-l", "--geometric=2")
"""Options of `git repack` that combine small packs and drop no object."""
_LARGEST_COMMIT_BYTES = 1 << 16


class Objects:
    """The objects of the repository at `git_dir`, with those that wait for the next `flush`."""

    def __init__(self, git_dir: str) -> None:
        self.git_dir = git_dir
        self._reader = Reader(git_dir, git_dir)
        self._waiting: dict[str, tuple[str, bytes]] = {}
        self._bytes = 0
        self._due: list[Callable[[], None]] = []
        self._trees: dict[str, list[tuple[str, str, str]]] = {}
        self._commits: dict[str, tuple[str, list[str], int]] = {}

    def close(self) -> None:
        """End the git process that reads objects."""
        self._reader.close()

    def add(self, kind: str, data: bytes) -> str:
        """Add an object and return its id; it is stored at the next `flush`, which a large amount triggers."""
        oid = objects.object_id(kind, data, ALGORITHM)
        if oid not in self._waiting:
            self._waiting[oid] = (kind, data)
            self._bytes += len(data)
            if self._bytes > _PENDING_BYTES:
                self.flush()
        return oid

    def after_flush(self, what: Callable[[], None]) -> None:
        """Call `what` once all added objects are stored."""
        self._due.append(what)
        if not self._waiting:
            self._finish()

    def flush(self) -> None:
        """Store the added objects durably. DiskError or OutsideProgramError on failure; no ref names them then."""
        if not self._waiting:
            return
        pack = objects.pack(list(self._waiting.values()), ALGORITHM)
        words = ("--stdin", "--strict")
        plumbing.ask("index-pack", *words, cwd=self.git_dir, git_dir=self.git_dir, stdin=pack)
        self.settle()
        self._waiting, self._bytes = {}, 0
        self._finish()

    def _finish(self) -> None:
        due, self._due = self._due, []
        for each in due:
            with contextlib.suppress(OSError):  # what is remembered is only a help
                each()

    def settle(self) -> None:
        """Fsync the pack folder; git itself syncs the packs' contents."""
        try:
            private.sync_folder(f"{self.git_dir}/objects/pack")
        except OSError as error:
            raise _files.failure(error, f"{self.git_dir}/objects/pack") from error

    def fold(self) -> None:
        """Combine small packs if there are many."""
        if len(repository.packs(self.git_dir)) > _MOST_PACKS:
            plumbing.run("repack", *_FOLDED, cwd=self.git_dir, git_dir=self.git_dir)  # housekeeping

    def has(self, oid: str) -> bool:
        """Return whether the repository has a commit."""
        try:
            self.links(oid)
        except DamagedError:
            return False
        return True

    def links(self, commit: str) -> tuple[str, list[str], int]:
        """Return a commit's tree, its parents and its generation number."""
        if commit not in self._commits:
            _, kind, data = self._one(commit, _LARGEST_COMMIT_BYTES)
            if kind != objects.COMMIT:
                raise DamagedError(f"{commit[:10]} is not a state of a sync.")
            try:
                self._commits[commit] = objects.links(data)
            except (ValueError, IndexError) as error:
                raise DamagedError(f"{commit[:10]} is not a state of a sync: {error}.") from error
        return self._commits[commit]

    def message(self, commit: str) -> bytes:
        """Return a commit's message."""
        return self._one(commit, _LARGEST_COMMIT_BYTES)[2].partition(b"\n\n")[2]

    def rows(self, trees: Sequence[str]) -> dict[str, list[tuple[str, str, str]]]:
        """Return the rows (mode, name, id) of each of these trees."""
        due = [oid for oid in dict.fromkeys(trees) if oid not in self._trees]
        for oid, kind, data in self._read(due, LARGEST_BYTES):
            try:
                if kind != objects.TREE:
                    raise ValueError("not a tree")
                self._trees[oid] = objects.rows(data)
            except (ValueError, UnicodeDecodeError) as error:
                raise DamagedError(f"{oid[:10]} is not a folder of a sync: {error}.") from error
        return {oid: self._trees[oid] for oid in trees}

    def knows(self, tree: str) -> bool:
        """Return whether a tree was read already."""
        return tree in self._trees

    def blobs(self, oids: Collection[str], limit_bytes: int = LARGEST_BYTES) -> dict[str, bytes]:
        """Return the contents of blobs; DamagedError if one is missing or they are too large."""
        found = {}
        for oid, kind, data in self._read(list(dict.fromkeys(oids)), limit_bytes):
            if kind != objects.BLOB:
                raise DamagedError(f"{oid[:10]} is not a file of a sync.")
            found[oid] = data
        return found

    def raw(self, oids: Sequence[str]) -> Iterable[tuple[str, str, bytes]]:
        """Return (id, kind, content) of each object; DamagedError if one is missing."""
        found = self._read(oids, LARGEST_BYTES)
        for oid, kind, _ in found:
            if not kind:
                raise DamagedError(f"{oid[:10]} is missing in the sync's repository.")
        return found

    def _one(self, oid: str, limit_bytes: int) -> tuple[str, str, bytes]:
        return next(iter(self._read([oid], limit_bytes)))

    def _read(self, oids: Sequence[str], limit_bytes: int) -> Iterable[tuple[str, str, bytes]]:
        for oid in oids:
            if len(oid) != 40 or oid.strip("0123456789abcdef"):
                raise DamagedError(f"{oid!r} is not an id of git.")
        found = [(oid, *self._waiting[oid]) for oid in oids if oid in self._waiting]
        total = 0
        for each in self._reader.read([oid for oid in oids if oid not in self._waiting], limit_bytes=limit_bytes):
            total += len(each[2])
            if total > _MOST_READ_BYTES:
                self._reader.close()
                raise DamagedError(
                    f"The files of the sync have more than {_MOST_READ_BYTES >> 30} GiB in all.",
                    hint="Another program wrote into this repository. Use another repository.",
                )
            found.append(each)  # all are read before one is given, so that nobody leaves in the middle
        return found
