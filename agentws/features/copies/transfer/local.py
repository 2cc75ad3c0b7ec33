"""Transport to another folder of this machine: this process makes the copy."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, BinaryIO, Protocol, TypeVar

from agentws.core.disk import files
from agentws.core.formats.travel.inventory import FILE, TreeEntry
from agentws.core.ports import Progress
from agentws.errors import (
    AgentwsError,
    DamagedError,
    LockHeldError,
    MayNotWriteError,
    MissingFileError,
    UnsafeFileError,
)
from agentws.features.copies.transfer import copy_place, receiver

Told = TypeVar("Told")


class Stream(Protocol):
    """Source of the bytes of a file."""

    def read(self, __size: int) -> bytes | None:
        """At most so many of them, none at the end."""

    def close(self) -> None:
        """There are no more questions."""


class FarEnd:
    """The operations of a transport that are the receiver's; see ports.Transport. `ask` has one of them carried out."""

    def ask(self, name: str, **words: Any) -> Any:
        """Return what the receiver's method `name` returns."""
        raise NotImplementedError

    def inspect(self, path: str, migration: str) -> dict[str, Any]:
        """See ports.Transport."""
        state: dict[str, Any] = self.ask("inspect", path=path, migration=migration)
        return state

    def drop(self, paths: list[str]) -> None:
        """See ports.Transport."""
        if paths:
            self.ask("drop", paths=paths)

    def set_folders(self, folders: list[list[Any]]) -> None:
        """See ports.Transport."""
        self.ask("set_folders", folders=folders)

    def record(self, origin: dict[str, Any]) -> None:
        """See ports.Transport."""
        self.ask("record", origin=origin)

    def sync(self) -> None:
        """See ports.Transport."""
        self.ask("sync")

    def activate(self, mode: int, stamp: str) -> dict[str, Any]:
        """See ports.Transport."""
        placed: dict[str, Any] = self.ask("activate", mode=mode, stamp=stamp)
        return placed

    def abandon(self) -> bool:
        """See ports.Transport."""
        return bool(self.ask("abandon"))

    def boot(self) -> dict[str, Any]:
        """See ports.Transport."""
        outcome: dict[str, Any] = self.ask("boot")
        return outcome

    def trial_folder(self) -> str:
        """See ports.Transport."""
        return str(self.ask("trial_folder"))

    def verify(self) -> dict[str, Any]:
        """See ports.Transport."""
        outcome: dict[str, Any] = self.ask("verify")
        return outcome

    def joins(self) -> dict[str, str]:
        """See ports.Transport."""
        writer: dict[str, str] = self.ask("joins")
        return writer

    def sign_in(self, lines: dict[str, str]) -> None:
        """See ports.Transport."""
        self.ask("sign_in", lines=lines)


class Local(FarEnd):
    """A folder that this machine has."""

    def __init__(self) -> None:
        self._far = receiver.Receiver([sys.executable, "-m", "agentws"])

    @property
    def staging(self) -> str:
        """The folder that receives the copy."""
        return self._far.staging

    def ask(self, name: str, **words: Any) -> Any:
        """Call the receiver in this process."""
        return _done(lambda: getattr(self._far, name)(**words), self._far.final)

    def inspect(self, path: str, migration: str) -> dict[str, Any]:
        """See ports.Transport."""
        return super().inspect(os.path.abspath(path), migration)

    def entries(self, paths: list[str] | None = None) -> Iterator[list[Any]]:
        """See ports.Transport."""
        entries = self._far.entries(paths)
        while (entry := _done(lambda: next(entries, None), self._far.final)) is not None:
            yield entry

    def prepare(self, attempt: str) -> None:
        """See ports.Transport."""
        self.ask("prepare", attempt=attempt)

    def send(self, root: str, entries: Sequence[TreeEntry], progress: Progress | None = None) -> str:
        """See ports.Transport."""
        sent, complaint = 0, ""
        for entry in entries:
            try:
                stream = opened(root, entry.path) if entry.kind == FILE else None
            except (MissingFileError, UnsafeFileError) as error:
                complaint = error.message
                continue
            self.put(entry, stream)
            sent += entry.size if entry.kind == FILE else 0
            if progress:
                progress(sent)
        return complaint

    def put(self, entry: TreeEntry, stream: Stream | None) -> None:
        """Put one entry into the copy, the bytes of a file from `stream`, which is closed then."""
        try:
            self.ask("put", entry=entry.plain(), stream=stream)
        finally:
            if stream is not None:
                stream.close()

    def close(self) -> None:
        """See ports.Transport."""
        self._far.close()


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

    def close(self) -> None:
        """Do nothing."""


def opened(root: str, path: str) -> BinaryIO:
    """The file at `path`, to be read; no link is followed."""
    with files.Failing(path):
        return os.fdopen(files.Files(root).open(path), "rb", buffering=0)


def _done(act: Callable[[], Told], place: str) -> Told:
    try:
        return act()
    except copy_place.Refused as error:
        raise refused(error.code, str(error)) from error
    except OSError as error:
        raise files.failure(error, str(error.filename or place or "the destination")) from error


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
