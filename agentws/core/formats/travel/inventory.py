"""The inventory of a tree: each folder, file and link with what a copy must preserve; and how two differ. Pure.

As a list of JSON: [path, kind, mode, mtime in nanoseconds, size, digest of a file or target of a link]. Paths that are
no UTF-8 hold lone surrogates, as the system's functions give and take them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

FOLDER, FILE, LINK, OTHER = "d", "f", "l", "?"
"""OTHER is a FIFO, a socket or a device: nothing that could be sent."""

_SECOND_NS = 1_000_000_000
_RIGHTS = 0o777
_BLOCK_BYTES = 4096
_SLACK_BYTES = 16 << 20


class TreeEntry:
    """An inventory's folder, file or link; `content` is the digest of a file or the target of a link."""

    __slots__ = ("content", "kind", "mode", "mtime_ns", "path", "size")

    def __init__(self, path: str, kind: str, mode: int, mtime_ns: int, size: int, content: str) -> None:
        self.path = path
        self.kind = kind
        self.mode = mode
        self.mtime_ns = mtime_ns
        self.size = size
        self.content = content

    def is_same(self, other: TreeEntry) -> bool:
        """Return whether this entry of an inventory equals the one it must become elsewhere.

        Times of files are compared by the second, since not every file system keeps more; those of folders not at all.
        """
        if (self.kind, self.content, self.size) != (other.kind, other.content, other.size):
            return False
        if self.kind == LINK:
            return True
        if self.mode & _RIGHTS != other.mode & _RIGHTS:
            return False
        return self.kind == FOLDER or self.mtime_ns // _SECOND_NS == other.mtime_ns // _SECOND_NS

    def is_content_of(self, other: TreeEntry) -> bool:
        """Return whether the copy `other` has this content, on a medium that need not keep modes and times."""
        return self.kind == other.kind and (self.kind != FILE or self.content == other.content)

    def plain(self) -> list[Any]:
        """Return the inventory's entry as a JSON list."""
        return [self.path, self.kind, self.mode, self.mtime_ns, self.size, self.content]


def canonical(entries: Iterable[TreeEntry]) -> bytes:
    """Return the canonical inventory, equal at both ends: a line of JSON per entry, sorted by path.

    Times of folders and links are left out, those of files given by the second, as `is_same` compares them.
    """
    from agentws.core.formats.json import plainjson

    lines = []
    for entry in sorted(entries, key=lambda entry: entry.path.split("/")):
        mode = _RIGHTS if entry.kind == LINK else entry.mode & _RIGHTS
        at = entry.mtime_ns // _SECOND_NS if entry.kind == FILE else 0
        size = 0 if entry.kind == FOLDER else entry.size
        lines.append(plainjson.dumps([entry.path, entry.kind, mode, at, size, entry.content], separators=(",", ":")))
    return "".join(f"{line}\n" for line in lines).encode("ascii")


Inventory = dict[str, TreeEntry]
"""The entries of a tree by their paths; folders come before what they hold."""


def decode(row: Sequence[Any]) -> TreeEntry:
    """Return the inventory's entry in a JSON list; ValueError for any other list."""
    path, kind, mode, mtime_ns, size, content = row[:6]
    words = isinstance(path, str) and isinstance(kind, str) and isinstance(content, str)
    if not words or not all(type(number) is int for number in (mode, mtime_ns, size)):
        raise ValueError("not an inventory entry")
    return TreeEntry(path, kind, mode, mtime_ns, size, content)


class Delta:
    """What to change in a copy: the entries to send (folders before their content), and the paths to remove first."""

    __slots__ = ("gone", "send")

    def __init__(self, send: list[TreeEntry], gone: list[str]) -> None:
        self.send = send
        self.gone = gone

    def __bool__(self) -> bool:
        return bool(self.send or self.gone)

    @property
    def bytes(self) -> int:
        """The number of bytes in the files to be sent."""
        return sum(entry.size for entry in self.send if entry.kind == FILE)

    @property
    def files(self) -> int:
        """The number of entries to be sent, without folders."""
        return sum(entry.kind != FOLDER for entry in self.send)


def between(
    source: Inventory, copy: Mapping[str, TreeEntry], same: Callable[[TreeEntry, TreeEntry], bool] = TreeEntry.is_same
) -> Delta:
    """Return the changes that make the copy the `same` as the source. FIFOs, sockets and devices are left out."""
    wanted = {path: entry for path, entry in source.items() if entry.kind != OTHER}
    send, gone = [], [path for path in copy if path not in wanted]
    for path, entry in wanted.items():
        there = copy.get(path)
        if there is not None and there.kind != entry.kind:
            gone.append(path)
        if there is None or not same(entry, there):
            send.append(entry)
    return Delta(send, _outermost(gone))


def _outermost(paths: Iterable[str]) -> list[str]:
    """Return the paths without those beneath another one of them."""
    outermost: list[str] = []
    for path in sorted(paths, key=lambda path: path.split("/")):
        if not outermost or not path.startswith(f"{outermost[-1]}/"):
            outermost.append(path)
    return outermost


def unsent(source: Inventory) -> list[str]:
    """Return the paths of FIFOs, sockets and devices, which cannot be sent."""
    return [path for path, entry in source.items() if entry.kind == OTHER]


def needed_bytes(source: Inventory) -> int:
    """Return the disk space that the whole copy needs, with some reserve."""
    blocks = sum(-(-entry.size // _BLOCK_BYTES) + 1 for entry in source.values())
    return blocks * _BLOCK_BYTES + _SLACK_BYTES
