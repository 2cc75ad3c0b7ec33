"""The transport of a copy: its source, what every transport can do, and the one to a folder of this machine."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, BinaryIO, Protocol, TypeVar

from agentws.core.disk import files
from agentws.core.formats.travel.inventory import FILE, Inventory, TreeEntry
from agentws.errors import (
    AgentwsError,
    DamagedError,
    LockHeldError,
    MayNotWriteError,
    MissingFileError,
    UnsafeFileError,
)
from agentws.features.copies.transfer import copy_place, receiver

Answer = TypeVar("Answer")
Progress = Callable[[int], None]
"""Called with the number of bytes sent so far."""


class Stream(Protocol):
    """Source of the bytes of a file."""

    def read(self, __size: int) -> bytes | None:
        """At most so many of them, none at the end."""


class Source:
    """The tree at `root` that is copied; `texts` are sent in the place of a file's content, by path.

    `complaint` says what was wrong when entries were read last; empty if nothing was.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.texts: dict[str, bytes] = {}
        self.complaint = ""

    def scan(self) -> Inventory:
        """Return all entries as they are now, with digests."""
        raise NotImplementedError

    def streams(self, entries: Sequence[TreeEntry]) -> Iterator[tuple[TreeEntry, Stream | None]]:
        """Yield each entry with the content of a file; files that vanished meanwhile are skipped (`complaint`)."""
        self.complaint = ""
        for entry in entries:
            if entry.kind != FILE:
                yield entry, None
                continue
            text = self.texts.get(entry.path)
            try:
                stream = io.BytesIO(text) if text is not None else self.opened(entry)
            except (MissingFileError, UnsafeFileError) as error:
                self.complaint = error.message
                continue
            with stream:
                yield entry, stream

    def opened(self, entry: TreeEntry) -> BinaryIO:
        """Open a file of the tree; no link is followed."""
        return opened(self.root, entry.path)


class Transport:
    """A connection to the destination of a copy, and the operations there. `inspect` comes first.

    The copy grows beside the destination and is activated in one step. Every failure raises an AgentwsError and
    leaves a copy that a later try continues. What a transport does not do itself, it asks a receiver (receiver.py) to.
    """

    def ask(self, name: str, **words: Any) -> Any:
        """Return what the receiver's method `name` returns."""
        raise NotImplementedError

    def inspect(self, path: str, migration: str) -> dict[str, Any]:
        """Inspect the destination, and whether a copy of this migration waits beside it: see `Receiver`."""
        return dict(self.ask("inspect", path=path, migration=migration))

    def entries(self, paths: list[str] | None = None) -> Iterator[list[Any]]:
        """Yield the inventory of the copy (all of it, or these paths), as read at the destination."""
        raise NotImplementedError

    def prepare(self, attempt: str) -> None:
        """Create the copy's folder and lock it for this attempt; what an earlier try left is kept."""
        self.ask("prepare", attempt=attempt)

    def put(self, entry: TreeEntry, stream: Stream | None) -> None:
        """Put one entry into the copy, the bytes of a file from `stream`."""
        raise NotImplementedError

    def send(self, source: Source, entries: Sequence[TreeEntry], progress: Progress | None = None) -> str:
        """Put these entries of a source into the copy, folders before their contents.

        Files that vanished meanwhile are skipped, which the returned text says; else it is empty.
        """
        sent = 0
        for entry, stream in source.streams(entries):
            self.put(entry, stream)
            sent += entry.size if stream is not None else 0
            if progress:
                progress(sent)
        return source.complaint

    def drop(self, paths: list[str]) -> None:
        """Remove `paths` from the copy."""
        if paths:
            self.ask("drop", paths=paths)

    def set_folders(self, folders: list[list[Any]]) -> None:
        """Set mode and time of folders in the copy: [path, mode, mtime in nanoseconds]."""
        self.ask("set_folders", folders=folders)

    def record(self, origin: dict[str, Any]) -> None:
        """Record in the copy's machine-local folder where the copy comes from."""
        self.ask("record", origin=origin)

    def sync(self) -> None:
        """Make the copy durable."""
        self.ask("sync")

    def activate(self, mode: int, stamp: str) -> dict[str, Any]:
        """Move the copy to its destination, durably; return its `path`, and where an older one was put `aside`."""
        return dict(self.ask("activate", mode=mode, stamp=stamp))

    def abandon(self) -> bool:
        """Remove the copy, never the agent at the destination; False if there was no copy.

        MayNotWriteError if the agent has arrived, or is arriving at this moment.
        """
        return bool(self.ask("abandon"))

    def boot(self) -> dict[str, Any]:
        """Boot the agent at its destination; return exit `code` (None: no agentws there) and `said`."""
        return dict(self.ask("boot"))

    def trial_folder(self) -> str:
        """Create a private folder there for a trial copy, removed by `close`; return its path."""
        return str(self.ask("trial_folder"))

    def verify(self) -> dict[str, Any]:
        """Verify the agent's journal at its destination; returns the same as `boot`."""
        return dict(self.ask("verify"))

    def joins(self) -> dict[str, str]:
        """Return the `writer` of the installation at the destination, and its public `key`; empty if unknown."""
        return dict(self.ask("joins"))

    def sign_in(self, lines: dict[str, str]) -> None:
        """Append a line to each of these files (RelPath → line) of the agent at its destination, durably."""
        self.ask("sign_in", lines=lines)

    def close(self) -> None:
        """Close the connection; the copy stays as it is."""
        raise NotImplementedError


class Local(Transport):
    """The transport to a folder that this machine has: this process makes the copy."""

    def __init__(self) -> None:
        self._far = receiver.Receiver([sys.executable, "-m", "agentws"])

    @property
    def staging(self) -> str:
        """The folder that receives the copy."""
        return self._far.staging

    def ask(self, name: str, **words: Any) -> Any:
        """Call the receiver in this process."""
        return self._done(lambda: getattr(self._far, name)(**words))

    def inspect(self, path: str, migration: str) -> dict[str, Any]:
        """See Transport."""
        return super().inspect(os.path.abspath(path), migration)

    def entries(self, paths: list[str] | None = None) -> Iterator[list[Any]]:
        """See Transport."""
        entries = self._far.entries(paths)
        while (entry := self._done(lambda: next(entries, None))) is not None:
            yield entry

    def put(self, entry: TreeEntry, stream: Stream | None) -> None:
        """See Transport."""
        self.ask("put", entry=entry.plain(), stream=stream)

    def close(self) -> None:
        """See Transport."""
        self._far.close()

    def _done(self, act: Callable[[], Answer]) -> Answer:
        try:
            return act()
        except copy_place.Refused as error:
            raise refused(error.code, str(error)) from error
        except OSError as error:
            place = str(error.filename or self._far.final or "the destination")
            raise files.failure(error, place) from error


class Pieces:
    """Pieces of bytes, read as a file is."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._left = b""

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes, none at the end."""
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._left = piece
        given, self._left = self._left[:size], self._left[size:]
        return given


def opened(root: str, path: str) -> BinaryIO:
    """The file at `path`, to be read; no link is followed."""
    with files.Failing(path):
        return os.fdopen(files.Files(root).open(path), "rb", buffering=0)


def refused(code: str, message: str) -> AgentwsError:
    """Our error for what the far side refuses to do."""
    text = f"{message[:1].upper()}{message[1:]}."
    if code == "busy":
        return LockHeldError(text, hint="Wait until the other process has finished, then re-run.")
    if code == "arrived":
        return MayNotWriteError(text)
    if code == "outside":
        return DamagedError(text, hint="Nothing was written. Check which program sent this name.")
    return AgentwsError(text, hint="Re-run the same command.")
