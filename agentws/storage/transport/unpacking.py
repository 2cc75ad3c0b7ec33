"""A parcel that waits in a git repository, put beside the place where the agent is to live, verified, and claimed.

Whoever claims it is the only one that may put it in its place; see docs/format/git.md.
"""

from __future__ import annotations

import os

from agentws.errors import DamagedError, MayNotWriteError, UsageError
from agentws.formats import parcel
from agentws.formats.inventory import FILE
from agentws.storage import machine
from agentws.storage.transport.depot import Depot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from agentws.formats.inventory import Entry
    from agentws.ports import Progress
    from agentws.storage.transport.local import Local

_SECRET_BYTES = 16


class Waiting:
    """What waits at `url`: a `migration` (empty: the only one that does), the `told` of it, its `entries`.

    UsageError where none waits, or several do; MayNotWriteError where another machine takes it.
    """

    def __init__(self, url: str, migration: str) -> None:
        self.url = url
        self.entries: list[Entry] = []
        self.told: dict[str, Any] = {}
        self._depot = Depot(url, "")
        self._tree: dict[str, str] = {}
        self._commit = ""
        self._taken = ""
        self.migration = migration
        try:
            self.migration, self._state = self._find(migration)
        except BaseException:
            self.close()
            raise

    @property
    def is_there(self) -> bool:
        """False where it is not in the repository any more."""
        return bool(self._state)

    def fetch(self) -> None:
        """Have all of it here, in private files. DamagedError where it is not what it says."""
        taken = self._state.get(parcel.TAKEN, "")
        self._commit = self._depot.fetch(parcel.ref(self.migration, parcel.TAKEN if taken else parcel.READY))
        self._taken = self._depot.message(self._commit) if taken else ""
        self._tree = self._depot.tree(self._commit)
        try:
            self.told = parcel.told(self._depot.blob(self._tree[parcel.TOLD]))
            self.entries = parcel.entries(self._depot.blob(self._tree[parcel.INVENTORY]))
        except (KeyError, ValueError, RecursionError) as error:
            raise self._damaged(str(error)) from error
        if self.told["migration"] != self.migration:
            raise self._damaged("it is another migration than its name says")
        broken = [entry.path for entry, sound in self._depot.verified(self._tree, self.entries) if not sound]
        if broken:
            raise self._damaged(f"{broken[0]} is not what its digest says")

    def put(self, entries: Sequence[Entry], local: Local, progress: Progress | None = None) -> None:
        """Put these things into the copy at its place, folders before what they hold."""
        sent = 0
        for entry in entries:
            if entry.kind != FILE:
                local.put(entry, None)
        for entry, pieces in self._depot.content(self._tree, [entry for entry in entries if entry.kind == FILE]):
            local.put(entry, _Stream(pieces))
            sent += entry.size
            if progress:
                progress(sent)

    def claim(self, secret: str) -> None:
        """Be the one that takes it: once for all, whoever else tries. MayNotWriteError where another one has."""
        host, claimed = parcel.claimed(self._taken) if self._taken else ("", "")
        if claimed == secret:
            return
        if self._taken:
            raise taken(host, self.url)
        commit = self._depot.commit_again(self._commit, parcel.claim(machine.name(), secret))
        self._depot.push(
            (
                (parcel.ref(self.migration, parcel.READY), self._commit, ""),
                (parcel.ref(self.migration, parcel.TAKEN), "", commit),
            )
        )
        self._state = {parcel.TAKEN: commit}

    def remove(self) -> None:
        """Take it out of the repository: the agent is in its place."""
        known = self._state.get(parcel.TAKEN, "")
        if known:
            self._depot.push([(parcel.ref(self.migration, parcel.TAKEN), known, "")])

    def close(self) -> None:
        """Remove the private files."""
        self._depot.close()

    def _find(self, migration: str) -> tuple[str, dict[str, str]]:
        found = parcel.waiting(self._depot.refs())
        if migration:
            return migration, found.get(migration, {})
        if len(found) > 1:
            raise UsageError(
                f"{len(found)} agents wait at {self.url}: {', '.join(sorted(found))}.",
                hint=f"Say which, by the id that its move has named: --from {self.url}#{min(found)}",
            )
        return next(iter(found.items()), ("", {}))

    def _damaged(self, what: str) -> DamagedError:
        return DamagedError(
            f"What waits at {self.url} cannot be taken: {what}.",
            hint="Nothing was changed. Where the agent comes from: agentws migrate --abort, and move it again.",
        )


def secret() -> str:
    """A new word by which the one that claims is known."""
    return os.urandom(_SECRET_BYTES).hex()


def taken(host: str, url: str) -> MayNotWriteError:
    """That another place takes the agent."""
    return MayNotWriteError(
        f"The agent at {url} is being taken on {host or 'another machine'}.",
        hint="It can be taken once. If that was ended on its way, run it again there.",
    )


class _Stream:
    """Pieces of bytes, read as a file is."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = b""

    def read(self, size: int) -> bytes:
        """At most so many bytes, none at the end."""
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._left = piece
        given, self._left = self._left[:size], self._left[size:]
        return given

    def close(self) -> None:
        """Nothing is held."""
