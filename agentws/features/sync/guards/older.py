"""Detect a workspace restored to an older state, so that sync takes no missing file for a removed one."""

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
    """Return whether one of our journals is shorter than in the earlier state `before`, so the files are an older copy.

    A journal only grows: in files that follow `before`, its newest segments are unchanged or longer.
    """
    return any(_is_cut(repo, ours, before, path) for path in _newest(before).values() if ours.get(path) != before[path])


def is_new(repo: Repo, name: str, former: Collection[str], before: Tree) -> bool:
    """Return whether the writer `name` replaced one of its `former` ids since the state `before`, as happens after an
    older copy was restored.
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
    """Return the path of each writer's newest unpacked journal segment, by the writer's folder."""
    found: dict[str, str] = {}
    for path in tree:
        folder = path.rpartition("/")[0]
        if path.startswith(f"{layout.JOURNAL}/") and path.count("/") == 2 and _number(path):
            found[folder] = max(found.get(folder, path), path, key=_number)
    return found


def _number(path: str) -> int:
    return segment.number_of(path.rpartition("/")[2]) or 0
