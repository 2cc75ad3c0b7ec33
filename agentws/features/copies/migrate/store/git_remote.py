"""A git repository that both machines reach, and two private ones here: `out`, in which a parcel is made, and `back`,
which holds nothing but what the other repository has given: so what is read there has really been there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import contextmanager

from agentws.core.disk import files
from agentws.core.formats.git import gitwire, objects
from agentws.core.formats.travel import parcel
from agentws.core.formats.travel.inventory import FILE
from agentws.core.states import plumbing, remote_end, remote_hints
from agentws.errors import ChangedUnderneathError, OutsideProgramError, TooLargeError
from agentws.features.copies.migrate.store import temporary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from agentws.core.formats.travel.inventory import TreeEntry

_AUTHOR = "agentws"
_HERE = "refs/heads/there"
_BATCH_BYTES = 32 << 20
_BATCH = 2000
_SETTINGS = "[fetch]\n\tunpackLimit = 1\n[pack]\n\tuseSparse = false\n"
"""No thousands of loose files; and what stands at another path by now is not sent again."""
LARGEST_BLOB_BYTES = 64 << 20
"""No blob that agentws makes is larger: a larger file goes in pieces."""


class Depot:
    """The repository at `url`, whose refs below `folder` are ours; `pieces` names those of a file by digest and size.

    Private files lie in a folder that is made in `within`, and goes with `close`; but `back`, where that is a folder
    that stays: then what was fetched once is not fetched again.
    """

    def __init__(
        self,
        url: str,
        within: str,
        *,
        folder: str = parcel.FOLDER,
        pieces: Callable[[str, int], list[str]] = parcel.pieces,
        back: str = "",
    ) -> None:
        self.url = url
        self._folder = folder
        self._pieces = pieces
        self._kept = back
        self._within = within
        self._scratch = ""
        self._out = self._back = ""
        self._algorithm = ""
        self._digests: dict[str, tuple[str, int]] = {}

    def refs(self) -> dict[str, str]:
        """The refs of ours that stand there, and the commit of each."""
        told = self._remote("ls-remote", "--refs", "--", self.url, f"{self._folder}*")
        lines = (line.split("\t") for line in told.decode("utf-8", "replace").split("\n") if line)
        return {name: commit for commit, name in lines}

    def push(self, moves: Iterable[tuple[str, str, str]]) -> None:
        """Move refs there, all or none: (ref, the commit it must have now, the one it is to have); empty for none.

        ChangedUnderneathError where one of them was another one.
        """
        moves = [each for each in moves if each[1] != each[2]]
        if not moves:
            return
        leases = [f"--force-with-lease={ref}:{old}" for ref, old, _ in moves]
        specs = [f"{new}:{ref}" for ref, _, new in moves]
        try:
            self._remote("push", "--quiet", "--atomic", "--no-verify", *leases, "--", self.url, *specs)
        except OutsideProgramError as error:
            now = self.refs()
            if all(now.get(ref, "") == new for ref, _, new in moves):
                return  # it has taken it, and its answer was lost
            if any(now.get(ref, "") != old for ref, old, _ in moves):
                raise ChangedUnderneathError(
                    f"Another process is working on the same refs of {self.url}.", hint="Re-run the same command."
                ) from error
            raise

    def fetch(self, ref: str) -> str:
        """Fetch the commit of a ref, and return its id."""
        return self.fetch_all({ref: _HERE})[ref]

    def fetch_all(self, refs: Mapping[str, str]) -> dict[str, str]:
        """Fetch these refs to refs of ours; returns the commit of each. What is known already does not come again."""
        self._prepare()
        specs = [f"{ref}:{here}" for ref, here in refs.items()]
        self._remote("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--force", "--", self.url, *specs)
        told = self._ask(self._back, "rev-parse", "--verify", *refs.values()) if len(refs) == 1 else b""
        if told or not refs:
            return dict.fromkeys(refs, told.decode().strip())
        return dict(zip(refs, self._ask(self._back, "rev-parse", *refs.values()).decode().split(), strict=True))

    # Reading what has come back

    def message(self, commit: str) -> str:
        """The message of a commit."""
        return self._ask(self._back, "cat-file", "commit", commit).decode("utf-8", "replace").partition("\n\n")[2]

    def tree(self, commit: str) -> dict[str, str]:
        """The id of the blob at each path of a commit."""
        told = self._ask(self._back, "ls-tree", "-r", "-z", "--full-tree", commit)
        return {path: oid for path, (_, oid) in gitwire.entries(told, oid_at=2).items()}

    def blob(self, oid: str) -> bytes:
        """Return the content of a blob; TooLargeError for one that is larger than any of a migration."""
        self._check_sizes([oid])
        return self._ask(self._back, "cat-file", "blob", oid)

    def verified(self, tree: Mapping[str, str], entries: Sequence[TreeEntry]) -> Iterator[tuple[TreeEntry, bool]]:
        """Each entry, and whether all that it holds has come back and is what its digest says."""
        wanted = [entry for entry in entries if entry.kind == FILE]
        known = {entry.path: self._at(tree, entry) for entry in wanted}
        self._digest([oids for oids in known.values() if oids], {tuple(known[e.path]): e.size for e in wanted})
        for entry in entries:
            oids = known.get(entry.path, [])
            digest = self._digests.get(" ".join(oids)) if oids else None
            yield entry, entry.kind != FILE or digest == (entry.content, entry.size)

    def content(
        self, tree: Mapping[str, str], entries: Sequence[TreeEntry]
    ) -> Iterator[tuple[TreeEntry, Iterator[bytes]]]:
        """Each file with its bytes, piece by piece; several small ones are read at once."""
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
        if len(batch) == 1:
            yield batch[0], (self.blob(oid) for oid in self._at(tree, batch[0]))
            return
        held = self._blobs(oid for entry in batch for oid in self._at(tree, entry))
        for entry in batch:
            yield entry, iter([held[oid] for oid in self._at(tree, entry)])

    def _digest(self, files: list[list[str]], sizes: Mapping[tuple[str, ...], int]) -> None:
        """Digest the files of these blobs that were not digested yet."""
        due = {" ".join(oids): oids for oids in files if " ".join(oids) not in self._digests}
        batch: dict[str, list[str]] = {}
        size = 0
        for name, oids in due.items():
            if len(oids) > 1:
                digest, length = hashlib.sha256(), 0
                for oid in oids:
                    piece = self.blob(oid)
                    digest.update(piece)
                    length += len(piece)
                self._digests[name] = (digest.hexdigest(), length)
                continue
            batch[name] = oids
            size += sizes.get(tuple(oids), 0)
            if size > _BATCH_BYTES or len(batch) >= _BATCH:
                self._digest_small(batch)
                batch, size = {}, 0
        self._digest_small(batch)

    def _digest_small(self, batch: Mapping[str, list[str]]) -> None:
        held = self._blobs(oid for oids in batch.values() for oid in oids)
        for name, (oid,) in batch.items():
            if oid in held:
                self._digests[name] = (hashlib.sha256(held[oid]).hexdigest(), len(held[oid]))

    def _blobs(self, oids: Iterable[str]) -> dict[str, bytes]:
        wanted = list(dict.fromkeys(oids))
        self._check_sizes(wanted)
        asked = "".join(f"{oid}\n" for oid in wanted).encode()
        return gitwire.blobs(self._ask(self._back, "cat-file", "--batch", stdin=asked)) if asked else {}

    def _check_sizes(self, oids: Sequence[str]) -> None:
        """TooLargeError where these are larger than a migration makes them: a small pack may hold gigabytes."""
        asked = "".join(f"{oid}\n" for oid in oids).encode()
        told = self._ask(self._back, "cat-file", "--batch-check=%(objectsize)", stdin=asked) if asked else b""
        sizes = [int(line) for line in told.split(b"\n") if line.isdigit()]
        if max(sizes, default=0) > LARGEST_BLOB_BYTES or sum(sizes) > 2 * LARGEST_BLOB_BYTES:
            raise TooLargeError(
                f"{self.url} holds a file of {max(sizes) >> 20} MiB, which agentws never writes.",
                hint="Another program wrote into this repository. Use another repository.",
            )

    # Making a parcel

    def store(self, blobs: Sequence[bytes]) -> list[str]:
        """Keep these blobs in the private repository: their ids."""
        self._prepare()
        found = {objects.object_id(objects.BLOB, blob, self._algorithm): blob for blob in blobs}
        if found:
            pack = objects.pack([(objects.BLOB, blob) for blob in found.values()], self._algorithm)
            self._ask(self._out, "index-pack", "--stdin", stdin=pack)
        return [objects.object_id(objects.BLOB, blob, self._algorithm) for blob in blobs]

    def commit(self, paths: Mapping[str, str], message: bytes, after: Sequence[str] = ()) -> str:
        """A commit of these blobs by their paths, the same for the same words: its id."""
        with self._disk():
            index = {"GIT_INDEX_FILE": os.path.join(tempfile.mkdtemp(dir=self._scratch), "index")}
        lines = gitwire.entry_lines({path: ("100644", oid) for path, oid in paths.items()})
        self._ask(self._out, "update-index", "-z", "--index-info", env=index, stdin=lines)
        tree = self._ask(self._out, "write-tree", env=index).decode().strip()
        return self._commit(tree, message, after)

    def commit_again(self, commit: str, message: bytes) -> str:
        """A commit after this one that holds the same: its id."""
        return self._commit(f"{commit}^{{tree}}", message, (commit,))

    def tree_of(self, commit: str) -> str:
        """The id of the tree of a commit that was made here."""
        return self._ask(self._out, "rev-parse", "--verify", f"{commit}^{{tree}}").decode().strip()

    def commit_tree(self, tree: str, message: bytes) -> str:
        """A commit that holds this tree, and has none before it: its id."""
        return self._commit(tree, message)

    def remember(self, tree: str, message: bytes) -> None:
        """Know from now on that the other repository has the commit of this tree, all of which has come back."""
        commit = self._commit(tree, message, within=self._back)
        self._ask(self._back, "update-ref", _HERE, commit)

    def _commit(self, tree: str, message: bytes, after: Sequence[str] = (), *, within: str = "") -> str:
        within = within or self._out
        words = {"NAME": _AUTHOR, "EMAIL": f"{_AUTHOR}@localhost", "DATE": "@0 +0000"}
        env = {f"GIT_{role}_{key}": word for role in ("AUTHOR", "COMMITTER") for key, word in words.items()}
        tree = self._ask(within, "rev-parse", "--verify", tree).decode().strip()
        parents = [word for commit in after for word in ("-p", commit)]
        return self._ask(within, "commit-tree", *parents, tree, env=env, stdin=message).decode().strip()

    # Within

    def folder(self) -> str:
        """A private folder, which goes with `close`."""
        with self._disk():
            return tempfile.mkdtemp(dir=self._private())

    def sweep(self) -> None:
        """Remove what killed processes have left; the caller is the only one at work here."""
        with os.scandir(self._within) as found:
            left = [
                each.path for each in found if each.name.startswith(temporary.PARCEL) and each.path != self._scratch
            ]
        for path in left:
            shutil.rmtree(path, ignore_errors=True)

    def close(self) -> None:
        """Remove the private repositories."""
        if self._scratch:
            temporary.remove(self._scratch)
            self._scratch = ""

    def _prepare(self) -> None:
        if not self._back:
            with self._disk():
                self._make()

    def _make(self) -> None:
        folders = [os.path.join(self._private(), "out"), self._kept or os.path.join(self._private(), "back")]
        back = os.path.join(folders[1], ".git")
        for folder in folders[: 1 if os.path.isdir(back) else 2]:
            os.makedirs(folder, 0o700, exist_ok=True)
            plumbing.create(folder)
            with open(os.path.join(folder, ".git", "config"), "a", encoding="utf-8") as file:
                file.write(_SETTINGS)
        out = os.path.join(folders[0], ".git")
        # What the other repository has given need not be made again; nothing ever comes back by this way.
        with open(os.path.join(out, "objects", "info", "alternates"), "w", encoding="utf-8") as file:
            file.write(f"{os.path.join(back, 'objects')}\n")
        self._algorithm = self._ask(out, "rev-parse", "--show-object-format").decode().strip()
        self._out, self._back = out, back

    def _private(self) -> str:
        if not self._scratch:
            is_given = os.path.isdir(self._within)
            self._scratch = (
                tempfile.mkdtemp(prefix=temporary.PARCEL, dir=self._within)
                if is_given
                else temporary.folder(prefix=temporary.PARCEL)
            )
        return self._scratch

    def _ask(
        self, git_dir: str, word: str, *words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> bytes:
        with self._disk():
            return plumbing.ask(word, *words, cwd=self._scratch, git_dir=git_dir, stdin=stdin, env=env)

    @contextmanager
    def _disk(self) -> Iterator[None]:
        """What this disk refuses, as an error of ours."""
        try:
            yield
        except OSError as error:
            raise files.failure(error, self._scratch or self._within) from error

    def _remote(self, word: str, *words: str) -> bytes:
        self._prepare()
        there = remote_end.words(word) if self.url.startswith(("/", "file://")) else ()
        try:
            with self._disk():
                return plumbing.remote(
                    word, *there, *words, cwd=self._scratch, git_dir=self._out if word == "push" else self._back
                )
        except OutsideProgramError as error:
            raise remote_hints.explained(error, "To resume, re-run the command.") from error

    def _at(self, tree: Mapping[str, str], entry: TreeEntry) -> list[str]:
        """The ids of the blobs that hold a file, none where one of them is missing."""
        found = [tree.get(path, "") for path in self._pieces(entry.content, entry.size)]
        return found if all(found) else []
