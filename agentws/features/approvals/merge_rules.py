"""How sync merges approvals, and what a person signed about them."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.travel.merge import Merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def merge_rules() -> Mapping[str, Merge]:
    """Return the rule of each path or pattern."""
    return {
        f"{layout.APPROVALS}/": Merge.ANSWER,
        # A text of two signed ones would be nobody's.
        layout.APPROVERS: Merge.WHOLE,
        layout.RULES: Merge.WHOLE,
    }
