"""The private repository of a workspace's syncs, `.agentws/sync/repo.git`: nobody else reads or writes it.

Specified in docs/format/sync.md.
"""

from __future__ import annotations

import contextlib
import os

from agentws.core.disk import files as _files
from agentws.core.formats import digest
from agentws.core.formats.git import objects
from agentws.core.formats.travel import sync_state
from agentws.core.states import plumbing, private, repository
from agentws.errors import DamagedError, MissingFileError
from agentws.features.sync.store import state_tree
from agentws.features.sync.store.connection import Connection
from agentws.features.sync.store.objects_here import Objects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.formats.travel.sync_state import Told, Tree
    from agentws.core.installation.keys import Key

FOLDER = private.FOLDER
HEAD = f"{FOLDER}/head"
"""The id of the newest state that the files of the workspace contain, and a newline."""
HERE = "refs/here/newest"
"""What was made here last: so that a fetch need not send it."""
_AGREED = "refs/here/agreed"
"""Of a state that is here no more, its files: another remote has had it, and what they are now came from it."""
_WORKSPACE = sync_state.WORKSPACE
_AUTHOR = "agentws <agentws@localhost>"
_MESSAGE = b"agentws sync\n"
_LARGEST_TOLD_BYTES = 1 << 16
_HEAD_BYTES = 128


class Repo:
    """The repository of the workspace of these files, made where there is none. Used by whoever holds the lock."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.git_dir = private.place(files)
        self.objects = Objects(self.git_dir)
        self.connection = Connection()
        self._digests: dict[str, str] = {}
        self._known: dict[str, Tree] = {}
        self._told: dict[str, Told] = {}
        self._bases: dict[frozenset[str], list[str]] = {}
        self.lines: dict[str, list[str]] = {}
        """The states that a state contains, by its commit, as they were looked up."""
        if self.newest() is None:
            with contextlib.suppress(OSError):  # git fetches nothing beside a ref that a power cut left empty
                os.unlink(f"{self.git_dir}/{HERE}")

    def close(self) -> None:
        """End what runs beside."""
        self.objects.close()
        self.connection.close()

    def head(self) -> str | None:
        """The local head, None where there is none or its objects are not here (any more): ask after a fetch."""
        try:
            told = self.files.read(HEAD, limit_bytes=_HEAD_BYTES).decode("ascii", "replace").strip()
        except MissingFileError:
            return None
        return told if sync_state.is_id(told) and self.has(told) else None

    def newest(self) -> str | None:
        """The commit that was made here last."""
        return repository.tip(self.git_dir, HERE)

    def has(self, commit: str) -> bool:
        """Return whether a commit is here."""
        return self.objects.has(commit)

    def holds(self, commit: str) -> bool:
        """Return whether the files of a state are here, with or without the commit itself."""
        return self.has(commit) or bool(self._kept(commit))

    def _kept(self, commit: str) -> str | None:
        """The files of a state that stayed without its commit."""
        return repository.tip(self.git_dir, f"{_AGREED}/{commit}")

    def store(self, blobs: Iterable[bytes]) -> list[str]:
        """Keep these contents until the next `commit`: their ids, which can be read at once."""
        return [self.objects.add(objects.BLOB, blob) for blob in blobs]

    # Making a state

    def commit(self, tree: Mapping[str, str], parents: Sequence[str], told: Told, key: Key | None) -> str:
        """Make a state durable and return its id; signed where there is a key. Tree and parents are put into `told`.

        DiskError, OutsideProgramError where it cannot be kept: nothing may name it then.
        """
        for parent in parents:
            self.tree(parent)  # what they hold need not be stored again
        workspace = state_tree.store(self.objects, tree)
        told = told.over(workspace, parents)
        told = told.signed(key.sign(told.message())) if key is not None else told
        root = state_tree.root(self.objects, self.objects.add(objects.BLOB, told.data()), workspace)
        # The time is a number that grows, since git looks for what two states share by it; clocks differ.
        number = max((self.objects.links(parent)[2] for parent in parents), default=0) + 1
        text = objects.commit(root, parents, author=f"{_AUTHOR} {number} +0000", message=_MESSAGE)
        oid = self.objects.add(objects.COMMIT, text)
        self.objects.flush()
        self._point(oid)
        self.objects.fold()
        return oid

    def _point(self, oid: str) -> None:
        """Let the ref of what was made here name this commit. Only a help for a fetch: nothing rests on it."""
        at = f"{self.git_dir}/{HERE}"
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(at), exist_ok=True)
            with open(f"{at}.lock", "w", encoding="ascii") as file:  # git reads any other name as a ref
                file.write(f"{oid}\n")
                file.flush()
                _files.sync(file.fileno())  # XFS renames what has no content yet, and git fetches nothing then
            os.rename(f"{at}.lock", at)

    # Reading states

    def tree(self, commit: str) -> Tree:
        """The blob at each path of a commit's workspace; DamagedError (14) for what may not travel."""
        if commit not in self._known:
            self._known[commit] = state_tree.read(self.objects, self._workspace(commit))
        return dict(self._known[commit])

    def _workspace(self, commit: str) -> str:
        kept = None if self.has(commit) else self._kept(commit)
        return kept or state_tree.parts(self.objects, commit)[_WORKSPACE]

    def told(self, commit: str) -> Told:
        """What a commit tells of itself; DamagedError (14) where it cannot be so."""
        if commit not in self._told:
            self._told[commit] = self._read_told(commit)
        return self._told[commit]

    def _read_told(self, commit: str) -> Told:
        parts = state_tree.parts(self.objects, commit)
        oid = parts[sync_state.TOLD]
        try:
            told = sync_state.told(self.objects.blobs([oid], _LARGEST_TOLD_BYTES)[oid])
        except ValueError as error:
            raise DamagedError(f"The state {commit[:10]} cannot be read: {error}.") from error
        if told.tree != parts[_WORKSPACE] or list(told.parents) != self.objects.links(commit)[1]:
            raise DamagedError(f"The state {commit[:10]} holds something else than it says.")
        return told

    def blob(self, oid: str) -> bytes:
        """The content of a blob; DamagedError (14) for one that is larger than any that travels."""
        return self.objects.blobs([oid])[oid]

    def blobs(self, oids: Collection[str]) -> dict[str, bytes]:
        """The contents of several, which are read in one go."""
        return self.objects.blobs(oids)

    def digest(self, oid: str) -> str:
        """The SHA-256 of a blob's content, as a ChangeSet expects it."""
        if oid not in self._digests:
            self._digests[oid] = digest.of(self.blob(oid))
        return self._digests[oid]

    def bases(self, a: str, b: str) -> list[str]:
        """The newest states that both contain: none, one, or several."""
        pair = frozenset((a, b))
        if pair not in self._bases:
            self._bases[pair] = self._shared(a, b)
        return self._bases[pair]

    def _shared(self, a: str, b: str) -> list[str]:
        if a == b or a in self.objects.links(b)[1]:
            return [a]
        if b in self.objects.links(a)[1]:
            return [b]
        words = ("--all", a, b)
        result = plumbing.run("merge-base", *words, cwd=self.git_dir, git_dir=self.git_dir)
        return [] if result[0] == 1 else sorted(plumbing.check("merge-base", result).decode().split())

    def contains(self, commit: str, other: str) -> bool:
        """Return whether `commit` is `other`, or follows it."""
        return other in self.bases(commit, other)

    def renew(self, keep: str, agreed: Collection[str] = ()) -> None:
        """Make the repository anew with nothing but this state and those before it: what was forgotten lies in no pack
        any more. Of the states that are `agreed` with other remotes the files stay: what changes there came from them.
        """
        commits, known = [keep], {keep}
        for commit in commits:  # it grows meanwhile
            new = [parent for parent in self.objects.links(commit)[1] if parent not in known]
            known.update(new)
            commits += new
        folder = f"{self.files.root}/{FOLDER}"
        alone = {each: self._workspace(each) for each in agreed if each not in known and self.holds(each)}
        try:
            made = private.begin(folder)
            fresh = Objects(made)
            commits.sort(key=lambda each: self.objects.links(each)[2])
            state_tree.copy(commits, self.objects, fresh, tuple(alone.values()))
            fresh.close()
            for commit, tree in alone.items():
                os.makedirs(f"{made}/{_AGREED}", exist_ok=True)
                with open(f"{made}/{_AGREED}/{commit}", "w", encoding="ascii") as file:
                    file.write(f"{tree}\n")
            self.objects.close()
            private.take_over(folder, made)
        except OSError as error:
            raise _files.failure(error, FOLDER) from error
        self.objects = Objects(self.git_dir)
        self._point(keep)
