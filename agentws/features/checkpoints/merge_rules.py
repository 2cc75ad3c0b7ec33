"""Merge rules of checkpoints for sync: their long texts are kept on both sides."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.travel.sync_path import TEXT, Merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def merge_rules() -> Mapping[str, Merge]:
    """Return the merge rule for the long texts of checkpoints, by pattern."""
    return {f"{layout.CHECKPOINTS}/{TEXT}": Merge.KEPT}
