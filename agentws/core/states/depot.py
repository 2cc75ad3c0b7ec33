"""Copies of a workspace in another git repository, for backups and moves: trees of files in pieces, under private refs.

Two private repositories are used here: `out`, in which a copy is made, and `back`, which holds nothing but what the
other repository has given: so what is read there has really been there.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from agentws.core.disk import files
from agentws.core.formats.git import objects
from agentws.core.formats.travel import parcel
from agentws.core.formats.travel.inventory import FILE, TreeEntry
from agentws.core.states import plumbing, remote
from agentws.core.states.object_store import FOLDER, ObjectStore
from agentws.core.states.remote import Move
from agentws.errors import DamagedError, OutsideProgramError, TooLargeError

LARGEST_BLOB_BYTES = 64 << 20
"""No blob that agentws makes is larger: a larger file goes in pieces."""
_MOST_ROWS = 1_000_000
"""No inventory that fits into one blob names as many."""
_AUTHOR = "agentws <agentws@localhost> 0 +0000"
_HERE = "refs/heads/there"
_BATCH_BYTES = 32 << 20
_BATCH = 2000
_SETTINGS = "[fetch]\n\tunpackLimit = 1\n[pack]\n\tuseSparse = false\n"
"""No thousands of loose files; and what stands at another path by now is not sent again."""


class Depot:
    """The repository at `url`, whose refs below `folder` are ours; `pieces` names those of a file by digest and size.

    `scratch` is a private folder of the caller's for the two repositories; `back` is the folder of one that stays:
    then what was fetched once is not fetched again.
    """

    def __init__(
        self, url: str, scratch: str, *, folder: str = parcel.FOLDER,
        pieces: Callable[[str, int], list[str]] = parcel.pieces, back: str = "",
    ) -> None:  # fmt: skip
        self.url = url
        self.scratch = scratch
        self._folder = folder
        self._pieces = pieces
        self._digests: dict[str, tuple[str, int]] = {}
        with self._disk():
            out, back = _made(f"{scratch}/out"), _made(back or f"{scratch}/back")
            # What the other repository has given need not be made again; nothing ever comes back by this way.
            with open(f"{out}/objects/info/alternates", "w", encoding="utf-8") as file:
                file.write(f"{back}/objects\n")
        self._out, self._back = ObjectStore(out, "copy"), ObjectStore(back, "copy")

    def close(self) -> None:
        """End the git processes."""
        self._out.close()
        self._back.close()

    def folder(self) -> str:
        """Make and return a private folder, which is removed with `scratch`."""
        with self._disk():
            return tempfile.mkdtemp(dir=self.scratch)

    # The other repository

    def refs(self) -> dict[str, str]:
        """Return the commit of each of our refs there."""
        return remote.refs(self._ask, f"{self._folder}*")

    def push(self, moves: Iterable[Move]) -> None:
        """Move refs there, all or none. ChangedUnderneathError if one of them had another commit than expected."""
        moves = [each for each in moves if each[1] != each[2]]
        if not moves:
            return
        try:
            remote.push(self._ask, moves, atomic=True)  # a later push moves several
        except OutsideProgramError as error:
            remote.check_moved(error, moves, self.refs, f"Another process is working on the same refs of {self.url}.")

    def fetch(self, ref: str) -> str:
        """Fetch the commit of a ref, and return its id."""
        return self.fetch_all({ref: _HERE})[ref]

    def fetch_all(self, refs: Mapping[str, str]) -> dict[str, str]:
        """Fetch these refs to refs here; return the commit of each. Known refs are not fetched again."""
        if not refs:
            return {}
        remote.fetch(self._ask, [f"{ref}:{name}" for ref, name in refs.items()], "--force")
        return dict(zip(refs, self._git("rev-parse", *refs.values()).decode().split(), strict=True))

    def fetch_back(self, ref: str, commit: str) -> dict[str, str]:
        """Fetch a ref that was pushed just now, and return the blob at each path of its commit.

        OutsideProgramError if it has another commit than the one that was sent.
        """
        if self.fetch(ref) != commit:
            raise OutsideProgramError(
                f"{self.url}: the stored copy differs from the sent one.",
                hint="Another process may write to the same refs. Re-run the same command.",
            )
        return self.tree(commit)

    # Reading what has come back

    def message(self, commit: str) -> str:
        """Return the message of a commit."""
        return self._back.message(commit).decode("utf-8", "replace")

    def tree(self, commit: str) -> dict[str, str]:
        """Return the id of the blob at each path of a commit. DamagedError if it holds more than any copy."""
        contents = {}
        # Folders count too: those of a few trees that name each other are without end.
        for number, (mode, folder, name, oid) in enumerate(self._back.walk(self._back.links(commit)[0])):
            if number == _MOST_ROWS:
                raise DamagedError(
                    f"{self.url} holds more than {_MOST_ROWS:,} files in one copy.",
                    hint="Another program wrote into this repository. Use another repository.",
                )
            if mode != FOLDER:
                contents[folder + name] = oid
        return contents

    def blob(self, oid: str) -> bytes:
        """Return the content of a blob; TooLargeError for one that is larger than any of a copy."""
        self._sizes([oid])
        return self._back.blobs([oid])[oid]

    def verified(self, tree: Mapping[str, str], entries: Sequence[TreeEntry]) -> Iterator[tuple[TreeEntry, bool]]:
        """Yield each entry, and whether all that it holds has come back and is what its digest says."""
        names = {entry.path: " ".join(self._at(tree, entry)) for entry in entries if entry.kind == FILE}
        named = {names[entry.path]: entry for entry in entries if names.get(entry.path)}
        due = {entry.path: name for name, entry in named.items() if name not in self._digests}
        for entry, pieces in self.content(tree, [named[name] for name in due.values()]):
            digest, size = hashlib.sha256(), 0
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
            self._digests[due[entry.path]] = digest.hexdigest(), size
        for entry in entries:
            yield entry, entry.kind != FILE or self._digests.get(names[entry.path]) == (entry.content, entry.size)

    def content(
        self, tree: Mapping[str, str], entries: Sequence[TreeEntry]
    ) -> Iterator[tuple[TreeEntry, Iterator[bytes]]]:
        """Yield each file with its bytes, piece by piece; several small ones are read at once."""
        batch: list[TreeEntry] = []
        size = 0
        for entry in entries:
            if batch and (size + entry.size > _BATCH_BYTES or len(batch) >= _BATCH):
                yield from self._contents(tree, batch)
                batch, size = [], 0
            batch.append(entry)
            size += entry.size
        if batch:
            yield from self._contents(tree, batch)

    def _contents(self, tree: Mapping[str, str], batch: list[TreeEntry]) -> Iterator[tuple[TreeEntry, Iterator[bytes]]]:
        # A missing blob, such as that of a submodule's row, counts as empty: its digest tells.
        if len(batch) == 1:
            yield batch[0], (self._blobs([oid]).get(oid, b"") for oid in self._at(tree, batch[0]))
            return
        held = self._blobs(oid for entry in batch for oid in self._at(tree, entry))
        for entry in batch:
            yield entry, iter([held.get(oid, b"") for oid in self._at(tree, entry)])

    def _blobs(self, oids: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of these blobs, without those that are missing."""
        return self._back.blobs(list(self._sizes(dict.fromkeys(oids))))

    def _sizes(self, oids: Iterable[str]) -> dict[str, int]:
        """Return the sizes of these blobs, without those that are missing. TooLargeError if one is larger than a copy
        makes it: a small pack may hold gigabytes.
        """
        sizes = {oid: size for oid, size in plumbing.sizes(self._git, list(oids)) if oid}
        if max(sizes.values(), default=0) > LARGEST_BLOB_BYTES or sum(sizes.values()) > 2 * LARGEST_BLOB_BYTES:
            raise TooLargeError(
                f"{self.url} holds a file of {max(sizes.values()) >> 20} MiB, which agentws never writes.",
                hint="Another program wrote into this repository. Use another repository.",
            )
        return sizes

    # Making a copy

    def store(self, blobs: Sequence[bytes]) -> list[str]:
        """Return the ids of these blobs; they are stored in the private repository with the next commit."""
        with self._disk():
            return [self._out.add(objects.BLOB, blob) for blob in blobs]

    def commit(self, paths: Mapping[str, str], message: bytes, after: Sequence[str] = ()) -> str:
        """Commit these blobs by their paths and return the id, which is the same for the same arguments."""
        with self._disk():
            tree = self._out.add_trees(paths)
        return self.commit_tree(tree, message, after)

    def commit_tree(self, tree: str, message: bytes, after: Sequence[str] = ()) -> str:
        """Commit a tree and return the id of the commit."""
        with self._disk():
            commit = self._out.add_commit(tree, after, author=_AUTHOR, message=message)
            self._out.flush()
        return commit

    def tree_of(self, commit: str) -> str:
        """Return the id of the tree of a commit that was made or fetched here."""
        return self._out.links(commit)[0]

    def remember(self, tree: str, message: bytes) -> None:
        """Record that the other repository has the commit of this tree, all of which has come back."""
        with self._disk():
            commit = self._back.add_commit(tree, (), author=_AUTHOR, message=message)
            self._back.flush()
        self._git("update-ref", _HERE, commit)

    # Within

    def _git(self, word: str, *words: str, stdin: bytes = b"") -> bytes:
        """Return the output of a git command in the repository of what has come back."""
        with self._disk():
            return plumbing.ask(word, *words, cwd=self.scratch, git_dir=self._back.git_dir, stdin=stdin)

    def _ask(self, word: str, *options: str, after: tuple[str, ...] = ()) -> bytes:
        git_dir = (self._out if word == "push" else self._back).git_dir
        is_path = self.url.startswith(("/", "file://"))
        try:
            with self._disk():
                return remote.run(word, *options, url=self.url, after=after, git_dir=git_dir, is_path=is_path)
        except OutsideProgramError as error:
            raise remote.explained(error, "To resume, re-run the command.") from error

    @contextmanager
    def _disk(self) -> Iterator[None]:
        """Raise what this disk refuses as a DiskError."""
        with files.Failing(self.scratch):
            yield

    def _at(self, tree: Mapping[str, str], entry: TreeEntry) -> list[str]:
        """Return the ids of the blobs that hold a file; none if one of them is missing."""
        oids = [tree.get(path, "") for path in self._pieces(entry.content, entry.size)]
        return oids if all(oids) else []


def _made(folder: str) -> str:
    """Return the git folder of a private repository, made if it is missing."""
    git_dir = f"{folder}/.git"
    if not os.path.isdir(git_dir):
        os.makedirs(folder, 0o700, exist_ok=True)
        plumbing.create(folder, options=plumbing.OURS)
        with open(f"{git_dir}/config", "a", encoding="utf-8") as file:
            file.write(_SETTINGS)
    return git_dir
