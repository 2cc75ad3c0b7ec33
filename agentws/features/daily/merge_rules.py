"""Merge rules of daily logs for sync: the entries of both sides are kept."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.travel.sync_path import DAY, Merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def merge_rules() -> Mapping[str, Merge]:
    """Return the merge rule for daily logs, by pattern."""
    return {f"{layout.DAYS}/{DAY}": Merge.LOG}
