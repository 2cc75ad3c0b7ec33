"""Transport by a git repository that both machines reach: the copy is a ref's commit there, until it is taken.

What is reported of the copy was fetched back from there, into a repository that holds nothing else. Specified in
docs/format/git.md.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from typing import Any

from agentws.core.formats.json import plainjson
from agentws.core.formats.travel import inventory, parcel
from agentws.core.formats.travel.inventory import FILE, Inventory, TreeEntry
from agentws.core.installation import host_info
from agentws.core.states.depot import Depot
from agentws.errors import DamagedError, MayNotWriteError, OutsideProgramError
from agentws.features.copies.transfer import temporary
from agentws.features.copies.transfer.transport import Stream, Transport

_MESSAGE = b"An agent is on its way\n"


class ByGit(Transport):
    """The repository at `url`; `within` is a folder for private files."""

    def __init__(self, url: str, within: str) -> None:
        self._url = url
        self._scratch = temporary.folder(prefix=temporary.PARCEL, within=within)
        self._depot = Depot(url, self._scratch)
        self._migration = ""
        self._refs: dict[str, str] = {}
        self._origin: dict[str, Any] = {}
        self._entries: Inventory = {}
        self._pieces: dict[str, str] = {}
        """The paths of the commit that are there, or will be, and their blobs."""
        self._sound: dict[str, bool] = {}
        self._looked = False

    def inspect(self, path: str, migration: str) -> dict[str, Any]:
        """See Transport."""
        self._migration = migration
        self._refs = self._depot.refs()
        nothing = dict.fromkeys(("free_bytes", "free_files", "moved"))
        fields = {"path": path, "host": "", "python": list(sys.version_info[:3]), "rsync": False, "above": "ready"}
        fields |= {"inside": "", "stands": "nothing", "agent": "", "retired": False, **nothing}
        fields["arrived"] = migration if self._at(parcel.TAKEN) else ""
        fields["ready"] = bool(self._at(parcel.READY))
        fields["waiting"] = bool(self._at(parcel.INCOMING))
        return fields

    def entries(self, paths: list[str] | None = None) -> Iterator[list[Any]]:
        """See Transport."""
        if not self._looked:
            self._fetch()
        if paths is not None:
            self._publish()
        for path in self._entries if paths is None else paths:
            entry = self._entries.get(path)
            if entry is not None:
                # What is not whole there counts as missing, so that it is sent again.
                yield entry.plain() if self._sound.get(path) else [*entry.plain()[:5], ""]

    def prepare(self, attempt: str) -> None:
        """Do nothing; see Transport."""

    def put(self, entry: TreeEntry, stream: Stream | None) -> None:
        """Keep an entry, a file as it is now and piece by piece, for the next commit; see Transport."""
        if stream is not None:
            digest, size = hashlib.sha256(), 0
            oids: list[str] = []
            is_over = False
            while not is_over:
                piece = _whole(stream, parcel.PIECE_BYTES)
                is_over = len(piece) < parcel.PIECE_BYTES
                if piece or not oids:
                    digest.update(piece)
                    size += len(piece)
                    oids += self._depot.store([piece])
            entry = TreeEntry(entry.path, FILE, entry.mode, entry.mtime_ns, size, digest.hexdigest())
            self._pieces.update(zip(parcel.pieces(entry.content, size), oids, strict=True))
        self._entries[entry.path] = entry

    def drop(self, paths: list[str]) -> None:
        """See Transport."""
        beneath = tuple(f"{path}/" for path in paths)
        gone = set(paths)
        self._entries = {
            path: entry for path, entry in self._entries.items() if path not in gone and not path.startswith(beneath)
        }

    def set_folders(self, folders: list[list[Any]]) -> None:
        """See Transport."""
        for path, mode, mtime_ns in folders:
            self._entries[path] = TreeEntry(path, inventory.FOLDER, mode, mtime_ns, 0, "")

    def record(self, origin: dict[str, Any]) -> None:
        """See Transport."""
        self._origin = origin

    def sync(self) -> None:
        """See Transport. What another machine's git has taken, that machine has to keep."""
        self._publish()
        if not all(self._sound.get(path) for path in self._entries):
            raise OutsideProgramError(
                f"{self._url} did not return all data that was sent.", hint="Re-run the same command."
            )

    def activate(self, mode: int, stamp: str) -> dict[str, Any]:
        """Let it be taken, see Transport: the agent is not in its place yet."""
        incoming, ready = self._at(parcel.INCOMING), self._at(parcel.READY)
        if incoming:
            self._move((parcel.INCOMING, incoming, ""), (parcel.READY, ready, incoming))
        elif not ready:
            raise OutsideProgramError(
                f"The copy of the agent is missing at {self._url}.", hint="Re-run the same command."
            )
        return {"path": self._url, "aside": ""}

    def abandon(self) -> bool:
        """See Transport. MayNotWriteError where somebody takes it just now."""
        self._refs = self._depot.refs()
        if self._at(parcel.TAKEN):
            raise MayNotWriteError(
                f"The agent is being taken from {self._url}: too late to cancel.",
                hint="Finish the move on the machine that takes the agent.",
            )
        gone = [(state, self._at(state), "") for state in (parcel.INCOMING, parcel.READY) if self._at(state)]
        self._move(*gone)
        return bool(gone)

    def close(self) -> None:
        """See Transport."""
        self._depot.close()
        temporary.remove(self._scratch)

    # Within

    def _at(self, state: str) -> str:
        return self._refs.get(parcel.ref(self._migration, state), "")

    def _move(self, *moves: tuple[str, str, str]) -> None:
        self._depot.push((parcel.ref(self._migration, state), old, new) for state, old, new in moves)
        for state, _, new in moves:
            self._refs[parcel.ref(self._migration, state)] = new

    def _fetch(self) -> None:
        """Read what an earlier try has left there. What cannot be read is rebuilt."""
        self._looked = True
        if not self._at(parcel.INCOMING):
            return
        commit = self._depot.fetch(parcel.ref(self._migration, parcel.INCOMING))
        try:
            tree = self._depot.tree(commit)
            entries = parcel.entries(self._depot.blob(tree[parcel.INVENTORY]))
            sound = {entry.path: is_sound for entry, is_sound in self._depot.verified(tree, entries)}
        except (KeyError, ValueError, DamagedError, OutsideProgramError):
            return
        self._pieces = {path: oid for path, oid in tree.items() if path.startswith("content/")}
        self._entries = {entry.path: entry for entry in entries}
        self._sound = sound

    def _publish(self) -> None:
        """Let the ref there be what is to be there, fetch it back, and read all that is new."""
        if not self._origin:
            return  # it was only looked at
        ordered = [self._entries[path] for path in sorted(self._entries, key=lambda path: path.split("/"))]
        texts = {
            parcel.TOLD: plainjson.dumps(self._origin).encode() + b"\n",
            parcel.README: parcel.readme(self._migration, host_info.name()),
            parcel.INVENTORY: parcel.listed(ordered),
        }
        oids = dict(zip(texts, self._depot.store(list(texts.values())), strict=True))
        wanted = {path for entry in ordered if entry.kind == FILE for path in parcel.pieces(entry.content, entry.size)}
        held = {path: oid for path, oid in self._pieces.items() if path in wanted}
        commit = self._depot.commit({**oids, **held}, _MESSAGE)
        if commit == self._at(parcel.INCOMING) and self._sound:
            return
        self._move((parcel.INCOMING, self._at(parcel.INCOMING), commit))
        tree = self._depot.fetch_back(parcel.ref(self._migration, parcel.INCOMING), commit)
        self._sound = {entry.path: sound for entry, sound in self._depot.verified(tree, ordered)}


def _whole(stream: Stream, size: int) -> bytes:
    """So many bytes, less only at the end: a single read of a file may give less."""
    parts = []
    while size and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
