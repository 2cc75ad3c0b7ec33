"""Update and verify the copy at the destination of a migration, until it equals the workspace."""

from __future__ import annotations

from agentws.core.formats.travel import inventory
from agentws.core.formats.travel.inventory import FOLDER, Inventory
from agentws.core.journal import read
from agentws.errors import AgentwsError, ChangedUnderneathError, OutsideProgramError, UsageError
from agentws.features.copies.migrate.plan import delta
from agentws.features.copies.migrate.store.tree import write_stand_ins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.core.disk.files import Files
    from agentws.core.ports import Transport
    from agentws.features.copies.migrate.plan.delta import Delta
    from agentws.features.copies.migrate.plan.next_step import There
    from agentws.features.copies.migrate.store.tree import Tree

    Progress = Callable[[int, int], None]
    """Called with the number of bytes sent and the total."""


_ROUNDS = 6
_LITTLE_BYTES = 64 << 20
_FEW = 20_000
"""A difference small enough to be sent within seconds, while few files change."""


class Copying:
    """Compares the workspace with the copy as read at the destination, and sends the difference.

    `here` is the last scan of the workspace, `sent_files` and `sent_bytes` count what was sent so far.
    """

    def __init__(self, tree: Tree, transport: Transport, progress: Progress | None = None) -> None:
        self.here: Inventory = {}
        self.sent_files = self.sent_bytes = 0
        self._tree = tree
        self._transport = transport
        self._progress = progress
        self._there: Inventory = {}
        self._complaint = ""

    def look(self) -> Delta:
        """Scan the workspace and return what has to be sent."""
        self.here = self._tree.scan()
        return delta.between(self.here, self._there)

    def compare(self) -> None:
        """Read the copy at the destination."""
        self._there = {entry.path: entry for entry in map(inventory.decode, self._transport.entries())}

    def approach(self) -> None:
        """Send the difference, repeatedly while it is large, since much may change meanwhile.

        `level` sends the small rest, while writers wait.
        """
        found = delta.between(self.here, self._there)
        for _ in range(_ROUNDS):
            if found:
                self._carry(found)
            if found.bytes < _LITTLE_BYTES and found.files < _FEW:
                return
            found = self.look()

    def level(self) -> None:
        """Send the difference until there is none: then each file was read at the destination and is equal.

        ChangedUnderneathError if files change faster than they are sent.
        """
        for _ in range(_ROUNDS):
            found = self.look()
            if not found:
                return
            self._carry(found)
        if self._complaint:
            raise OutsideProgramError(
                f"Some files were not sent: {self._complaint}", hint="Fix the cause, then re-run."
            )
        raise ChangedUnderneathError(
            "Files change faster than they can be sent.", hint="Stop the programs that change them, then re-run."
        )

    def settle(self) -> None:
        """Set the folders' modes and times in the copy, and make the copy durable."""
        folders = [entry for entry in self.here.values() if entry.kind == FOLDER]
        self._transport.settle([[entry.path, entry.mode, entry.mtime_ns] for entry in folders])
        self._transport.sync()

    def _carry(self, found: Delta) -> None:
        self._transport.drop(found.gone)
        gone = tuple(f"{path}/" for path in found.gone)
        self._there = {
            path: entry for path, entry in self._there.items() if path not in found.gone and not path.startswith(gone)
        }
        total = found.bytes
        progress = self._progress
        texts = self._tree.texts
        self._complaint = self._transport.send(
            self._tree.root,
            [entry for entry in found.send if entry.path not in texts],
            (lambda sent: progress(sent, total)) if progress else None,
        )
        anew = [entry for entry in found.send if entry.path in texts]
        if anew:
            with write_stand_ins(self._tree.root, anew, texts) as folder:
                self._complaint = self._transport.send(folder, anew) or self._complaint
        self.sent_files += found.files
        self.sent_bytes += total
        paths = [entry.path for entry in found.send]
        for path in paths:
            self._there.pop(path, None)
        self._there.update((told[0], inventory.decode(told)) for told in self._transport.entries(paths))


def is_ahead(there: There, files: Files) -> AgentwsError | None:
    """Return an error if the older copy at the destination has events that `files` lack, else None."""
    for writer, (seq, hash_) in (there.heads() or {}).items():
        try:
            same = read.find(files, writer, seq).hash == hash_
        except AgentwsError:
            same = False
        if not same:
            return UsageError(
                f"The copy of this agent at {there.path} has events that are missing here ({writer}:{seq}).",
                hint="Check that copy, or choose another folder.",
            )
    return None
