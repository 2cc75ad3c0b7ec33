"""The outline of a text: a tree of units, headings over their content, items over nested ones. Rendered as the text.

Units are compared by their `key`s; written are the bytes of a side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentws.core.markdown import markdown
from agentws.features.sync.plan.units import box, tags

COMMENT, FIELD, LINE = "comment", "field", "line"
"""Kinds of units in files that are no Markdown; units of Markdown have the kinds of its blocks."""
TAGGED = (markdown.HEADING, markdown.ITEM, markdown.PARAGRAPH, markdown.ROW, markdown.TABLE_HEAD)
"""Kinds whose first line may end in tags."""
_DEEPEST = 6
"""Items nested deeper than this are part of the text of the item above."""
_BOM = "\ufeff"


class Node:
    """A node of the outline: one unit of a text.

    Fields:
        kind: as in core/markdown/markdown.py, or FIELD, COMMENT, LINE.
        key: what identifies it, without differences in line ends, check box and audience tags.
        raw: its own text without the last line end; eol: that line end.
        lead: the blank lines before it.
        level: that of a heading, else 0.
        title: the words of a heading, the name of a field.
        children: the units below it.
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
        """The text of the unit and all units below it, without differences in line ends and blank lines."""
        if self._whole is None:
            below = (child.whole for child in self.children)
            self._whole = "\n".join((plain(self.raw), *below)) if self.children else plain(self.raw)
        return self._whole

    def like(self, raw: str, eol: str, lead: str, children: Sequence[Node]) -> Node:
        """Return the same unit with another text, and other units below it."""
        node = Node(self.kind, raw, key=self.key, eol=eol, lead=lead, level=self.level, title=self.title)
        node.children = list(children)
        return node


@dataclass(frozen=True, slots=True)
class Outline:
    """The outline of a text: its byte-order mark, its `nodes`, and the end behind them."""

    bom: str
    nodes: list[Node]
    tail: str

    @property
    def text(self) -> str:
        """The text of the outline, byte for byte as it was read if nothing changed."""
        return self.bom + written(self.nodes, self.tail)


def plain(text: str) -> str:
    """Return a text with CRLF line ends as LF, so that outlines compare equal."""
    return text.replace("\r\n", "\n") if "\r" in text else text


def ended(text: str) -> tuple[str, str]:
    """Return the text of a node without its last line end, and that line end."""
    if text.endswith("\n"):
        return (text[:-2], "\r\n") if text.endswith("\r\n") else (text[:-1], "\n")
    return text, ""


def read(text: str) -> Outline:
    """Return the outline of a Markdown text."""
    bom = _BOM if text.startswith(_BOM) else ""
    text = text[len(bom) :]
    flat, rest = _flat(text, 0)
    tail = closed(flat, rest, text)
    return Outline(bom, _nested(flat), tail)


def closed(flat: Sequence[Node], rest: str, text: str) -> str:
    """Return the end of a text: the line end of its last unit, and the blank lines behind it.

    The last unit gets a line end if it has none, so that another unit may follow it.
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
    """Return the text of these units, followed by `tail`."""
    parts: list[str] = []
    before = ""
    eol = ""
    for node in _every(nodes):
        # Without a blank line a paragraph would join the unit before it.
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
    """Return the units of a text, not yet nested below headings, and the blank lines at its end."""
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
    """Return an item of several lines: the text before the first nested item is its own."""
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
    """Return the units nested below their headings."""
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
