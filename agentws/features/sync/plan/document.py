"""Merge the body of a Markdown document by entry under its headings. See docs/format/document.md.

A change of one side is taken. A bullet that both added is kept once. If both edited a bullet, both texts stay, one
after the other, as a conflict; a bullet that one side removed and the other edited stays, also as a conflict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.formats.documents import managed
from agentws.core.formats.travel.merge import Merge
from agentws.features.sync.plan import once
from agentws.features.sync.plan.units import text
from agentws.features.sync.plan.units.rules import everywhere

if TYPE_CHECKING:
    from agentws.features.sync.plan.units.outline import Node
    from agentws.features.sync.plan.units.rules import Rules, Where


def merge(base: str | None, ours: str, theirs: str, rules: Rules) -> str:
    """Return the merged document, without front matter."""
    rules.is_sure = is_rewritten
    if rules.kind != Merge.DIGEST:
        made = text.merge(base, ours, theirs, rules)
        return once.merged(base, ours, theirs, made) if rules.kind == Merge.FACTS else made
    from agentws.features.memory.compact.plan import digest  # the feature that names a digest

    rules.is_sure = everywhere
    rules.is_count = _is_count
    made = text.merge(base, ours, theirs, rules)
    # The weeks of a digest are newest first: keep the order of its own writer if both sides have it.
    in_order = all(digest.is_ours(side) and digest.rewritten(side) == side for side in (ours, theirs))
    return digest.rewritten(made) if in_order and digest.is_ours(made) else made


def is_rewritten(where: Where) -> bool:
    """Return whether a place is in the managed section, where compaction swaps entries: none of these is an edit."""
    return managed.HEADING in where


def _is_count(where: Where, node: Node) -> bool:
    """Return whether a unit is the count of lines that the digest has no room for; the next run counts them again."""
    from agentws.features.memory.compact.plan import digest

    return digest.NOT_SHOWN in where and node.raw[len("- ") :].split(" ", 1)[0].isdigit()
