"""Refuse to sync mass removals: a folder may have been moved or not be mounted."""

from __future__ import annotations

import os

from agentws.core.formats import layout
from agentws.errors import NeedsYouError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_LEAST = 10
_OTHERWISE = (f"{layout.JOURNAL}/", f"{layout.CHECKPOINTS}/", f"{layout.CONFLICTS}/")
"""Folders where files are removed by the dozen: not counted. `older` detects a lost journal."""


def check(before: Collection[str], ours: Collection[str]) -> None:
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
            raise _refusal(lost, len(had))


def _refusal(lost: list[str], had: int) -> NeedsYouError:
    folder = os.path.commonpath([os.path.dirname(path) for path in lost])
    where = f"{folder}/" if folder else "the workspace"
    return NeedsYouError(
        f"Nothing was synced: {len(lost):,} of {had:,} files in {where} are gone since the newest sync.",
        hint="Was the folder moved, or is it not mounted? Put it back, then: agentws sync. "
        "To remove them on every machine: agentws sync --accept-removals",
    )
