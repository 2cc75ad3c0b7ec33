"""Ports: protocols with several answers for clock, backups, vectors, tokens (tests/contracts/)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from agentws.core.formats.journal.event import Event
from agentws.core.formats.travel.backup import Header, Manifest, Marks
from agentws.core.formats.travel.inventory import TreeEntry


class Clock(Protocol):
    """The time: the system's, or one that was fixed for a replay or a test."""

    def now(self) -> datetime:
        """Return the present moment in the workspace's time zone."""


class Observer(Protocol):
    """A receiver of events: a log, a console, a metrics system."""

    def on_event(self, event: Event) -> None:
        """Handle an event that is durable. An exception becomes a notice; the event is unaffected."""


class TokenCounter(Protocol):
    """Counts the tokens of a text, in whole `units`.

    A text's units never exceed the sum of its parts', where it is cut at line starts that begin with neither `/`
    nor an empty line; elsewhere they may by a few.
    """

    name: str
    exact: bool
    """Return True if the count is a tokenizer's own."""
    trust: str
    """Precision of a count: `exact`, `a bound`, `a declared bound`, `an estimate`."""
    units_per_token: int

    def units(self, text: str) -> int:
        """Return the units of `text`; tokens are units / units_per_token, rounded up."""


class BackupPart(Protocol):
    """A backup in the making, which becomes one when `keep` names it.

    `copied` maps the paths that were copied now to their digests. The folder `root` has the copied files and the
    newest segment of each writer. `links` is False if the medium lacks hard links, and should have them.
    """

    root: str
    copied: dict[str, str]
    links: bool

    def folder(self, path: str) -> None:
        """Add a folder."""

    def link(self, entry: TreeEntry) -> None:
        """Add a symbolic link, not its target."""

    def same(self, entry: TreeEntry) -> bool:
        """Add a file from the previous backup; False if it has to be copied."""

    def copy(self, entry: TreeEntry, fd: int, size: int) -> TreeEntry:
        """Add the first `size` bytes of an open file; return its entry in the backup."""

    def write(self, entry: TreeEntry, text: bytes) -> TreeEntry:
        """Add a file with this content; return its entry in the backup."""

    def share(self, entry: TreeEntry) -> None:
        """Replace a copied file by the equal one of the previous backup."""

    def drop(self, path: str) -> None:
        """Remove a path that vanished meanwhile; a folder only if it is empty."""

    def settle(self, entries: Iterable[TreeEntry]) -> None:
        """Write all entries to the medium, durably; folders are complete now."""

    def read_back(self) -> None:
        """Compare the copied files with what the medium returns; AgentwsError if they differ."""

    def finish(self, header: Header, entries: Iterable[TreeEntry], marks: dict[str, Marks]) -> None:
        """Add the manifest, durably, which completes the content."""

    def keep(self, at: datetime) -> str:
        """Make the copy a backup, durably; return its name."""

    def clear(self) -> None:
        """Remove the unfinished backup."""


class Backups(Protocol):
    """The backups of one agent at a destination, `place`: a folder, a git repository, a restic repository.

    Every failure raises an AgentwsError and leaves complete backups as they are.
    """

    place: str

    def names(self) -> list[str]:
        """Return the names of all complete backups, oldest first."""

    def header(self, name: str) -> Header:
        """Return the header of a backup; DamagedError if it is unreadable."""

    def manifest(self, name: str) -> Manifest:
        """Return the manifest of a backup; DamagedError if it is unreadable."""

    def tree(self, name: str, only: Sequence[str] | None = None) -> AbstractContextManager[str]:
        """Open a folder with the files of a backup, as the medium returns them; yields its absolute path.

        `only` are the paths to fetch, if others would have to be fetched too. Missing files and those that are no
        files are left out; symbolic links may be.
        """

    def begin(self, agent_name: str, owner: str, before: str) -> BackupPart:
        """Begin a backup that may share files with the one called `before` (empty: with none).

        Remains of a killed run of the same `owner` are removed or continued.
        """

    def remove(self, name: str) -> None:
        """Remove a backup: it ceases to be one at once, even if removal is interrupted."""

    def stays(self) -> str:
        """Return why `agentws forget --copies` cannot remove a text from these backups; empty if it can (a folder).

        One or two sentences, with what a person does instead; known without opening the backups.
        """

    def notices(self, root: str) -> tuple[str, ...]:
        """Return notices about this destination for a workspace at `root`."""

    def close(self) -> None:
        """Close the destination."""


VectorRecord = tuple[str, Any, Mapping[str, str]]
"""A vector to keep: its key (32 hexadecimal digits), its numbers, what it is of: `source`, `time`, `context`."""


class Embedder(Protocol):
    """Computes vectors of texts: a model that ships in a package, an endpoint, a command of the user's."""

    name: str
    """Source of the vectors: only those of one source are compared."""

    def embed(self, texts: Sequence[str]) -> Sequence[Any]:
        """Return a vector for each text, in order, all of one size; AgentwsError if that fails."""


class VectorStore(Protocol):
    """Stores vectors by the keys of their texts, and finds the nearest by cosine, from -1 to 1."""

    def keys(self) -> set[str]:
        """Return the keys of all vectors."""

    def put(self, vectors: Iterable[VectorRecord]) -> None:
        """Add vectors, durably; those of known keys may be skipped."""

    def nearest(self, vector: Any, count: int) -> list[tuple[str, float]]:
        """Return (key, similarity) of the `count` nearest vectors, nearest first."""

    def similarities(self, vector: Any, keys: Collection[str]) -> dict[str, float]:
        """Return the similarity of each of these keys that is known."""

    def metadata(self, keys: Collection[str]) -> dict[str, Mapping[str, str]]:
        """Return the metadata of each of these keys that is known: source, time, context."""

    def keep(self, keys: Collection[str]) -> int:
        """Remove all vectors but these, unrecoverably as far as possible; return how many were removed."""

    def destroy(self) -> None:
        """Remove all vectors."""

    def close(self) -> None:
        """Close the store."""
