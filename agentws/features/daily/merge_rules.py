"""How sync merges daily logs."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.travel.merge import DAY, Merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def merge_rules() -> Mapping[str, Merge]:
    """Return the rule of each path or pattern."""
    return {f"{layout.DAYS}/{DAY}": Merge.LOG}
