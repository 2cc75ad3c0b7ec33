"""Files whose lines stand for themselves: JSON lines beside documents, names, patterns. See docs/format/sources.md.

A line of both sides stands once; one that a side removed goes; new ones are in order of the time that they name.
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
"""The keys of a row that say when it was written, the first that is there."""


def merge(base: str | None, ours: str, theirs: str, rules: Rules) -> str:
    """Return the lines that both sides lead to."""
    rules.has_edits = False
    if rules.path.endswith(".jsonl"):
        rules.moment = moment
    return text.merge(base, ours, theirs, rules, read)


def read(content: str) -> Outline:
    """Return the lines of a file as units; what is empty stands before the next."""
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
    """Return when a row says that it was written; empty where it does not."""
    try:
        row = plainjson.loads(node.raw)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(row, dict):
        return ""
    return next((time for name in _TIMES if isinstance(time := row.get(name), str) and time), "")
