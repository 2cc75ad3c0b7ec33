"""A workspace whose files were put back to an older state: what is missing there was not removed by anybody."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.identity import writer
from agentws.core.formats.journal import segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from agentws.features.sync.state import Tree
    from agentws.features.sync.store.repo import Repo

NOTICE = "These files are an older copy: what is missing here was not taken for removed."


def is_older(repo: Repo, ours: Tree, before: Tree) -> bool:
    """Return whether a journal of ours ends before the end that it had in the state `before`, which the files follow.

    A journal only grows: where the files do follow that state, each segment that was the last one begins as it did.
    """
    return any(_is_cut(repo, ours, before, path) for path in _newest(before).values() if ours.get(path) != before[path])


def is_new(repo: Repo, name: str, former: Collection[str], before: Tree) -> bool:
    """Return whether this writer goes on in the place of one of its former ones since the state `before`: as one does
    in an older copy of what it wrote.
    """
    if not former or layout.WRITERS not in before:
        return False
    known = {line.writer for line in writer.lines(repo.blob(before[layout.WRITERS]).decode("utf-8", "replace"))}
    return name not in known and not known.isdisjoint(former)


def _is_cut(repo: Repo, ours: Tree, before: Tree, path: str) -> bool:
    if path not in ours:
        folder = path.rpartition("/")[0]
        newest = _newest(ours).get(folder, "")
        is_behind = not newest or _number(newest) < _number(path)
        return is_behind and segment.packed_path(path) not in ours
    here, there = repo.blob(ours[path]), repo.blob(before[path])
    return len(here) < len(there) and there.startswith(here)


def _newest(tree: Tree) -> dict[str, str]:
    """The last segment that is not packed, by the folder of its writer."""
    found: dict[str, str] = {}
    for path in tree:
        folder = path.rpartition("/")[0]
        if path.startswith(f"{layout.JOURNAL}/") and path.count("/") == 2 and _number(path):
            found[folder] = max(found.get(folder, path), path, key=_number)
    return found


def _number(path: str) -> int:
    return segment.number_of(path.rpartition("/")[2]) or 0
