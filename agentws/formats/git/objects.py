"""Git's objects as it stores them: ids, trees, commits, and the pack that carries them. Pure."""

from __future__ import annotations

import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any

    from agentws.formats.git.gitwire import Entry

COMMIT, TREE, BLOB = "commit", "tree", "blob"
_TYPES = {COMMIT: 1, TREE: 2, BLOB: 3}
_FOLDER = "40000"
_LEVEL = 1
"""Of compression: these packs are soon folded into larger ones, by git and with deltas."""


def object_id(kind: str, data: bytes, algorithm: str) -> str:
    """The id that git gives to an object, under `sha1` or `sha256`."""
    return str(_digest(algorithm)(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest())


def pack(objects: Collection[tuple[str, bytes]], algorithm: str) -> bytes:
    """A pack file (gitformat-pack) of whole objects, each its kind and its content."""
    out = bytearray(b"PACK" + (2).to_bytes(4, "big") + len(objects).to_bytes(4, "big"))
    for kind, data in objects:
        size, byte = len(data) >> 4, _TYPES[kind] << 4 | len(data) & 15
        while size:
            out.append(byte | 128)
            size, byte = size >> 7, size & 127
        out.append(byte)
        out += zlib.compress(data, _LEVEL)
    return bytes(out + _digest(algorithm)(out, usedforsecurity=False).digest())


def folded_bytes(packs: Collection[tuple[int, int]]) -> int:
    """How many bytes git writes anew, if these packs (objects, bytes) are to grow by twice (`repack --geometric=2`)."""
    sizes = sorted(packs)
    end = len(sizes) - 1
    while end > 0 and sizes[end][0] >= 2 * sizes[end - 1][0]:
        end -= 1
    end += end > 0
    while 0 < end < len(sizes) and sizes[end][0] < 2 * sum(count for count, _ in sizes[:end]):
        end += 1
    return sum(size for _, size in sizes[:end])


def commit(tree: str, parents: Collection[str], *, author: str, message: bytes) -> bytes:
    """A commit; `author` is `Name <mail> seconds zone`, who is the committer too."""
    lines = [f"tree {tree}", *(f"parent {each}" for each in parents), f"author {author}", f"committer {author}"]
    return "\n".join(lines).encode() + b"\n\n" + message


def folders(paths: Iterable[str]) -> set[str]:
    """Every folder above these paths; the top one is empty."""
    found = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def trees(
    entries: Mapping[str, Entry], touched: Collection[str], known: Mapping[str, str], algorithm: str
) -> tuple[dict[str, str], dict[str, bytes]]:
    """(folder → id of its tree) of a whole state, and (id → tree) of the `touched` folders.

    `known` are the trees of the state before; each folder in which something changed is touched, with those above it.
    """
    ids = {folder: oid for folder, oid in known.items() if folder not in touched}
    inside: dict[str, list[tuple[bytes, bytes]]] = {folder: [] for folder in touched}
    for path, (mode, oid) in entries.items():
        folder, _, name = path.rpartition("/")
        if folder in inside:
            inside[folder].append(_row(_plain(mode), name, oid))
    for path, oid in ids.items():
        folder, _, name = path.rpartition("/")
        if folder in inside:
            inside[folder].append(_row(_FOLDER, name, oid))
    made = {}
    # A tree names those within it, so the deepest come first.
    for path in sorted(touched, key=lambda each: each.count("/") + bool(each), reverse=True):
        data = b"".join(row for _, row in sorted(inside[path]))
        if not data and path:
            continue
        oid = object_id(TREE, data, algorithm)
        ids[path], made[oid] = oid, data
        if path:
            folder, _, name = path.rpartition("/")
            inside[folder].append(_row(_FOLDER, name, oid))
    return ids, made


def _row(mode: str, name: str, oid: str) -> tuple[bytes, bytes]:
    """What a tree sorts by, in which a folder's name ends in a slash, and the row itself."""
    encoded = name.encode(errors="surrogateescape")
    return encoded + b"/" * (mode == _FOLDER), mode.encode() + b" " + encoded + b"\0" + bytes.fromhex(oid)


def _plain(mode: str) -> str:
    """The mode of a file as git writes it today: old repositories hold others."""
    if not mode.startswith("100"):
        return mode
    return "100755" if int(mode, 8) & 0o100 else "100644"


def _digest(algorithm: str) -> Callable[..., Any]:
    # hashlib loads OpenSSL, which costs a third of an interpreter start at every state that is kept.
    if algorithm == "sha256":
        from agentws.formats import digest

        return digest.sha256()
    try:
        from _sha1 import sha1  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha1
    return sha1  # type: ignore[no-any-return,unused-ignore]
