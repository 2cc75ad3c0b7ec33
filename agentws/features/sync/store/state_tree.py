"""Read, store and copy the git trees of a synced state; every path that is read is checked."""

from __future__ import annotations

from agentws.core.formats.git import objects as git_objects
from agentws.core.formats.travel import sync_path, sync_state
from agentws.errors import DamagedError
from agentws.features.sync.store.objects_here import ALGORITHM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.core.formats.travel.sync_state import Tree
    from agentws.features.sync.store.objects_here import Objects

MOST_FILES = 200_000
REFUSED = "Nothing was changed. Find out who wrote to the repository."
FOLDER, FILE = "40000", "100644"
_FILES = (FILE, "100755")
_COPIED_AT_ONCE = 256


def parts(objects: Objects, commit: str) -> dict[str, str]:
    """Return the ids of a commit's two parts, the workspace tree and the metadata blob; DamagedError for any other."""
    root = objects.links(commit)[0]
    found = {name: (mode, oid) for mode, name, oid in objects.rows([root])[root]}
    if {name: mode for name, (mode, _) in found.items()} != {sync_state.TOLD: FILE, sync_state.WORKSPACE: FOLDER}:
        raise DamagedError(
            f"The state {commit[:10]} was not made by agentws.",
            hint="Another program wrote into this repository. Use another repository.",
        )
    return {name: oid for name, (_, oid) in found.items()}


def read(objects: Objects, top: str) -> Tree:
    """Return the blob id at each path beneath a tree; DamagedError for files that may not travel."""
    files: Tree = {}
    known: set[str] = set()
    level = [("", top)]
    while level:
        rows = objects.rows([oid for _, oid in level])
        inner: list[tuple[str, str]] = []
        for within, tree in level:
            for mode, name, oid in rows[tree]:
                path = within + name
                _check(mode, name, path, is_known=path in known)
                known.add(path)
                if mode == FOLDER:
                    inner.append((f"{path}/", oid))
                else:
                    files[path] = oid
            if len(known) > MOST_FILES:
                raise DamagedError(f"A state of the sync holds more than {MOST_FILES:,} files.", hint=REFUSED)
        level = inner
    return files


def store(objects: Objects, files: Mapping[str, str]) -> str:
    """Store the trees of these files and return the id of the top tree."""
    for path in files:
        if not sync_path.is_safe(path):
            raise ValueError(f"{path!r} may not travel")
    top, made = git_objects.trees(files, ALGORITHM)
    for oid, data in made.items():
        if not objects.knows(oid):
            objects.add(git_objects.TREE, data)
    return top


def root(objects: Objects, told: str, workspace: str) -> str:
    """Store a commit's root tree, of the metadata blob and the workspace tree, and return its id."""
    rows = ((FILE, sync_state.TOLD, told), (FOLDER, sync_state.WORKSPACE, workspace))
    data = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for mode, name, oid in rows)
    return objects.add(git_objects.TREE, data)


def copy(commits: Sequence[str], source: Objects, to: Objects, alone: Sequence[str] = ()) -> None:
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


def _check(mode: str, name: str, path: str, *, is_known: bool) -> None:
    """Raise DamagedError for a tree entry that may not travel: a link, a repository, an unsafe name."""
    if mode not in (FOLDER, *_FILES):
        kind = {"120000": "a link", "160000": "a repository"}.get(mode, f"a file of mode {mode}")
        raise DamagedError(f"The sync holds {kind}: {path!r}.", hint=REFUSED)
    if "/" in name or is_known or not sync_path.is_safe(f"{path}/x" if mode == FOLDER else path):
        raise DamagedError(f"The sync holds a path that may not travel: {path!r}.", hint=REFUSED)
