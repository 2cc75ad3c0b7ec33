"""Interleave the units that two sides added at one place: by time, then by text, whichever side they are from.

The units of one side keep their order, and what belongs together stays together. The merge is associative: a run is a
row of blocks, a block ends before a unit that sorts after its first one; blocks are sorted, their units never.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentws.core.markdown import markdown
from agentws.features.sync.plan.units.outline import COMMENT, FIELD, LINE, Node, written

Moment = Callable[[Node], str]
"""Returns when a unit was written, as sortable text; empty if unknown."""
_Key = tuple[int, int, str, int, str]
_CLOSE = frozenset((markdown.ITEM, markdown.ROW, FIELD, COMMENT, LINE))
"""Kinds that follow each other without a blank line."""
_LEADERS = {markdown.PARAGRAPH: 1, markdown.TABLE_HEAD: 1, markdown.RULE: 2, COMMENT: 1}
"""Kinds that take the following units along, up to one of the same rank."""


class _Block:
    """Units that stay together. `before` is the block before it on its own side."""

    __slots__ = ("before", "key", "keys", "nodes")

    def __init__(self, before: _Block | None, key: _Key) -> None:
        self.before = before
        self.key = key
        self.keys = [key]
        self.nodes: list[Node] = []


def run(ours: Sequence[Node], theirs: Sequence[Node], moment: Moment) -> list[Node]:
    """Return the added units of both sides as one run; if one side has none, the other is unchanged."""
    if not (ours and theirs):
        return [*ours, *theirs]
    blocks = sorted((*_blocks(ours, moment), *_blocks(theirs, moment)), key=_place)
    made: list[Node] = []
    before: _Block | None = None
    for block in blocks:
        first = block.nodes[0]
        made.append(first if before is None or _follows(before, block) else spaced(made[-1], first))
        made += block.nodes[1:]
        before = block
    return made


def spaced(before: Node, node: Node) -> Node:
    """Return a unit with the usual blank lines between it and the unit before it."""
    lead = "" if before.kind in _CLOSE and node.kind in _CLOSE else node.eol
    return node if node.lead == lead else node.like(node.raw, node.eol, lead, node.children)


def _place(block: _Block) -> tuple[list[_Key], str, tuple[list[_Key], str]]:
    return *_weight(block), _weight(block.before) if block.before else ([], "")


def _weight(block: _Block) -> tuple[list[_Key], str]:
    return block.keys, written(block.nodes, "")


def _follows(before: _Block, block: _Block) -> bool:
    """Return whether a block follows the one before it on its own side, or an equal one."""
    own = block.before
    return own is before or (own is not None and _weight(own) == _weight(before))


def _blocks(nodes: Sequence[Node], moment: Moment) -> list[_Block]:
    blocks: list[_Block] = []
    for key, elements in _elements(nodes, moment):
        if blocks and key < blocks[-1].key:
            blocks[-1].keys.append(key)
        else:
            blocks.append(_Block(blocks[-1] if blocks else None, key))
        blocks[-1].nodes += elements
    return blocks


def _elements(nodes: Sequence[Node], moment: Moment) -> list[tuple[_Key, list[Node]]]:
    """Return the groups of units that move together, each with its sort key."""
    elements: list[tuple[_Key, list[Node]]] = []
    leading = -1  # the rank of the leader of the current group; 3 if it has a time
    for node in nodes:
        time = moment(node)
        rank = 3 if time else _LEADERS.get(node.kind, 0)
        if node.kind == markdown.HEADING:
            elements.append(((1, -node.level, time, 0, node.whole), [node]))
        elif time or leading <= 0 or (rank >= leading and leading < 3):
            elements.append(((0, 0, time, min(rank, 2), node.whole), [node]))
            leading = rank
        else:
            elements[-1][1].append(node)
    return elements
