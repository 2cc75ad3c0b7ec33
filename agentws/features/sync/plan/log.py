"""Merge a daily log: the entries of both sides, ordered by time under their headings. See docs/format/daily.md.

Entries that both sides wrote stay two, even with the same words: the merged log has a line as often as the base, and
as often again as each side added it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.markdown import markdown, notes
from agentws.features.sync.plan.units import text
from agentws.features.sync.plan.units.rules import everywhere

if TYPE_CHECKING:
    from agentws.features.sync.plan.units.outline import Node
    from agentws.features.sync.plan.units.rules import Rules

_MARKS = " \t-*+_[]xX~`#>"
"""Characters that may precede the time of an entry."""
_TIME_CHARS = len("00:00")
_SHORT_CHARS = 200


def merge(base: str | None, ours: str, theirs: str, rules: Rules) -> str:
    """Return the merged daily log."""
    rules.is_additive = True
    rules.moment = moment
    rules.is_sure = everywhere
    return text.merge(base, ours, theirs, rules)


def moment(node: Node) -> str:
    """Return the time of day at the beginning of a log entry, or in a heading; empty without one."""
    if node.kind == markdown.HEADING:
        return notes.time_in(node.title[:_SHORT_CHARS]) or ""
    if node.kind not in (markdown.ITEM, markdown.PARAGRAPH):
        return ""
    return notes.time_in(node.raw[:_SHORT_CHARS].lstrip(_MARKS)[:_TIME_CHARS]) or ""
