"""Make a backup in a git repository: send it, fetch it back and compare it, and only then create its ref."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import count

from agentws.core.disk import files
from agentws.core.formats import layout
from agentws.core.formats.journal import segment
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.backup import Header, Marks
from agentws.core.formats.travel.inventory import FILE, TreeEntry
from agentws.core.states.depot import LARGEST_BLOB_BYTES, Depot
from agentws.errors import ChangedUnderneathError, OutsideProgramError, TooLargeError
from agentws.features.copies.backup.store.part import Part

_BATCH_BYTES = 32 << 20
"""Bytes pushed at once, under a ref of their own, so that they are not sent again after a broken connection."""
_BATCH = 2000
_TRIES = 5


class GitPart(Part):
    """A partial backup in the temporary folder `place`.

    Its refs in the repository begin with `start` until it gets its name and final refs.
    """

    TREE = "tree"
    _LAST = "last"

    def __init__(
        self,
        place: str,
        before: Iterable[str],
        depot: Depot,
        agent: str,
        start: str,
        agent_name: str,
        refs: dict[str, str],
    ) -> None:
        super().__init__(place)
        self._newest = set(_newest_segments(before))
        self._depot = depot
        self._agent = agent
        self._start = start
        self._agent_name = agent_name
        self._refs = refs
        self._there: dict[str, str] = {}
        self._parents: list[str] = []
        self._parts: dict[str, str] = {}
        self._unsent: dict[str, str] = {}
        self._unsent_bytes = 0
        self._whole = self._header = self._tree = ""
        self._message = b""

    def goes_on(self, there: dict[str, str], parents: Sequence[str], parts: dict[str, str]) -> None:
        """Continue with the pieces already in the repository (`there`, in the commits `parents`).

        `parts` are refs of an earlier try.
        """
        self._there = there
        self._parents = list(parents)
        self._parts = dict(parts)

    def has(self, entry: TreeEntry) -> bool:
        """Return whether the repository has every piece of a file."""
        return all(path in self._there for path in backup.pieces(entry.content, entry.size))

    def link(self, entry: TreeEntry) -> None:
        """Do nothing: only the manifest records links."""

    def same(self, entry: TreeEntry) -> bool:
        """Return whether a file need not be copied; the newest segments always are, since their ends are read here."""
        return entry.path not in self._newest and self.has(entry)

    def share(self, entry: TreeEntry) -> None:
        """Skip sending a copied file that the repository already has."""
        if self.has(entry):
            self.copied.pop(entry.path, None)

    def settle(self, entries: Iterable[TreeEntry]) -> None:
        """Do nothing: the temporary folder need not be durable."""

    def read_back(self) -> None:
        """Do nothing: the repository is read back after sending."""

    def finish(self, header: Header, entries: Iterable[TreeEntry], marks: dict[str, Marks]) -> None:
        """Send the missing pieces, fetch the backup back, and compare the files copied now."""
        entries = list(entries)
        copied = [entry for entry in entries if entry.path in self.copied]
        for entry in copied:
            if not self.has(entry):
                self._take_in(entry)
            os.unlink(f"{self.root}/{entry.path}")  # the room is needed for what comes back
        self._commit(header, entries, marks)
        whole, tree = f"{self._start}{self._LAST}", f"{self._start}{self.TREE}"
        self._push((whole, self._whole), (tree, self._tree))
        held = self._depot.fetch_back(whole, self._whole)
        wrong = next((entry.path for entry, sound in self._depot.verified(held, copied) if not sound), None)
        if wrong is not None:
            raise OutsideProgramError(
                f"{self._depot.url} returns other data than was sent: {wrong}", hint="Use another repository."
            )

    def keep(self, at: datetime) -> str:
        """Create the backup's refs and return its name; all objects are sent already. ChangedUnderneathError."""
        commit = self._depot.commit_tree(self._tree, self._message)
        for _ in range(_TRIES):
            name = backup.following(backup.names(self._depot.refs(), self._agent), at)
            moves = [(f"{backup.WHOLE}{self._agent}/{name}", "", commit)]
            moves += [(f"{backup.HEADER}{self._agent}/{name}", "", self._header)]
            try:
                self._depot.push([*moves, *((ref, now, "") for ref, now in self._parts.items())])
            except ChangedUnderneathError:
                continue  # another machine has taken this number
            self._refs.update({ref: new for ref, _, new in moves})
            self._depot.remember(self._tree, self._message)
            return name
        raise ChangedUnderneathError(
            f"Other processes make backups in {self._depot.url} too.", hint="Re-run the same command."
        )

    def _take_in(self, entry: TreeEntry) -> None:
        """Read a file piece by piece; a full batch is sent at once."""
        with open(files.Files(self.root).open(entry.path), "rb") as stream:
            for path in backup.pieces(entry.content, entry.size):
                piece = stream.read(backup.PIECE_BYTES)
                if path in self._there:
                    continue  # an earlier try has sent it
                (self._there[path],) = self._depot.store([piece])
                self._unsent[path] = self._there[path]
                self._unsent_bytes += len(piece)
                if self._unsent_bytes >= _BATCH_BYTES or len(self._unsent) >= _BATCH:
                    self._send()

    def _send(self) -> None:
        """Push the collected pieces, under a ref of their own."""
        commit = self._depot.commit(self._unsent, b"A part of a backup\n")
        self._unsent, self._unsent_bytes = {}, 0
        taken = {ref.removeprefix(self._start) for ref in self._parts}
        number = next(number for number in count(1) if f"{number:05}" not in taken)
        self._push((f"{self._start}{number:05}", commit))
        self._parents.append(commit)

    def _commit(self, header: Header, entries: Sequence[TreeEntry], marks: dict[str, Marks]) -> None:
        """Make the backup's commit, a child of all that was sent, and the commit of its header."""
        texts = {
            backup.MANIFEST: backup.encode(header, entries, marks),
            backup.README: backup.commit_readme(self._agent_name),
            backup.FIRST_LINE: backup.first_line(header),
        }
        if len(texts[backup.MANIFEST]) > LARGEST_BLOB_BYTES:
            raise TooLargeError("The manifest is too large for a git repository.", hint="Use a folder: backup create")
        oids = dict(zip(texts, self._depot.store(list(texts.values())), strict=True))
        first = {backup.FIRST_LINE: oids.pop(backup.FIRST_LINE)}
        wanted = [entry for entry in entries if entry.kind == FILE]
        held = {path: self._there[path] for item in wanted for path in backup.pieces(item.content, item.size)}
        self._message = f"Backup of {self._agent_name}, {header.at}\n".encode("utf-8", "replace")
        self._whole = self._depot.commit({**oids, **held}, self._message, self._parents)
        self._tree = self._depot.tree_of(self._whole)
        self._header = self._depot.commit(first, self._message)

    def _push(self, *moves: tuple[str, str]) -> None:
        self._depot.push([(ref, self._parts.get(ref, ""), new) for ref, new in moves])
        self._parts.update(moves)


def _newest_segments(paths: Iterable[str]) -> list[str]:
    """Return the path of each writer's newest segment."""
    counts: dict[str, int] = {}
    for path in paths:
        parts = path.split("/")
        number = segment.number_of(parts[2]) if len(parts) == 3 and parts[0] == layout.JOURNAL else None
        if number is not None:
            counts[parts[1]] = max(number, counts.get(parts[1], 0))
    return [segment.path(writer, number) for writer, number in counts.items()]
