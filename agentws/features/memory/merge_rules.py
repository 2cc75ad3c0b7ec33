"""How sync merges MEMORY.md and the files that compaction makes."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import proposals, sources, superseded
from agentws.core.formats.travel.merge import MONTH, Merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def merge_rules() -> Mapping[str, Merge]:
    """Return the rule of each path or pattern."""
    return {
        layout.MEMORY: Merge.FACTS,
        layout.DIGEST: Merge.DIGEST,
        sources.PATH: Merge.MADE,
        proposals.PATH: Merge.MADE,
        superseded.PATH: Merge.MADE,
        f"{layout.ARCHIVE}/{MONTH}": Merge.MADE,
    }
