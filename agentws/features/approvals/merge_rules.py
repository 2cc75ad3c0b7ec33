"""Merge rules of approvals for sync: requests, and the files of keys and rules that a person signed."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.travel.sync_path import Merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def merge_rules() -> Mapping[str, Merge]:
    """Return the merge rule of each of the paths and patterns of approvals."""
    return {
        f"{layout.APPROVALS}/": Merge.ANSWER,
        # A merge of two signed texts would have no signature.
        layout.APPROVERS: Merge.WHOLE,
        layout.RULES: Merge.WHOLE,
    }
