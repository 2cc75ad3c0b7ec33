"""Memory's merge rules for sync: MEMORY.md, its digest, and the records that compaction and curation write."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import proposals, sources
from agentws.core.formats.travel.sync_path import MONTH, Merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def merge_rules() -> Mapping[str, Merge]:
    """Return the merge rule of each of memory's paths and patterns."""
    return {
        layout.MEMORY: Merge.FACTS,
        layout.DIGEST: Merge.DIGEST,
        sources.PATH: Merge.MADE,
        proposals.PATH: Merge.MADE,
        proposals.SUPERSEDED: Merge.MADE,
        f"{layout.ARCHIVE}/{MONTH}": Merge.MADE,
    }
