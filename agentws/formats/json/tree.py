"""JSON as people write it in settings: each value with the place where it stands in the text. Pure.

Comments (`//`, `/* */`) and a comma behind the last item are understood, as JSONC has them.
"""

from __future__ import annotations

import re

from agentws.errors import DamagedError
from agentws.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

OBJECT, ARRAY, SCALAR = "object", "array", "scalar"
_DEEPEST = 100
_BLANK = re.compile(r"[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")


class Node:
    """A value of the `kind` object, array or scalar, from `start` to `end` of the text; `items` are what it holds."""

    __slots__ = ("_scalar", "end", "items", "kind", "start")

    def __init__(self, kind: str, start: int) -> None:
        self.kind = kind
        self.start = start
        self.end = start
        self.items: list[Item] = []
        self._scalar: Any = None

    @property
    def value(self) -> Any:
        """It as a plain value; of a key that stands twice, the last one counts, as it does for others."""
        if self.kind == OBJECT:
            return {item.key: item.node.value for item in self.items}
        if self.kind == ARRAY:
            return [item.node.value for item in self.items]
        return self._scalar

    def item(self, key: str | int) -> Item | None:
        """What stands under a key of an object, or at a place (from 0) of an array."""
        if self.kind == ARRAY and isinstance(key, int):
            return self.items[key] if 0 <= key < len(self.items) else None
        named = [item for item in self.items if item.key == key]
        return named[-1] if named and self.kind == OBJECT else None


class Item:
    """A member of an object or an element of an array: from `start` (its key's) to `end`; `comma` is that behind it.

    `comma` is the place of the comma, -1 where there is none.
    """

    __slots__ = ("comma", "key", "node", "start")

    def __init__(self, key: str, start: int, node: Node) -> None:
        self.key = key
        self.start = start
        self.node = node
        self.comma = -1

    @property
    def end(self) -> int:
        """Where its value ends."""
        return self.node.end


def parse(text: str, *, where: str) -> Node:
    """The value that `text` holds. DamagedError, with `where` and the line, where it holds none."""
    reader = _Reader(text, where)
    root = reader.value(reader.blanks(1 if text.startswith("\ufeff") else 0), _DEEPEST)
    end = reader.blanks(root.end)
    if end < len(text):
        reader.refuse(end, "nothing is expected here any more")
    return root


class _Reader:
    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where

    def refuse(self, at: int, why: str) -> NoReturn:
        line = self.text.count("\n", 0, at) + 1
        raise DamagedError(
            f"{self.where}:{line}: this is no JSON that could be edited safely: {why}.",
            hint="Put that line right and run the same command again. Nothing was changed.",
        )

    def blanks(self, at: int) -> int:
        """Where the next thing begins that is neither blank nor comment."""
        while match := _BLANK.match(self.text, at):
            at = match.end()
        return at

    def value(self, at: int, depth: int) -> Node:
        first = self.text[at : at + 1]
        if not depth:
            self.refuse(at, f"it is nested deeper than {_DEEPEST} levels")
        if first == "{":
            return self._container(Node(OBJECT, at), "}", depth)
        if first == "[":
            return self._container(Node(ARRAY, at), "]", depth)
        match = _STRING.match(self.text, at) if first == '"' else _WORD.match(self.text, at)
        if match is None:
            self.refuse(at, "a value is missing" if first else "it ends too early")
        node = Node(SCALAR, at)
        node.end = match.end()
        node._scalar = self._plain(at, match[0])
        return node

    def _plain(self, at: int, written: str) -> Any:
        try:
            return plainjson.loads(written)
        except ValueError:
            self.refuse(at, "there is a text with a wrong escape in it")

    def _container(self, node: Node, close: str, depth: int) -> Node:
        at = self.blanks(node.start + 1)
        while self.text[at : at + 1] != close:
            item = self._item(node.kind, at, depth)
            node.items.append(item)
            at = self.blanks(item.end)
            if self.text[at : at + 1] == ",":
                item.comma = at
                at = self.blanks(at + 1)
            elif self.text[at : at + 1] != close:
                self.refuse(at, f"a comma or `{close}` is missing")
        node.end = at + 1
        return node

    def _item(self, kind: str, at: int, depth: int) -> Item:
        if kind == ARRAY:
            return Item("", at, self.value(at, depth - 1))
        key = _STRING.match(self.text, at)
        if key is None:
            self.refuse(at, "a key in double quotes is missing")
        colon = self.blanks(key.end())
        if self.text[colon : colon + 1] != ":":
            self.refuse(colon, "a colon is missing")
        return Item(self._plain(at, key[0]), at, self.value(self.blanks(colon + 1), depth - 1))
