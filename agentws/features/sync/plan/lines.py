"""Merge files of independent lines: JSON lines beside documents, names, patterns. See docs/format/sources.md.

A line of both sides is kept once, a line that a side removed goes, and new JSON lines are in order of their time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.formats.json import plainjson
from agentws.core.markdown import markdown
from agentws.features.sync.plan.units import outline, text
from agentws.features.sync.plan.units.outline import COMMENT, LINE, Node, Outline

if TYPE_CHECKING:
    from agentws.features.sync.plan.units.rules import Rules

_TIMES = ("run", "at", "until", "day")
"""The keys of a row that may hold when it was written; the first one present counts."""


def merge(base: str | None, ours: str, theirs: str, rules: Rules) -> str:
    """Return the merged lines of a file."""
    rules.has_edits = False
    if rules.path.endswith(".jsonl"):
        rules.moment = moment
    return text.merge(base, ours, theirs, rules, read)


def read(content: str) -> Outline:
    """Return the lines of a file as units; empty lines are the lead of the next one."""
    nodes: list[Node] = []
    lead = ""
    for line in markdown.lines_of(content):
        if not line.strip():
            lead += line
            continue
        raw, eol = outline.ended(line)
        nodes.append(Node(COMMENT if raw.startswith("#") else LINE, raw, eol=eol, lead=lead))
        lead = ""
    return Outline("", nodes, outline.closed(nodes, lead, content))


def moment(node: Node) -> str:
    """Return the time at which a row of JSON lines was written; empty if it has none."""
    try:
        row = plainjson.loads(node.raw)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(row, dict):
        return ""
    return next((time for name in _TIMES if isinstance(time := row.get(name), str) and time), "")
