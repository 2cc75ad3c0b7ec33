"""A text as a tree: headings with what stands below them, items with those nested in them. Rendered, it is the text.

What is compared are `key`s; what is written are the bytes that a side had.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.markdown import markdown
from agentws.features.sync.plan.units import box, tags

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMENT, FIELD, LINE = "comment", "field", "line"
"""Kinds of nodes of files that are no Markdown; those of Markdown are those of its blocks."""
TAGGED = (markdown.HEADING, markdown.ITEM, markdown.PARAGRAPH, markdown.ROW, markdown.TABLE_HEAD)
"""Kinds whose first line may end in tags."""
_DEEPEST = 6
"""So deep items are told apart; what is nested deeper is text of theirs."""
_BOM = "\ufeff"


class Node:
    """One unit of a text.

    Fields:
        kind: as in core/markdown/markdown.py, or FIELD, COMMENT, LINE.
        key: what it is known by, whatever its line ends, the state of its box, and who may hear it.
        raw: its own text without the last line end; eol: that line end.
        lead: the blank lines before it.
        level: that of a heading, else 0.
        title: the words of a heading, the name of a field.
        children: what stands below it.
    """

    __slots__ = ("_whole", "children", "eol", "key", "kind", "lead", "level", "raw", "title")

    def __init__(
        self, kind: str, raw: str, *, key: str = "", eol: str = "\n", lead: str = "", level: int = 0, title: str = ""
    ) -> None:
        self.kind = kind
        self.raw = raw
        self.key = key or plain(raw)
        self.eol = eol
        self.lead = lead
        self.level = level
        self.title = title
        self.children: list[Node] = []
        self._whole: str | None = None

    @property
    def whole(self) -> str:
        """Its text with all that stands below it, whatever the line ends and the blank lines around it."""
        if self._whole is None:
            below = (child.whole for child in self.children)
            self._whole = "\n".join((plain(self.raw), *below)) if self.children else plain(self.raw)
        return self._whole

    def like(self, raw: str, eol: str, lead: str, children: Sequence[Node]) -> Node:
        """The same unit with another text, and other units below it."""
        node = Node(self.kind, raw, key=self.key, eol=eol, lead=lead, level=self.level, title=self.title)
        node.children = list(children)
        return node


class Outline:
    """A text as `nodes`, with the byte-order mark before them and the end of the text behind them."""

    __slots__ = ("bom", "nodes", "tail")

    def __init__(self, bom: str, nodes: list[Node], tail: str) -> None:
        self.bom = bom
        self.nodes = nodes
        self.tail = tail

    @property
    def text(self) -> str:
        """The text, byte for byte that which was read where nothing changed."""
        return self.bom + written(self.nodes, self.tail)


def plain(text: str) -> str:
    """Return a text with the line ends of all systems alike."""
    return text.replace("\r\n", "\n") if "\r" in text else text


def ended(text: str) -> tuple[str, str]:
    """Return a text without its last line end, and that."""
    if text.endswith("\n"):
        return (text[:-2], "\r\n") if text.endswith("\r\n") else (text[:-1], "\n")
    return text, ""


def read(text: str) -> Outline:
    """Return the outline of a document."""
    bom = _BOM if text.startswith(_BOM) else ""
    text = text[len(bom) :]
    flat, rest = _flat(text, 0)
    tail = closed(flat, rest, text)
    return Outline(bom, _nested(flat), tail)


def closed(flat: Sequence[Node], rest: str, text: str) -> str:
    """Return the end of a text: of its last unit's line, and the blank lines behind it.

    Every unit is given a line end, so that another may come behind it.
    """
    if not flat:
        return rest
    last = flat[-1]
    while last.children:
        last = last.children[-1]
    tail = last.eol + rest
    last.eol = last.eol or ended(text[: text.find("\n") + 1])[1] or "\n"
    return tail


def written(nodes: Sequence[Node], tail: str) -> str:
    """Return the text of units, and its end."""
    parts: list[str] = []
    before = ""
    eol = ""
    for node in _every(nodes):
        # A paragraph would become a part of what stands right before it.
        is_fused = node.kind == markdown.PARAGRAPH and before in (markdown.PARAGRAPH, markdown.ITEM)
        parts += [node.lead or (node.eol if is_fused else ""), node.raw, node.eol]
        before, eol = node.kind, node.eol
    if eol:
        parts.pop()
    return "".join(parts) + tail


def _every(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        if node.children:
            yield from _every(node.children)


def _flat(text: str, depth: int) -> tuple[list[Node], str]:
    """The units of a text, headings beside what stands below them, and the blank lines at the end."""
    nodes: list[Node] = []
    lead = ""
    for block in markdown.blocks(text):
        if block.kind == markdown.BLANK:
            lead = block.text
            continue
        node = _node(block, lead, depth)
        lead = ""
        if node.kind == markdown.ROW and not node.lead and nodes and nodes[-1].kind == markdown.TABLE_HEAD:
            nodes[-1].children.append(node)
        else:
            nodes.append(node)
    return nodes, lead


def _node(block: markdown.Block, lead: str, depth: int) -> Node:
    raw, eol = ended(block.text)
    if block.kind == markdown.HEADING:
        title = block.title
        key = f"{block.level} {tags.plain(title)}"
        return Node(block.kind, raw, key=key, eol=eol, lead=lead, level=block.level, title=title)
    if block.kind != markdown.ITEM:
        key = tags.plain(plain(raw)) if block.kind in TAGGED else ""
        return Node(block.kind, raw, key=key, eol=eol, lead=lead)
    if "\n" not in raw or depth >= _DEEPEST:
        return Node(block.kind, raw, key=box.plain(tags.plain(plain(raw))), eol=eol, lead=lead)
    return _item(block, lead, depth)


def _item(block: markdown.Block, lead: str, depth: int) -> Node:
    """An item of several lines: what stands before the first one nested in it is its own."""
    first, _, rest = block.text.partition("\n")
    own = len(first) + 1
    blank = 0
    below = markdown.blocks(rest)
    for part in below:
        if part.kind == markdown.ITEM:
            break
        blank = blank + len(part.text) if part.kind == markdown.BLANK else 0
        own += len(part.text)
    raw, eol = ended(block.text[: own - blank])
    node = Node(block.kind, raw, key=box.plain(tags.plain(plain(raw))), eol=eol, lead=lead)
    node.children, _ = _flat(block.text[own - blank :], depth + 1)
    return node


def _nested(flat: Sequence[Node]) -> list[Node]:
    """The units with each heading above what belongs to it."""
    root: list[Node] = []
    path: list[Node] = []
    for node in flat:
        if node.kind == markdown.HEADING:
            while path and path[-1].level >= node.level:
                path.pop()
        (path[-1].children if path else root).append(node)
        if node.kind == markdown.HEADING:
            path.append(node)
    return root
