"""What of a workspace no state of history holds: documents edited since the newest one, and files that are none."""

from __future__ import annotations

import os
from itertools import islice

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.storage.git import exclude

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from agentws.storage.disk.files import Files
    from agentws.storage.git.git_history import GitHistory

_MOST = 100
"""How many files are asked about."""
_MOST_ENTRIES = 2_000
_DEEPEST = 4
_NOT_INTO = (layout.JOURNAL, "checkpoints", "node_modules", "__pycache__")


def edited(files: Files, kept: GitHistory, state: str, newer: Sequence[str], *, but: Collection[str] = ()) -> list[str]:
    """The RelPaths of documents that are not as in this state, sorted: of the files that are `newer`, newest first, a
    hundred at most; those in `but` are left out.

    OutsideProgramError where git cannot tell.
    """
    # In a clone every file is newer than its state: what was edited since is then the newest of them.
    paths = [path for path in newer if path not in but and layout.is_document(path)][:_MOST]
    found = []
    for path in paths:
        try:
            if kept.blob_id(files.read(path)) != kept.id_of(path, at=state):
                found.append(path)
        except AgentwsError:
            continue  # what is wrong with it is another check's
    return sorted(found)


def others(root: str) -> list[str]:
    """The RelPaths of files that are no documents, and that the git around neither tracks nor ignores.

    Of what lies within four folders a hundred at most, sorted. Nothing is read or followed.
    """
    found = sorted(islice(_others(root), _MOST))
    around = exclude.find(root)
    return around.untracked(found) if around is not None and found else []


def _others(root: str) -> Iterator[str]:
    folders, left = [""], _MOST_ENTRIES
    while folders and left > 0:
        folder = folders.pop(0)
        try:
            with os.scandir(f"{root}/{folder}") as there:
                entries = list(islice(there, left))
        except OSError:
            continue
        left -= len(entries)
        documents = set(layout.documents(folder, [entry.name for entry in entries]))
        others = [entry for entry in entries if entry.name not in documents or not entry.is_file(follow_symlinks=False)]
        for entry in sorted(others, key=lambda entry: entry.name):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith(".") or path in _NOT_INTO or entry.name in _NOT_INTO:
                continue
            if entry.is_dir(follow_symlinks=False):
                if path.count("/") < _DEEPEST and not os.path.lexists(f"{root}/{path}/.git"):
                    folders.append(path)
            elif entry.is_file(follow_symlinks=False):
                yield path
