"""Tell missing files from removed ones: after an older copy was restored, or where many are gone at once."""

from __future__ import annotations

import os
from collections.abc import Collection

from agentws.core.formats import layout
from agentws.core.formats.identity import writer
from agentws.core.formats.journal import segment
from agentws.errors import NeedsYouError
from agentws.features.sync.state import Tree
from agentws.features.sync.store.repo import Repo

NOTICE = "These files are an older copy: what is missing here was not taken for removed."
_LEAST = 10
_OTHERWISE = (f"{layout.JOURNAL}/", f"{layout.CHECKPOINTS}/", f"{layout.CONFLICTS}/")
"""Folders where files are removed by the dozen: not counted. `is_older` detects a lost journal."""


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
    data, there = repo.blob(ours[path]), repo.blob(before[path])
    return len(data) < len(there) and there.startswith(data)


def _newest(tree: Tree) -> dict[str, str]:
    """Return the path of each writer's newest unpacked journal segment, by the writer's folder."""
    result: dict[str, str] = {}
    for path in tree:
        folder = path.rpartition("/")[0]
        if path.startswith(f"{layout.JOURNAL}/") and path.count("/") == 2 and _number(path):
            result[folder] = max(result.get(folder, path), path, key=_number)
    return result


def _number(path: str) -> int:
    return segment.number_of(path.rpartition("/")[2]) or 0


def check_removals(before: Collection[str], ours: Collection[str]) -> None:
    """Raise NeedsYouError if at least ten files of the state `before`, and more than half of a top-level folder or of
    all, are missing in `ours`.
    """
    names = {path.rpartition("/")[2] for path in ours}
    there = [path for path in before if not path.startswith(_OTHERWISE)]
    # A day that was folded stands in the archive under the same name.
    gone = [path for path in there if path not in ours and path.rpartition("/")[2] not in names]
    if len(gone) < _LEAST:
        return
    for top in (*sorted({f"{path.partition('/')[0]}/" for path in gone}), ""):
        lost, had = ([path for path in paths if path.startswith(top)] for paths in (gone, there))
        if len(lost) >= _LEAST and 2 * len(lost) > len(had):
            folder = os.path.commonpath([os.path.dirname(path) for path in lost])
            where = f"{folder}/" if folder else "the workspace"
            raise NeedsYouError(
                f"Nothing was synced: {len(lost):,} of {len(had):,} files in {where} are gone since the newest sync.",
                hint="Was the folder moved, or is it not mounted? Put it back, then: agentws sync. "
                "To remove them on every machine: agentws sync --accept-removals",
            )
