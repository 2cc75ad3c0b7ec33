"""Merge rules of identity for sync: the signing keys in identity/allowed_signers are merged by lines."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.travel.sync_path import Merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def merge_rules() -> Mapping[str, Merge]:
    """Return the merge rule for identity/allowed_signers."""
    return {layout.SIGNERS: Merge.LINES}
