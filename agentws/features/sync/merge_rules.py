"""The merge rule that sync declares for its conflict records."""

from __future__ import annotations

from agentws.core.formats.travel import sync_path
from agentws.core.formats.travel.sync_path import Merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def merge_rules() -> Mapping[str, Merge]:
    """Return the merge rule of each path or pattern."""
    return {f"{sync_path.CONFLICTS}/": Merge.RECORD}
