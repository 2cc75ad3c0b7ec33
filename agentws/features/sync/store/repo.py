"""The private git repository of a workspace's syncs, `.agentws/sync/repo.git`.

Specified in docs/format/sync.md.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Mapping, Sequence

from agentws.core.disk import files as _files
from agentws.core.disk.files import Files
from agentws.core.formats import digest
from agentws.core.formats.git import objects
from agentws.core.formats.travel import sync_path, sync_state
from agentws.core.formats.travel.sync_state import Told, Tree
from agentws.core.installation.keys import Key
from agentws.core.states import object_store, plumbing, private, repository
from agentws.core.states.object_store import FILE, ObjectStore
from agentws.errors import DamagedError, MissingFileError
from agentws.features.sync.store.contact import Connection

FOLDER = private.FOLDER
HEAD = f"{FOLDER}/head"
"""The file with the sync head: the commit id of the newest state that the workspace's files contain."""
HERE = "refs/here/newest"
"""The ref of the last commit made here, so that a fetch need not send it."""
_AGREED = "refs/here/agreed"
"""Refs to the trees of dropped commits that other remotes still need as a merge base."""
_WORKSPACE = sync_state.WORKSPACE
_AUTHOR = "agentws <agentws@localhost>"
_MESSAGE = b"agentws sync\n"
_REMEDY = "Remove .agentws/sync/repo.git and sync again."
_FILE_MODES = (FILE, "100755")
MOST_FILES = 200_000
REFUSED = "Nothing was changed. Find out who wrote to the repository."
_LARGEST_TOLD_BYTES = 1 << 16
_HEAD_BYTES = 128


class Repo:
    """The private sync repository of a workspace, made if missing. The caller holds the sync lock."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.git_dir = private.place(files)
        self.objects = ObjectStore(self.git_dir, "sync", _REMEDY)
        self.connection = Connection(self.git_dir)
        self._digests: dict[str, str] = {}
        self._known: dict[str, Tree] = {}
        self._told: dict[str, Told] = {}
        self._bases: dict[frozenset[str], list[str]] = {}
        self.met: dict[str, str] = {}
        """The trees of states that this machine has met, also before an older copy was restored, by commit."""
        self.lines: dict[str, list[str]] = {}
        """Cache: the states that a state contains, by its commit."""
        if self.newest() is None:
            with contextlib.suppress(OSError):  # git fetches nothing beside a ref that a power cut left empty
                os.unlink(f"{self.git_dir}/{HERE}")

    def close(self) -> None:
        """End the git reader process and the ssh connection, and drop what was read."""
        self.objects.close()
        self._known.clear()
        self.connection.close()

    def head(self) -> str | None:
        """Return the sync head; None if there is none or its objects are missing. Call it after a fetch."""
        try:
            text = self.files.read(HEAD, limit_bytes=_HEAD_BYTES).decode("ascii", "replace").strip()
        except MissingFileError:
            return None
        return text if sync_state.is_id(text) and self.has(text) else None

    def newest(self) -> str | None:
        """Return the last commit made here."""
        return repository.tip(self.git_dir, HERE)

    def has(self, commit: str) -> bool:
        """Return whether the repository has a commit."""
        return self.objects.has(commit)

    def holds(self, commit: str) -> bool:
        """Return whether the repository has the tree of a state, with or without its commit."""
        return self.has(commit) or bool(self._kept(commit))

    def _kept(self, commit: str) -> str | None:
        """Return the kept tree of a state whose commit was dropped, or one that another state has too."""
        kept = repository.tip(self.git_dir, f"{_AGREED}/{commit}")
        tree = self.met.get(commit)
        return kept or (tree if tree and self._has_tree(tree) else None)

    def _has_tree(self, tree: str) -> bool:
        try:
            self.objects.rows([tree])
        except DamagedError:
            return False
        return True

    def store(self, blobs: Iterable[bytes]) -> list[str]:
        """Add these contents as blobs and return their ids; readable at once, stored with the next `commit`."""
        return [self.objects.add(objects.BLOB, blob) for blob in blobs]

    # Making a state

    def commit(self, tree: Mapping[str, str], parents: Sequence[str], status: Told, key: Key | None) -> str:
        """Commit a state durably and return its id; signed if there is a key. Tree and parents are put into `status`.

        DiskError or OutsideProgramError if it cannot be stored: nothing may refer to it then.
        """
        for parent in parents:
            self.tree(parent)  # what they hold need not be stored again
        for path in tree:
            if not sync_path.is_safe(path):
                raise ValueError(f"{path!r} may not travel")
        workspace = self.objects.add_trees(tree)
        status = status.over(workspace, parents)
        status = status.signed(key.sign(status.message())) if key is not None else status
        record = self.objects.add(objects.BLOB, status.data())
        root = self.objects.add_tree((FILE, sync_state.TOLD, record), (object_store.FOLDER, _WORKSPACE, workspace))
        # The time is a number that grows, since git looks for what two states share by it; clocks differ.
        number = max((self.objects.links(parent)[2] for parent in parents), default=0) + 1
        oid = self.objects.add_commit(root, parents, author=f"{_AUTHOR} {number} +0000", message=_MESSAGE)
        self.objects.flush()
        self._point(oid)
        self.objects.fold()
        return oid

    def _point(self, oid: str) -> None:
        """Point the ref of the last commit made here at this one; it only saves work in fetches."""
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
        """Return the blob id at each path of a commit's workspace; DamagedError (14) for files that may not travel.

        It is the same dict at each call, which nobody may change: of fifty thousand files a copy takes two megabytes.
        """
        if commit not in self._known:
            self._known[commit] = _checked_files(self.objects, self._workspace(commit))
        return self._known[commit]

    def _workspace(self, commit: str) -> str:
        kept = None if self.has(commit) else self._kept(commit)
        return kept or _parts(self.objects, commit)[_WORKSPACE]

    def told(self, commit: str) -> Told:
        """Return a commit's metadata (agent, writer, epoch, …); DamagedError (14) if it contradicts the commit."""
        if commit not in self._told:
            self._told[commit] = self._read_told(commit)
        return self._told[commit]

    def _read_told(self, commit: str) -> Told:
        parts = _parts(self.objects, commit)
        oid = parts[sync_state.TOLD]
        try:
            status = sync_state.told(self.objects.blobs([oid], _LARGEST_TOLD_BYTES)[oid])
        except ValueError as error:
            raise DamagedError(f"The state {commit[:10]} cannot be read: {error}.") from error
        if status.tree != parts[_WORKSPACE] or list(status.parents) != self.objects.links(commit)[1]:
            raise DamagedError(f"The state {commit[:10]} holds something else than it says.")
        return status

    def blob(self, oid: str) -> bytes:
        """Return the content of a blob; DamagedError (14) if it is larger than a synced file may be."""
        return self.objects.blobs([oid])[oid]

    def blobs(self, oids: Collection[str]) -> dict[str, bytes]:
        """Return the contents of several blobs, read at once."""
        return self.objects.blobs(oids)

    def digest(self, oid: str) -> str:
        """Return the SHA-256 of a blob's content, as a ChangeSet expects it."""
        if oid not in self._digests:
            self._digests[oid] = digest.of(self.blob(oid))
        return self._digests[oid]

    def bases(self, a: str, b: str) -> list[str]:
        """Return the merge bases of two commits: none, one or several."""
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
        """Rebuild the repository with only the commit `keep` and its ancestors, so that no pack holds forgotten text.

        The trees of the commits `agreed` with other remotes stay, as the bases of later merges.
        """
        commits, known = [keep], {keep}
        for commit in commits:  # it grows meanwhile
            new = [parent for parent in self.objects.links(commit)[1] if parent not in known]
            known.update(new)
            commits += new
        folder = f"{self.files.root}/{FOLDER}"
        alone = {each: self._workspace(each) for each in agreed if each not in known and self.holds(each)}
        with _files.Failing(FOLDER):
            made = private.begin(folder)
            fresh = ObjectStore(made, "sync", _REMEDY)
            commits.sort(key=lambda each: self.objects.links(each)[2])
            object_store.copy(commits, self.objects, fresh, tuple(alone.values()))
            fresh.close()
            for commit, tree in alone.items():
                os.makedirs(f"{made}/{_AGREED}", exist_ok=True)
                with open(f"{made}/{_AGREED}/{commit}", "w", encoding="ascii") as file:
                    file.write(f"{tree}\n")
            self.objects.close()
            private.take_over(folder, made)
        self.objects = ObjectStore(self.git_dir, "sync", _REMEDY)
        self._point(keep)


def _parts(objects: ObjectStore, commit: str) -> dict[str, str]:
    """Return the ids of a commit's two parts, the workspace tree and the metadata blob; DamagedError for any other."""
    root = objects.links(commit)[0]
    rows = {name: (mode, oid) for mode, name, oid in objects.rows([root])[root]}
    modes = {name: mode for name, (mode, _) in rows.items()}
    if modes != {sync_state.TOLD: FILE, _WORKSPACE: object_store.FOLDER}:
        raise DamagedError(
            f"The state {commit[:10]} was not made by agentws.",
            hint="Another program wrote into this repository. Use another repository.",
        )
    return {name: oid for name, (_, oid) in rows.items()}


def _checked_files(objects: ObjectStore, top: str) -> Tree:
    """Return the blob id at each path beneath a tree; DamagedError for files that may not travel."""
    files: Tree = {}
    folders: set[str] = set()
    for mode, folder, name, oid in objects.walk(top):
        path = folder + name
        _check(mode, name, path, is_known=path in files or path in folders)
        if mode == object_store.FOLDER:
            folders.add(path)
        else:
            files[path] = oid
        if len(files) + len(folders) > MOST_FILES:
            raise DamagedError(f"A state of the sync holds more than {MOST_FILES:,} files.", hint=REFUSED)
    return files


def _check(mode: str, name: str, path: str, *, is_known: bool) -> None:
    """Raise DamagedError for a tree entry that may not travel: a link, a repository, an unsafe name."""
    is_folder = mode == object_store.FOLDER
    if not is_folder and mode not in _FILE_MODES:
        kind = {"120000": "a link", "160000": "a repository"}.get(mode, f"a file of mode {mode}")
        raise DamagedError(f"The sync holds {kind}: {path!r}.", hint=REFUSED)
    if "/" in name or is_known or not sync_path.is_safe(f"{path}/x" if is_folder else path):
        raise DamagedError(f"The sync holds a path that may not travel: {path!r}.", hint=REFUSED)
