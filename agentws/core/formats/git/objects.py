"""Git objects as git stores them (ids, trees, commits, packs), and the input and output of git's plumbing. Pure."""

from __future__ import annotations

import contextlib
import sys
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime
    from typing import Any


COMMIT, TREE, BLOB = "commit", "tree", "blob"
_TYPES = {COMMIT: 1, TREE: 2, BLOB: 3}
_KINDS = {number: kind for kind, number in _TYPES.items()}
_LEVEL = 1
"""Of compression: these packs are soon folded into larger ones, by git and with deltas."""
_LARGE_TREE_BYTES = 1 << 15
"""Half of a tree are digests, which no compression makes smaller: that of ten years takes longer than all the rest."""


def object_id(kind: str, data: bytes, algorithm: str) -> str:
    """Return the id of a git object under `sha1` or `sha256`."""
    return str(_digest(algorithm)(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest())


class Pack:
    """A pack file (gitformat-pack) of whole objects in the making.

    Objects are compressed as they are added, and can be read again: none is in memory twice.
    """

    def __init__(self, algorithm: str) -> None:
        self._algorithm = algorithm
        self._out = bytearray(b"PACK" + (2).to_bytes(4, "big") + bytes(4))
        self._places: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, oid: str) -> bool:
        return oid in self._places

    @property
    def size(self) -> int:
        """The size of the pack file so far, in bytes."""
        return len(self._out)

    def add(self, oid: str, kind: str, data: bytes) -> None:
        """Add an object with this id, once."""
        if oid in self._places:
            return
        out = self._out
        self._places[oid] = len(out)
        size, byte = len(data) >> 4, _TYPES[kind] << 4 | len(data) & 15
        while size:
            out.append(byte | 128)
            size, byte = size >> 7, size & 127
        out.append(byte)
        out += zlib.compress(data, 0 if kind == TREE and len(data) > _LARGE_TREE_BYTES else _LEVEL)

    def get(self, oid: str) -> tuple[str, bytes]:
        """Return kind and content of an object that was added."""
        at = self._places[oid]
        kind = _KINDS[self._out[at] >> 4 & 7]
        while self._out[at] & 128:
            at += 1
        return kind, zlib.decompressobj().decompress(memoryview(self._out)[at + 1 :])

    def data(self) -> bytes:
        """Return the pack file of the objects added so far."""
        self._out[8:12] = len(self._places).to_bytes(4, "big")
        return b"".join((self._out, _digest(self._algorithm)(self._out, usedforsecurity=False).digest()))


def folded_bytes(packs: Collection[tuple[int, int]]) -> int:
    """Return how many bytes `git repack --geometric=2` rewrites for these packs (objects, bytes)."""
    sizes = sorted(packs)
    end = len(sizes) - 1
    while end > 0 and sizes[end][0] >= 2 * sizes[end - 1][0]:
        end -= 1
    end += end > 0
    while 0 < end < len(sizes) and sizes[end][0] < 2 * sum(count for count, _ in sizes[:end]):
        end += 1
    return sum(size for _, size in sizes[:end])


def commit(tree: str, parents: Collection[str], *, author: str, message: bytes) -> bytes:
    """Return a commit object; `author` is `Name <mail> seconds zone`, and also the committer."""
    lines = [f"tree {tree}", *(f"parent {each}" for each in parents), f"author {author}", f"committer {author}"]
    return "\n".join(lines).encode() + b"\n\n" + message


def rows(tree: bytes, id_bytes: int = 20) -> list[tuple[str, str, str]]:
    """Return (mode, name, id) of each row of a git tree object; ValueError if it is torn."""
    result, at = [], 0
    while at < len(tree):
        end = tree.index(b"\0", at)
        mode, mark, name = tree[at:end].partition(b" ")
        at = end + 1 + id_bytes
        if not mark or at > len(tree):
            raise ValueError("a torn tree")
        result.append(
            (sys.intern(mode.decode("ascii")), name.decode("utf-8", "surrogateescape"), tree[at - id_bytes : at].hex())
        )
    return result


def trees(files: Mapping[str, str], algorithm: str, *, mode: str = "100644") -> tuple[str, dict[str, bytes]]:
    """Return the id of the root tree object of these blobs (by path), and (id → tree) of all trees, deepest first."""
    inside: dict[str, list[str]] = {"": []}  # a folder's path ends in a slash: git sorts it as if its name did
    for path in files:
        folder = above = path[: path.rfind("/") + 1]
        while above not in inside:
            inside[above] = []
            above = _above(above)
        inside[folder].append(path)
    made: dict[str, bytes] = {}
    ids: dict[str, str] = {}
    oid = ""
    for folder in sorted(inside, key=lambda each: each.count("/"), reverse=True):
        rows = bytearray()  # not a list: a folder may hold fifty thousand files
        for path in sorted(inside[folder], key=_encoded):
            name = path[len(folder) :]
            row = f"40000 {name[:-1]}" if name.endswith("/") else f"{mode} {name}"
            rows += _encoded(row) + b"\0" + bytes.fromhex(ids.get(path) or files[path])
        data = bytes(rows)
        oid = object_id(TREE, data, algorithm)
        made[oid] = data
        if folder:
            ids[folder] = oid
            inside[_above(folder)].append(folder)
    return oid, made


def _above(folder: str) -> str:
    return folder[: folder.rfind("/", 0, -1) + 1]


def _encoded(name: str) -> bytes:
    return name.encode(errors="surrogateescape")


def links(commit: bytes) -> tuple[str, list[str], int]:
    """Return a commit object's tree, parents and time in seconds; ValueError if they are missing."""
    tree, parents = "", []
    for line in commit.partition(b"\n\n")[0].decode("utf-8", "replace").split("\n"):
        word, _, rest = line.partition(" ")
        if word == "tree":
            tree = rest
        elif word == "parent":
            parents.append(rest)
        elif word == "committer":
            return tree, parents, int(rest.rsplit(" ", 2)[-2])
    raise ValueError("a torn commit")


def _digest(algorithm: str) -> Callable[..., Any]:
    # hashlib loads OpenSSL, which costs a third of an interpreter start at every state that is kept.
    if algorithm == "sha256":
        from agentws.core.formats import digest

        return digest.sha256()
    try:
        from _sha1 import sha1  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha1
    return sha1  # type: ignore[no-any-return,unused-ignore]


Entry = tuple[str, str]
"""Mode and object id of a path. An absent path is `("0", "000…")`, which is what git reads as a removal."""


def entry_lines(entries: Mapping[str, Entry]) -> bytes:
    """Return index entries as input for `git update-index --index-info`."""
    lines = bytearray()  # not a list: there may be fifty thousand
    for path, (mode, oid) in entries.items():
        lines += f"{mode} {oid}\t{path}\0".encode(errors="surrogateescape")
    return bytes(lines)


def entries(data: bytes, *, oid_at: int) -> dict[str, Entry]:
    """Return the entries in the output of `git ls-tree -z`, or in agentws's own copy; torn ones are left out."""
    result = {}
    for line in data.split(b"\0")[:-1]:
        fields, _, path = line.decode(errors="surrogateescape").partition("\t")
        words = fields.split(" ")
        if path and len(words) > oid_at:
            result[path] = (words[0], words[oid_at])
    return result


def blobs(data: bytes) -> dict[str, bytes]:
    """Return (id → content) of each file in the output of `git cat-file --batch`."""
    contents = {}
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        oid, kind, *size = data[at:end].decode("utf-8", "replace").split(" ")
        at = end + 1
        if size and size[0].isdigit():
            if kind == "blob":
                contents[oid] = data[at : at + int(size[0])]
            at += int(size[0]) + 1
    return contents


def state(text: bytes) -> tuple[str, datetime, str]:
    """Return id, time and message of one `git rev-list` record; an impossible time becomes 1970-01-01."""
    # In Python itself before 3.12: a tenth of an interpreter's start, and no state is read to keep one.
    from datetime import UTC, datetime, timedelta, timezone

    head, when, message = text.decode(errors="replace").removeprefix("commit ").split("\n", 2)
    at = datetime.fromtimestamp(0, UTC)
    with contextlib.suppress(ValueError, OverflowError, OSError):
        seconds, zone = when.split(" ")
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:5])) * (-1 if zone[0] == "-" else 1)
        at = datetime.fromtimestamp(int(seconds), timezone(offset))
    return head, at, message.rstrip("\n")
