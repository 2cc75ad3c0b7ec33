"""The objects of a private git repository: read by one git process, checked, and written as durable packs.

Sync, git backups and moves by git store their states with it. Others may have made the objects: each is
limited in size, and git in memory.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from agentws.core.disk import files as _files
from agentws.core.formats.git import objects
from agentws.core.states import plumbing, private, repository
from agentws.errors import DamagedError, OutsideProgramError

ALGORITHM = "sha1"
FOLDER, FILE = "40000", "100644"
"""The modes of tree rows that agentws writes."""
LARGEST_BYTES = 64 << 20
"""Limit for a stored file or tree: a pack of a few kilobytes may unpack to gigabytes."""
_PENDING_BYTES = 8 << 20
"""How much is gathered for a pack, compressed."""
_MOST_READ_BYTES = 1 << 30
_MOST_PACKS = 40
_FOLDED = ("-d", "-q", "-l", "--geometric=2")
"""Options of `git repack` that combine small packs and drop no object."""
_LARGEST_COMMIT_BYTES = 1 << 16
_COPIED_AT_ONCE = 16
_MOST_KEPT_ROWS = 1_000
"""Rows of the largest tree that stays in memory: a folder of fifty thousand files takes ten megabytes."""
_ASKED_AT_ONCE = 512
"""Number of ids written before an answer is read: they fit into a pipe."""
_PIECE_BYTES = 1 << 16
_PATIENCE_S = 120.0
_MEMORY_KIB = 4 << 20
_BOUNDED = f'ulimit -v {_MEMORY_KIB} 2>/dev/null; exec "$0" "$@"'
"""An object made of others may be as large as these allow, and git makes it whole before it tells its size."""


class Reader:
    """Reads the objects of the repository at `git_dir`; the git process starts with the first request.

    `noun` names in messages what they belong to; `remedy` is the hint if they cannot be read.
    """

    def __init__(self, git_dir: str, noun: str, remedy: str) -> None:
        self._git_dir, self._noun, self._remedy = git_dir, noun, remedy
        self._pid = self._give = self._hear = -1
        self._held = bytearray()

    def read(self, oids: Sequence[str], *, limit_bytes: int = LARGEST_BYTES) -> Iterator[tuple[str, str, bytes]]:
        """Yield (id, kind, content) of each object in order; kind is empty for a missing one.

        DamagedError for an object larger than `limit_bytes`, whose content is not read.
        """
        for at in range(0, len(oids), _ASKED_AT_ONCE):
            some = oids[at : at + _ASKED_AT_ONCE]
            self._ask(some)
            left = len(some)
            try:
                for oid in some:
                    answer = self._answer(oid, limit_bytes)
                    left -= 1
                    yield answer
            finally:
                if left:
                    self.close()  # somebody has lost interest; its answers would be taken for others'

    def close(self) -> None:
        """End the git process."""
        if self._pid < 0:
            return
        for fd in (self._give, self._hear):
            os.close(fd)
        try:
            os.kill(self._pid, 9)  # it only reads
            os.waitpid(self._pid, 0)
        except (ChildProcessError, ProcessLookupError):
            pass
        self._pid = self._give = self._hear = -1
        self._held.clear()

    def _ask(self, oids: Sequence[str]) -> None:
        if self._pid < 0:
            self._start()
        try:
            rest = memoryview("".join(f"{oid}\n" for oid in oids).encode())
            while rest:
                rest = rest[os.write(self._give, rest) :]
        except BrokenPipeError as error:
            raise self._ended() from error

    def _answer(self, oid: str, limit_bytes: int) -> tuple[str, str, bytes]:
        _, kind, *size = self._line().split(" ")
        if not size:
            return oid, "", b""  # "missing"
        length = int(size[0])
        if length > limit_bytes:
            raise DamagedError(
                f"An object of the {self._noun} has {length >> 20} MiB; agentws takes at most {limit_bytes >> 20}.",
                hint="Another program wrote into this repository. Use another repository.",
            )
        data = self._exactly(length)
        self._exactly(1)  # the line feed after it
        return oid, kind, data

    def _line(self) -> str:
        while (end := self._held.find(b"\n")) < 0:
            self._more()
        line = self._held[:end].decode("utf-8", "replace")
        del self._held[: end + 1]
        return line

    def _exactly(self, size: int) -> bytes:
        while len(self._held) < size:
            self._more()
        with memoryview(self._held) as held:
            data = bytes(held[:size])
        del self._held[:size]
        return data

    def _more(self) -> None:
        until = time.monotonic() + _PATIENCE_S
        poll = select.poll()
        poll.register(self._hear, select.POLLIN)
        if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
            self.close()
            raise OutsideProgramError(f"git cat-file did not answer within {_PATIENCE_S:g} s.", hint="Check the disk.")
        piece = os.read(self._hear, _PIECE_BYTES)
        if not piece:
            raise self._ended()
        self._held += piece

    def _start(self) -> None:
        argv, env = plumbing.hermetic("cat-file", "--batch", cwd=self._git_dir, git_dir=self._git_dir)
        fds: list[int] = []
        try:
            fds += os.pipe()
            fds += os.pipe()
            fds.append(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC))
            source, give, hear, sink, nowhere = fds
            # Names beyond the three that every program begins with: none of them is written over by another.
            actions = [(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate((source, sink, nowhere))]
            if min(fds) <= 2:
                raise OutsideProgramError("git cannot be started without standard input and output.")
            pid = os.posix_spawn(
                "/bin/sh", ["/bin/sh", "-c", _BOUNDED, *argv], env, file_actions=actions, setsigdef=(13, 25)
            )
        except OSError as error:
            for fd in fds:
                os.close(fd)
            raise OutsideProgramError(f"git could not be started: {error}.") from error
        for fd in (source, sink, nowhere):
            os.close(fd)
        self._pid, self._give, self._hear = pid, give, hear

    def _ended(self) -> DamagedError:
        self.close()
        return DamagedError(
            f"git cannot read an object of the {self._noun}: its repository is damaged, or the object too large.",
            hint=self._remedy,
        )


class ObjectStore:
    """The objects of the repository at `git_dir`, with those that wait for the next `flush`; `noun`: see Reader."""

    def __init__(self, git_dir: str, noun: str, remedy: str = "") -> None:
        self.git_dir = git_dir
        self._noun = noun
        self._reader = Reader(git_dir, noun, remedy)
        self._waiting = objects.Pack(ALGORITHM)
        self._due: list[Callable[[], None]] = []
        self._trees: dict[str, list[tuple[str, str, str]]] = {}
        self._stored: set[str] = set()
        self._commits: dict[str, tuple[str, list[str], int]] = {}

    def close(self) -> None:
        """End the git process that reads objects, and drop what was read."""
        self._reader.close()
        self._trees.clear()
        self._stored.clear()
        self._commits.clear()

    def add(self, kind: str, data: bytes) -> str:
        """Add an object and return its id; it is stored at the next `flush`, which a large amount triggers."""
        oid = objects.object_id(kind, data, ALGORITHM)
        if oid not in self._waiting:
            self._waiting.add(oid, kind, data)
            if self._waiting.size > _PENDING_BYTES:
                self.flush()
        return oid

    def add_trees(self, files: Mapping[str, str]) -> str:
        """Add the trees of these blobs (by path) and return the id of the top tree."""
        top, trees = objects.trees(files, ALGORITHM)
        for oid, data in trees.items():
            if oid not in self._stored:
                self.add(objects.TREE, data)
        return top

    def add_tree(self, *rows: tuple[str, str, str]) -> str:
        """Add a tree of these rows (mode, name, id), given in git's order, and return its id."""
        data = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for mode, name, oid in rows)
        return self.add(objects.TREE, data)

    def add_commit(self, tree: str, parents: Sequence[str], *, author: str, message: bytes) -> str:
        """Add a commit and return its id; `author` is `Name <mail> seconds zone`."""
        return self.add(objects.COMMIT, objects.commit(tree, parents, author=author, message=message))

    def after_flush(self, what: Callable[[], None]) -> None:
        """Call `what` once all added objects are stored."""
        self._due.append(what)
        if not self._waiting:
            self._finish()

    def flush(self) -> None:
        """Store the added objects durably. DiskError or OutsideProgramError on failure; no ref names them then."""
        if not self._waiting:
            return
        words, pack = ("--stdin", "--strict"), self._waiting.data()
        plumbing.ask("index-pack", *words, cwd=self.git_dir, git_dir=self.git_dir, stdin=pack)
        self.settle()
        self._waiting = objects.Pack(ALGORITHM)
        self._finish()

    def _finish(self) -> None:
        due, self._due = self._due, []
        for each in due:
            with contextlib.suppress(OSError):  # what is remembered is only a help
                each()

    def settle(self) -> None:
        """Fsync the pack folder; git itself syncs the packs' contents."""
        with _files.Failing(f"{self.git_dir}/objects/pack"):
            private.sync_folder(f"{self.git_dir}/objects/pack")

    def fold(self) -> None:
        """Combine small packs if there are many."""
        fold(self.git_dir)

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
            _, kind, data = self._read_object(commit, _LARGEST_COMMIT_BYTES)
            if kind != objects.COMMIT:
                raise DamagedError(f"{commit[:10]} is not a state of a {self._noun}.")
            try:
                self._commits[commit] = objects.links(data)
            except (ValueError, IndexError) as error:
                raise DamagedError(f"{commit[:10]} is not a state of a {self._noun}: {error}.") from error
        return self._commits[commit]

    def message(self, commit: str) -> bytes:
        """Return a commit's message."""
        return self._read_object(commit, _LARGEST_COMMIT_BYTES)[2].partition(b"\n\n")[2]

    def rows(self, trees: Sequence[str]) -> dict[str, list[tuple[str, str, str]]]:
        """Return the rows (mode, name, id) of each of these trees."""
        result = {oid: self._trees.get(oid, []) for oid in trees}
        for oid, kind, data in self._read([oid for oid in result if oid not in self._trees], LARGEST_BYTES):
            try:
                if kind != objects.TREE:
                    raise ValueError("not a tree")
                result[oid] = objects.rows(data)
            except (ValueError, UnicodeDecodeError) as error:
                raise DamagedError(f"{oid[:10]} is not a folder of a {self._noun}: {error}.") from error
            self._stored.add(oid)
            if len(result[oid]) <= _MOST_KEPT_ROWS:
                self._trees[oid] = result[oid]
        return result

    def walk(self, tree: str) -> Iterator[tuple[str, str, str, str]]:
        """Yield (mode, folder, name, id) of each row beneath a tree, a level at a time.

        The caller bounds their number: a few trees that name each other may hold any number of files.
        """
        level = [("", tree)]
        while level:
            rows = self.rows([oid for _, oid in level])
            inner: list[tuple[str, str]] = []
            for folder, at in level:
                for mode, name, oid in rows[at]:
                    yield mode, folder, name, oid
                    if mode == FOLDER:
                        inner.append((f"{folder}{name}/", oid))
            level = inner

    def blobs(self, oids: Collection[str], limit_bytes: int = LARGEST_BYTES) -> dict[str, bytes]:
        """Return the contents of blobs; DamagedError if one is missing or they are too large."""
        contents = {}
        for oid, kind, data in self._read(list(dict.fromkeys(oids)), limit_bytes):
            if kind != objects.BLOB:
                raise DamagedError(f"{oid[:10]} is not a file of a {self._noun}.")
            contents[oid] = data
        return contents

    def raw(self, oids: Sequence[str]) -> Iterable[tuple[str, str, bytes]]:
        """Return (id, kind, content) of each object; DamagedError if one is missing."""
        parts = self._read(oids, LARGEST_BYTES)
        for oid, kind, _ in parts:
            if not kind:
                raise DamagedError(f"{oid[:10]} is missing in the {self._noun}'s repository.")
        return parts

    def _read_object(self, oid: str, limit_bytes: int) -> tuple[str, str, bytes]:
        return next(iter(self._read([oid], limit_bytes)))

    def _read(self, oids: Sequence[str], limit_bytes: int) -> Iterable[tuple[str, str, bytes]]:
        for oid in oids:
            if len(oid) != 40 or oid.strip("0123456789abcdef"):
                raise DamagedError(f"{oid!r} is not an id of git.")
        parts = [(oid, *self._waiting.get(oid)) for oid in oids if oid in self._waiting]
        total = 0
        for each in self._reader.read([oid for oid in oids if oid not in self._waiting], limit_bytes=limit_bytes):
            total += len(each[2])
            if total > _MOST_READ_BYTES:
                self._reader.close()
                raise DamagedError(
                    f"The files of the {self._noun} have more than {_MOST_READ_BYTES >> 30} GiB in all.",
                    hint="Another program wrote into this repository. Use another repository.",
                )
            parts.append(each)  # all are read before one is given, so that nobody leaves in the middle
        return parts


def fold(git_dir: str) -> None:
    """Combine the small packs of a repository if there are many; nothing is dropped, and a failure is ignored."""
    if len(repository.packs(git_dir)) > _MOST_PACKS:
        plumbing.run("repack", *_FOLDED, cwd=git_dir, git_dir=git_dir)  # housekeeping


def copy(commits: Sequence[str], source: ObjectStore, to: ObjectStore, alone: Sequence[str] = ()) -> None:
    """Copy these commits, parents first, and the trees `alone` to another repository, with all their objects."""
    copied: set[str] = set()
    for top, *named in [*((tree,) for tree in alone), *((source.links(commit)[0], commit) for commit in commits)]:
        trees = [top]
        blobs: list[str] = []
        for tree in trees:  # it grows meanwhile
            for mode, _, oid in source.rows([tree])[tree]:
                (trees if mode == FOLDER else blobs).append(oid)
        # What is named comes before what names it: git looks for it at each flush.
        due = [oid for oid in dict.fromkeys([*blobs, *reversed(trees), *named]) if oid not in copied]
        copied.update(due)
        for at in range(0, len(due), _COPIED_AT_ONCE):
            for _, kind, data in source.raw(due[at : at + _COPIED_AT_ONCE]):
                to.add(kind, data)
    to.flush()
