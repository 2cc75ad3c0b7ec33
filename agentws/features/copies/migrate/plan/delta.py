"""The difference between a workspace and its migrated copy, by comparing two inventories. Pure."""

from __future__ import annotations

from agentws.core.formats.travel.inventory import FILE, FOLDER, OTHER, Inventory, TreeEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BLOCK_BYTES = 4096
_SLACK_BYTES = 16 << 20


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


def between(source: Inventory, copy: Mapping[str, TreeEntry]) -> Delta:
    """Return the changes that make the copy equal to the source. FIFOs, sockets and devices are left out."""
    wanted = {path: entry for path, entry in source.items() if entry.kind != OTHER}
    send, gone = [], [path for path in copy if path not in wanted]
    for path, entry in wanted.items():
        there = copy.get(path)
        if there is not None and there.kind != entry.kind:
            gone.append(path)
        if there is None or not entry.is_same(there):
            send.append(entry)
    return Delta(send, _outermost(gone))


def _outermost(paths: Iterable[str]) -> list[str]:
    """Return the paths without those beneath another one of them."""
    found: list[str] = []
    for path in sorted(paths, key=lambda one: one.split("/")):
        if not found or not path.startswith(f"{found[-1]}/"):
            found.append(path)
    return found


def unsent(source: Inventory) -> list[str]:
    """Return the paths of FIFOs, sockets and devices, which cannot be sent."""
    return [path for path, entry in source.items() if entry.kind == OTHER]


def needed_bytes(source: Inventory) -> int:
    """Return the disk space that the whole copy needs, with some reserve."""
    blocks = sum(-(-entry.size // _BLOCK_BYTES) + 1 for entry in source.values())
    return blocks * _BLOCK_BYTES + _SLACK_BYTES
