"""Edits JSON settings in place: all other bytes, comments, order and indentation stay. Pure."""

from __future__ import annotations

import re

from agentws.core.formats.json import plainjson
from agentws.errors import DamagedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    Path = tuple[str | int, ...]
    """Keys of objects and places (from 0) in arrays, from the outermost value inwards."""


_USUAL_INDENT = "  "
_BLANKS = " \t\r\n"
_COMMENTS = re.compile(r"(?:[ \t]*/\*[^\r\n]*?\*/)*(?P<line>[ \t]*//[^\r\n]*)?")
"""Text after an item on its line that belongs to the item."""
_REST_OF_LINE = re.compile(r"[ \t]*(?:\r?\n|$)")


def value_at(text: str, path: Path, *, where: str) -> Any:
    """Return the plain value at `path` of a JSON text, None without one; DamagedError for invalid JSON."""
    if not text.strip(_BLANKS + "\ufeff"):
        return None
    node: Node | None = parse(text, where=where)
    for key in path:
        item = node.item(key) if node else None
        node = item.node if item else None
    return node.value if node else None


def with_value(text: str, path: Path, value: object, *, where: str) -> str:
    """Splice `value` into a JSON text at `path`, after what is there already; missing objects are created.

    The index just past an array's last item appends to it. An empty text becomes an object.
    """
    if not text.strip(_BLANKS + "\ufeff"):
        text = text[: text.startswith("\ufeff")] + "{}\n"
    node = parse(text, where=where)
    for place, key in enumerate(path):
        item = node.item(key)
        if item is None:
            wanted = _OBJECT if isinstance(key, str) else _ARRAY
            if node.kind != wanted:
                line = text.count("\n", 0, node.start) + 1
                what = repr(key) if isinstance(key, str) else "an entry"
                raise DamagedError(
                    f"{where}:{line}: expected an {wanted} here, to add {what}.",
                    hint="Correct that line and re-run. Nothing was changed.",
                )
            return _appended(text, node, key, _nested(path[place + 1 :], value))
        node = item.node
    return text[: node.start] + _Style(text).written(value, _indent_at(text, node.start)) + text[node.end :]


def without(text: str, path: Path, *, where: str) -> str:
    """Return the JSON text without the member or item at `path` and its comma."""
    node = parse(text, where=where)
    for key in path[:-1]:
        item = node.item(key)
        if item is None:
            return text
        node = item.node
    item = node.item(path[-1])
    return text if item is None else _removed(text, node, node.items.index(item))


def _nested(path: Path, value: object) -> object:
    for key in reversed(path):
        value = {key: value} if isinstance(key, str) else [value]
    return value


# Putting in


def _appended(text: str, node: Node, key: str | int, value: object) -> str:
    style = _Style(text)
    if not node.items:
        return _filled(text, node, key, value, style)
    last = node.items[-1]
    behind = last.comma + 1 or last.end
    comments = _COMMENTS.match(text, behind)
    assert comments is not None  # it matches nothing too
    line = text[text.rfind("\n", 0, last.start) + 1 : last.start]
    indent = None if line.strip(" \t") or "\n" not in text[: last.start] else line
    between = style.line_end + (indent or "") if indent is not None or comments["line"] else style.blank
    added = between + _member(key, style.written(value, indent), style)
    if last.comma >= 0:
        return text[: comments.end()] + added + "," + text[comments.end() :]
    return text[: last.end] + "," + text[last.end : comments.end()] + added + text[comments.end() :]


def _filled(text: str, node: Node, key: str | int, value: object, style: _Style) -> str:
    """Return the text with a first item in the empty `node`; comments in it stay before the item."""
    inside = text[node.start + 1 : node.end - 1].rstrip(_BLANKS)
    outer = _indent_at(text, node.start)
    if style.one_line:
        indent, before, after = None, "", ""
    else:
        indent = outer + style.indent
        before, after = style.line_end + indent, style.line_end + outer
    added = before + _member(key, style.written(value, indent), style) + after
    return text[: node.start + 1] + inside + added + text[node.end - 1 :]


def _member(key: str | int, written: str, style: _Style) -> str:
    if isinstance(key, int):
        return written
    return f"{plainjson.dumps(key)}:{style.blank}{written}"


# Taking out


def _removed(text: str, node: Node, place: int) -> str:
    item = node.items[place]
    start, end = _before_its_line(text, item.start), item.comma + 1 or item.end
    apart = node.items[place - 1].end if place else node.start + 1
    if len(node.items) == 1:
        inside = text[node.start + 1 : start] + text[end : node.end - 1]
        if not inside.strip(_BLANKS):
            return text[: node.start + 1] + text[node.end - 1 :]
    if place and item.comma < 0:  # the last one: the comma before it goes too
        comma = node.items[place - 1].comma
        return text[:comma] + text[comma + 1 : start] + _behind(text, apart, start, item, end)
    return text[:start] + _behind(text, apart, start, item, end)


def _behind(text: str, apart: int, start: int, item: Item, end: int) -> str:
    """Return the text from `end` on, moved to a separate line if a comment before the item would swallow it."""
    line = text[max(apart, text.rfind("\n", 0, start) + 1) : start]
    swallowed = "//" in line and _REST_OF_LINE.match(text, end) is None
    return (text[start : item.start] if swallowed else "") + text[end:]


def _before_its_line(text: str, start: int) -> int:
    """Return where the white space begins that separates an item: blanks before it, and one line end."""
    before = text[:start].rstrip(" \t")
    return len(before.removesuffix("\n").removesuffix("\r") if before.endswith("\n") else before)


# Style


class _Style:
    """The style of a JSON text: its `line_end`, one step of its `indent`, whether it is on `one_line`, and `dense`.

    `blank` is the space after its colons and commas.
    """

    def __init__(self, text: str) -> None:
        body = text.strip(_BLANKS + "\ufeff")
        first = text.find("\n")
        self.line_end = "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
        self.one_line = "\n" not in body and body.strip("{} \t") != ""
        self.dense = self.one_line and re.search(r'":\S', body) is not None
        self.blank = "" if self.dense else " "
        step = re.search(r"[{\[][ \t]*\r?\n([ \t]+)\S", body)
        self.indent = step[1] if step else _USUAL_INDENT

    def written(self, value: object, outer: str | None) -> str:
        """`value` as JSON; its lines but the first begin with `outer`, None for one line."""
        if outer is None or self.one_line:
            return plainjson.dumps(value, separators=(",", ":") if self.dense else None)
        lines = plainjson.dumps(value, indent=1).split("\n")
        steps = ((line.lstrip(" "), len(line) - len(line.lstrip(" "))) for line in lines)
        return (self.line_end + outer).join(self.indent * depth + line for line, depth in steps)


def _indent_at(text: str, at: int) -> str:
    """Return the indentation of the line with the position `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


_OBJECT, _ARRAY, _SCALAR = "object", "array", "scalar"
_DEEPEST = 100
_BLANK = re.compile(r"[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")


class Node:
    """A value in the JSON text: its `kind` (object, array or scalar), `start`, `end`, and the `items` it holds."""

    __slots__ = ("_scalar", "end", "items", "kind", "start")

    def __init__(self, kind: str, start: int) -> None:
        self.kind = kind
        self.start = start
        self.end = start
        self.items: list[Item] = []
        self._scalar: Any = None

    @property
    def value(self) -> Any:
        """Return the JSON node as a plain value; of a duplicate key the last one counts, as for other readers."""
        if self.kind == _OBJECT:
            return {item.key: item.node.value for item in self.items}
        if self.kind == _ARRAY:
            return [item.node.value for item in self.items]
        return self._scalar

    def item(self, key: str | int) -> Item | None:
        """Return the JSON node under a key of an object, or at an index of an array."""
        if self.kind == _ARRAY and isinstance(key, int):
            return self.items[key] if 0 <= key < len(self.items) else None
        named = [item for item in self.items if item.key == key]
        return named[-1] if named and self.kind == _OBJECT else None


class Item:
    """A member of a JSON object or an element of an array, from `start` (of its key).

    `comma` is the position of the comma after it, -1 without one.
    """

    __slots__ = ("comma", "key", "node", "start")

    def __init__(self, key: str, start: int, node: Node) -> None:
        self.key = key
        self.start = start
        self.node = node
        self.comma = -1

    @property
    def end(self) -> int:
        """The end of the JSON item's value in the text."""
        return self.node.end


def parse(text: str, *, where: str) -> Node:
    """Return the syntax tree of a JSON text; DamagedError, with `where` and the line, if it is invalid."""
    reader = _Reader(text, where)
    root = reader.value(reader.blanks(1 if text.startswith("\ufeff") else 0), _DEEPEST)
    end = reader.blanks(root.end)
    if end < len(text):
        reader.refuse(end, "unexpected text after the end")
    return root


class _Reader:
    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where

    def refuse(self, at: int, why: str) -> NoReturn:
        line = self.text.count("\n", 0, at) + 1
        raise DamagedError(
            f"{self.where}:{line}: JSON that cannot be edited safely: {why}.",
            hint="Correct that line and re-run. Nothing was changed.",
        )

    def blanks(self, at: int) -> int:
        """Return the index of the next token, after blanks and comments."""
        while match := _BLANK.match(self.text, at):
            at = match.end()
        return at

    def value(self, at: int, depth: int) -> Node:
        first = self.text[at : at + 1]
        if not depth:
            self.refuse(at, f"the file is nested deeper than {_DEEPEST} levels")
        if first == "{":
            return self._container(Node(_OBJECT, at), "}", depth)
        if first == "[":
            return self._container(Node(_ARRAY, at), "]", depth)
        match = _STRING.match(self.text, at) if first == '"' else _WORD.match(self.text, at)
        if match is None:
            self.refuse(at, "a value is missing" if first else "the file ends too early")
        node = Node(_SCALAR, at)
        node.end = match.end()
        node._scalar = self._plain(at, match[0])
        return node

    def _plain(self, at: int, written: str) -> Any:
        try:
            return plainjson.loads(written)
        except ValueError:
            self.refuse(at, "a text contains an invalid escape")

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
        if kind == _ARRAY:
            return Item("", at, self.value(at, depth - 1))
        key = _STRING.match(self.text, at)
        if key is None:
            self.refuse(at, "a key in double quotes is missing")
        colon = self.blanks(key.end())
        if self.text[colon : colon + 1] != ":":
            self.refuse(colon, "a colon is missing")
        return Item(self._plain(at, key[0]), at, self.value(self.blanks(colon + 1), depth - 1))
