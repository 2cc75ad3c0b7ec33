"""A state of history: the rows of its git trees, changed a path at a time. Pure."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from agentws.core import Record
from agentws.core.formats.git import objects
from agentws.core.formats.git.objects import Entry

_FOLDER = b"40000"


class Tree(Record):
    """The rows of one folder's tree in git's order: `heads` (mode, space, name) and their `ids`, as bytes."""

    heads: list[bytes]
    ids: list[bytes]

    def find(self, name: bytes) -> int:
        """Return the number of the tree's row with this name, -1 without one."""
        for order in (name, name + b"/"):
            at = self._place(order)
            if at < len(self.heads) and self.heads[at].partition(b" ")[2] == name:
                return at
        return -1

    def put(self, name: bytes, mode: bytes, oid: bytes) -> None:
        """Set the tree's row with this name."""
        at, head = self.find(name), mode + b" " + name
        if at >= 0 and _order(self.heads[at]) == _order(head):
            self.heads[at], self.ids[at] = head, oid
            return
        self.drop(name)
        at = self._place(_order(head))
        self.heads.insert(at, head)
        self.ids.insert(at, oid)

    def drop(self, name: bytes) -> None:
        """Remove the tree's row with this name, if there is one."""
        at = self.find(name)
        if at >= 0:
            del self.heads[at], self.ids[at]

    def sort(self) -> None:
        """Sort the tree's rows in git's order: some old programs wrote another one."""
        rows = sorted(zip(self.heads, self.ids, strict=True), key=lambda row: _order(row[0]))
        self.heads, self.ids = [head for head, _ in rows], [oid for _, oid in rows]

    def _place(self, order: bytes) -> int:
        """The number of the first row that does not come before this one; in halves, since a folder may hold ten years
        of files that are all new.
        """
        low, high = 0, len(self.heads)
        while low < high:
            middle = (low + high) // 2
            if _order(self.heads[middle]) < order:
                low = middle + 1
            else:
                high = middle
        return low

    def data(self) -> bytes:
        """The tree object as git stores it."""
        parts = [b"\0"] * (3 * len(self.heads))
        parts[0::3], parts[2::3] = self.heads, self.ids
        return b"".join(parts)


class State(Record):
    """A state of history: its `trees` by folder (the root is empty), and the `ids` of the stored ones."""

    trees: dict[str, Tree]
    ids: dict[str, str]

    def entry(self, path: str) -> Entry | None:
        """Return mode and id of the file at `path` in the state, None without one."""
        folder, _, name = path.rpartition("/")
        tree = self.trees.get(folder)
        at = tree.find(_encoded(name)) if tree else -1
        if tree is None or at < 0 or _is_folder(tree.heads[at]):
            return None
        return tree.heads[at].partition(b" ")[0].decode(), tree.ids[at].hex()

    def entries(self) -> dict[str, Entry]:
        """Return mode and id of every file of the state, by path."""
        result = {}
        for folder, tree in self.trees.items():
            within = f"{folder}/" if folder else ""
            for head, oid in zip(tree.heads, tree.ids, strict=True):
                mode, _, name = head.partition(b" ")
                if mode != _FOLDER:
                    result[within + name.decode(errors="surrogateescape")] = (sys.intern(mode.decode()), oid.hex())
        return result

    def changed(self, changes: Mapping[str, Entry], algorithm: str) -> tuple[State, dict[str, bytes], list[str]]:
        """Return the next state, its new trees (id → tree), and the files that a new file or folder displaced.

        An entry whose id is zeros removes its path.
        """
        after = _Change(self)
        is_absent = {path: not oid.strip("0") for path, (_, oid) in changes.items()}
        for path in changes:
            if is_absent[path]:
                after.drop(path)
        for path, (mode, oid) in changes.items():
            if not is_absent[path]:
                after.put(path, mode, oid)
        return after.state, after.store(algorithm), after.gone

    def plain(self) -> tuple[list[list[Any]], bytes]:
        """Return the state as plain values, for the cache: a row per folder, and all heads and ids as bytes.

        A row has the folder's path, the sizes of its heads and ids, and the id of its tree.
        """
        rows, parts = [], []
        for path, tree in self.trees.items():
            heads, ids = b"/".join(tree.heads), b"".join(tree.ids)  # no name holds a slash
            rows.append([path, len(heads), len(ids), self.ids.get(path, "")])
            parts += [heads, ids]
        return rows, b"".join(parts)


class _Change:
    """A state in the making: trees are copied before they are changed."""

    def __init__(self, before: State) -> None:
        self.state = State({"": Tree([], []), **before.trees}, dict(before.ids))
        self.gone: list[str] = []
        self._touched: set[str] = set()

    def drop(self, path: str) -> None:
        """Take a file out."""
        if self.state.entry(path) is not None:
            folder, _, name = path.rpartition("/")
            self._tree(folder).drop(_encoded(name))

    def put(self, path: str, mode: str, oid: str) -> None:
        """Put a file in its place, and remove what is in its way."""
        folder, _, name = path.rpartition("/")
        above = folder
        while above:
            if self.state.entry(above) is not None:
                self.drop(above)
                self.gone.append(above)
            above = above.rpartition("/")[0]
        if path in self.state.trees:
            for each in [each for each in self.state.trees if f"{each}/".startswith(f"{path}/")]:
                self.gone += State({each: self.state.trees.pop(each)}, {}).entries()
                self.state.ids.pop(each, None)
        self._tree(folder).put(_encoded(name), mode.encode(), bytes.fromhex(oid))

    def store(self, algorithm: str) -> dict[str, bytes]:
        """Give each tree that was touched its id; (id → tree) of these."""
        made = {}
        touched = (path for path in self._touched if path in self.state.trees)
        # A tree names those within it, so the deepest come first.
        for path in sorted(touched, key=lambda each: each.count("/") + bool(each), reverse=True):
            tree, (above, _, name) = self.state.trees[path], path.rpartition("/")
            if path and not tree.heads:
                del self.state.trees[path]
                self.state.ids.pop(path, None)
                self.state.trees[above].drop(_encoded(name))
                continue
            data = tree.data()
            oid = objects.object_id(objects.TREE, data, algorithm)
            self.state.ids[path], made[oid] = oid, data
            if path:
                self.state.trees[above].put(_encoded(name), _FOLDER, bytes.fromhex(oid))
        return made

    def _tree(self, folder: str) -> Tree:
        """The tree of this folder, to be changed."""
        above = folder
        while above not in self._touched:
            self._touched.add(above)
            tree = self.state.trees.get(above)
            self.state.trees[above] = Tree([*tree.heads], [*tree.ids]) if tree else Tree([], [])
            above = above.rpartition("/")[0]
        return self.state.trees[folder]


def empty() -> State:
    """Return the state of history before the first commit: no trees."""
    return State({}, {})


def listed(data: bytes) -> State:
    """Return the state in the output of `git ls-tree -r -t -z`."""
    state = State({"": Tree([], [])}, {})
    for line in data.split(b"\0")[:-1]:
        fields, _, path = line.partition(b"\t")
        mode, kind, oid = fields.split(b" ")
        folder, _, name = path.rpartition(b"/")
        if kind == b"tree":
            state.trees[_decoded(path)], state.ids[_decoded(path)] = Tree([], []), oid.decode()
        above = state.trees[_decoded(folder)]
        above.heads.append(_plain(mode) + b" " + name)
        above.ids.append(bytes.fromhex(oid.decode()))
    for tree in state.trees.values():
        tree.sort()
    return state


def restored(records: list[list[Any]], parts: bytes) -> State:
    """Return the state that `State.plain` gave; ValueError if its two values do not match."""
    state, start = empty(), 0
    for path, heads_bytes, ids_bytes, oid in records:
        middle, end = start + heads_bytes, start + heads_bytes + ids_bytes
        rows = parts[start:middle].split(b"/") if heads_bytes else []
        size = ids_bytes // len(rows) if rows else 1
        state.trees[path] = Tree(rows, [parts[at : at + size] for at in range(middle, end, size)])
        if oid:
            state.ids[path] = oid
        start = end
    if start != len(parts):
        raise ValueError("sizes that are not those of the parts")
    return state


def _order(head: bytes) -> bytes:
    """Return git's sort key of a row: a folder's name ends in a slash."""
    return head.partition(b" ")[2] + b"/" * _is_folder(head)


def _is_folder(head: bytes) -> bool:
    return head.startswith(_FOLDER + b" ")


def _plain(mode: bytes) -> bytes:
    """The mode as git writes it into a tree today: old repositories hold others."""
    if not mode.startswith(b"100"):
        return mode.lstrip(b"0")
    return b"100755" if int(mode, 8) & 0o100 else b"100644"


def _encoded(name: str) -> bytes:
    return name.encode(errors="surrogateescape")


def _decoded(path: bytes) -> str:
    return path.decode(errors="surrogateescape")
