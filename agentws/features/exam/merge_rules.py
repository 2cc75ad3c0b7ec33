"""The merge rule of the exam for sync: questions of two machines that differ are a conflict."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.travel.sync_path import Merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def merge_rules() -> Mapping[str, Merge]:
    """Return the merge rule of exam.toml."""
    return {layout.EXAM: Merge.WHOLE}
