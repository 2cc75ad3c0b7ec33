"""The verified copy: make a copy at another place equal to its source, as read back there, and go on with one begun.

Migrations, restored backups and drills are made with it. A source lists and reads its entries; a transport puts them
into the copy, and reads that (transport.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agentws.core.formats.travel import inventory
from agentws.core.formats.travel.inventory import FOLDER, Delta, Inventory, TreeEntry
from agentws.errors import ChangedUnderneathError, DiskError, OutsideProgramError
from agentws.features.copies.transfer.transport import Local, Source, Transport

Progress = Callable[[int, int], None]
"""Called with the number of bytes sent and the total."""


_ROUNDS = 6
_LITTLE_BYTES = 64 << 20
_FEW = 20_000
"""A difference small enough to be sent within seconds, while few files change."""


class VerifiedCopy:
    """Compares a source with the copy as read at the destination, and sends the difference.

    `same` compares an entry of the source with that of the copy. `here` is the last scan of the source, `there` the
    copy, `complaint` what was wrong when entries were sent last; `sent_files` and `sent_bytes` count what was sent.
    """

    def __init__(
        self,
        source: Source,
        transport: Transport,
        progress: Progress | None = None,
        *,
        same: Callable[[TreeEntry, TreeEntry], bool] = TreeEntry.is_same,
    ) -> None:
        self.here: Inventory = {}
        self.there: Inventory = {}
        self.complaint = ""
        self.sent_files = self.sent_bytes = 0
        self._source = source
        self._transport = transport
        self._progress = progress
        self._same = same

    def look(self) -> Delta:
        """Scan the source and return what has to be sent."""
        self.here = self._source.scan()
        return self.difference()

    def compare(self) -> Delta:
        """Read the whole copy and return what has to be sent, by the last scan of the source."""
        self.there = {entry.path: entry for entry in map(inventory.decode, self._transport.entries())}
        return self.difference()

    def difference(self) -> Delta:
        """Return what has to be sent, by the last scan of the source and what is known of the copy."""
        return inventory.between(self.here, self.there, self._same)

    def carry(self, delta: Delta) -> None:
        """Remove from the copy what is gone, send what differs, and read that back."""
        self._transport.drop(delta.gone)
        gone = tuple(f"{path}/" for path in delta.gone)
        self.there = {
            path: entry for path, entry in self.there.items() if path not in delta.gone and not path.startswith(gone)
        }
        total = delta.bytes
        progress = self._progress
        report = (lambda sent: progress(sent, max(sent, total))) if progress else None
        self.complaint = self._transport.send(self._source, delta.send, report)
        self.sent_files += delta.files
        self.sent_bytes += total
        paths = [entry.path for entry in delta.send]
        for path in paths:
            self.there.pop(path, None)
        self.there.update((entry[0], inventory.decode(entry)) for entry in self._transport.entries(paths))

    def approach(self) -> None:
        """Send the difference, repeatedly while it is large, since much may change meanwhile.

        `level` sends the small rest, while writers wait.
        """
        delta = self.difference()
        for _ in range(_ROUNDS):
            if delta:
                self.carry(delta)
            if delta.bytes < _LITTLE_BYTES and delta.files < _FEW:
                return
            delta = self.look()

    def level(self) -> None:
        """Send the difference until there is none: then each file was read at the destination and is equal.

        ChangedUnderneathError if files change faster than they are sent.
        """
        for _ in range(_ROUNDS):
            delta = self.look()
            if not delta:
                return
            self.carry(delta)
        if self.complaint:
            raise OutsideProgramError(f"Some files were not sent: {self.complaint}", hint="Fix the cause, then re-run.")
        if not delta.gone and all(
            (copy := self.there.get(entry.path)) and entry.is_content_of(copy) for entry in delta.send
        ):
            raise DiskError(
                "The disk of the destination keeps no modes or times of files, and a move has to keep them.",
                hint="Choose a folder on another disk, or restore a backup there: agentws backup restore",
            )
        raise ChangedUnderneathError(
            "Files change faster than they can be sent.", hint="Stop the programs that change them, then re-run."
        )

    def settle(self) -> None:
        """Set the folders' modes and times in the copy, and make the copy durable."""
        folders = [entry for entry in self.here.values() if entry.kind == FOLDER]
        self._transport.set_folders([[entry.path, entry.mode, entry.mtime_ns] for entry in folders])
        self._transport.sync()


@contextmanager
def reach(host: str = "", user: str = "") -> Iterator[Transport]:
    """Open the transport to `host` by ssh (empty: to a folder of this machine), and close it at the end."""
    if host:
        from agentws.features.copies.transfer.ssh import OverSsh

        transport: Transport = OverSsh(host, user)
    else:
        transport = Local()
    try:
        yield transport
    finally:
        transport.close()
