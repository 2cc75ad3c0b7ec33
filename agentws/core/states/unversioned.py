"""Files that no state of history holds: documents edited since the newest state, and other files outside of git."""

from __future__ import annotations

import os
from itertools import islice

from agentws.core.formats import layout
from agentws.core.states import exclude
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.states.git_history import GitHistory

_MOST = 100
"""The maximum number of files to check."""
_MOST_ENTRIES = 2_000
_DEEPEST = 4
_FILE, _FOLDER = "file", "folder"
_NOT_INTO = (layout.JOURNAL, "checkpoints", "node_modules", "__pycache__")


def edited(files: Files, kept: GitHistory, state: str, newer: Sequence[str], *, but: Collection[str] = ()) -> list[str]:
    """Return the RelPaths of documents that differ from this state, sorted: from the `newer` files, newest first, at
    most a hundred; those in `but` are left out.

    OutsideProgramError if git fails.
    """
    # In a clone every file is newer than its state: what was edited since is then the newest of them.
    paths = [path for path in newer if path not in but and layout.is_document(path)][:_MOST]
    names = []
    for path in paths:
        try:
            if kept.blob_id(files.read(path)) != kept.id_of(path, at=state):
                names.append(path)
        except AgentwsError:
            continue  # what is wrong with it is another check's
    return sorted(names)


def others(root: str, *, known: Mapping[str, Sequence[tuple[str, str]]] | None = None) -> list[str]:
    """Return the RelPaths of files that are not documents, and that the git around neither tracks nor ignores.

    At most a hundred, sorted, down to four folders. Nothing is read or followed. `known` has the names and kinds of
    folders that were listed already, without documents.
    """
    names = sorted(islice(_others(root, known or {}), _MOST))
    around = exclude.find(root)
    return around.untracked(names) if around is not None and names else []


def _others(root: str, known: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[str]:
    folders, left = [""], _MOST_ENTRIES
    while folders and left > 0:
        folder = folders.pop(0)
        there = known[folder] if folder in known else _listed(f"{root}/{folder}", left)
        left -= len(there)
        documents = set(layout.documents(folder, [name for name, _ in there]))
        for name, kind in sorted(each for each in there if each[0] not in documents or each[1] != _FILE):
            path = f"{folder}/{name}" if folder else name
            if name.startswith(".") or path == layout.CONFLICTS or path in _NOT_INTO or name in _NOT_INTO:
                continue
            if kind == _FOLDER:
                if path.count("/") < _DEEPEST and not os.path.lexists(f"{root}/{path}/.git"):
                    folders.append(path)
            elif kind == _FILE:
                yield path


def _listed(folder: str, most: int) -> list[tuple[str, str]]:
    try:
        with os.scandir(folder) as there:
            return [(entry.name, _kind(entry)) for entry in islice(there, most)]
    except OSError:
        return []


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_file(follow_symlinks=False):
        return _FILE
    return _FOLDER if entry.is_dir(follow_symlinks=False) else ""
