"""How sync merges long texts of checkpoints."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.travel.merge import TEXT, Merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def merge_rules() -> Mapping[str, Merge]:
    """Return the rule of each path or pattern."""
    return {f"{layout.CHECKPOINTS}/{TEXT}": Merge.KEPT}
