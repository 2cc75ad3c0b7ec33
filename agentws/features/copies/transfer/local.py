"""Transport to another folder of this machine: this process makes the copy."""

from __future__ import annotations

import os
import sys

from agentws.core.disk import files
from agentws.core.formats.travel.inventory import FILE
from agentws.errors import (
    AgentwsError,
    DamagedError,
    LockHeldError,
    MayNotWriteError,
    MissingFileError,
    UnsafeFileError,
)
from agentws.features.copies.transfer import copy_place, receiver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, BinaryIO, Protocol, TypeVar

    from agentws.core.formats.travel.inventory import TreeEntry
    from agentws.core.ports import Progress

    Told = TypeVar("Told")

    class Stream(Protocol):
        """What the bytes of a file come from."""

        def read(self, __size: int) -> bytes | None:
            """At most so many of them, none at the end."""

        def close(self) -> None:
            """There are no more questions."""


class Local:
    """A folder that this machine has."""

    def __init__(self) -> None:
        self._far = receiver.Receiver([sys.executable, "-m", "agentws"])

    @property
    def staging(self) -> str:
        """The folder that receives the copy."""
        return self._far.staging

    def look(self, path: str, migration: str) -> dict[str, Any]:
        """See ports.Transport."""
        return _done(lambda: self._far.look(os.path.abspath(path), migration))

    def entries(self, paths: list[str] | None = None) -> Iterator[list[Any]]:
        """See ports.Transport."""
        told = self._far.entries(paths)
        while (entry := _done(lambda: next(told, None))) is not None:
            yield entry

    def prepare(self, attempt: str) -> None:
        """See ports.Transport."""
        _done(lambda: self._far.prepare(attempt))

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
        """Put one thing into the copy, the bytes of a file from `stream`, which is closed then."""
        try:
            _done(lambda: self._far.put(entry.plain(), stream))
        finally:
            if stream is not None:
                stream.close()

    def drop(self, paths: list[str]) -> None:
        """See ports.Transport."""
        _done(lambda: self._far.drop(paths))

    def settle(self, folders: list[list[Any]]) -> None:
        """See ports.Transport."""
        _done(lambda: self._far.settle(folders))

    def announce(self, told: dict[str, Any]) -> None:
        """See ports.Transport."""
        _done(lambda: self._far.announce(told))

    def sync(self) -> None:
        """See ports.Transport."""
        _done(self._far.sync)

    def place(self, mode: int, stamp: str) -> dict[str, Any]:
        """See ports.Transport."""
        return _done(lambda: self._far.place(mode, stamp))

    def abandon(self) -> bool:
        """See ports.Transport."""
        return _done(self._far.abandon)

    def boot(self) -> dict[str, Any]:
        """See ports.Transport."""
        return self._far.boot()

    def aside(self) -> str:
        """See ports.Transport."""
        return _done(self._far.aside)

    def verify(self) -> dict[str, Any]:
        """See ports.Transport."""
        return self._far.verify()

    def joins(self) -> dict[str, str]:
        """See ports.Transport."""
        return self._far.joins()

    def sign_in(self, lines: dict[str, str]) -> None:
        """See ports.Transport."""
        _done(lambda: self._far.sign_in(lines))

    def close(self) -> None:
        """See ports.Transport."""
        self._far.close()


def opened(root: str, path: str) -> BinaryIO:
    """The file at `path`, to be read; no link is followed."""
    try:
        return os.fdopen(files.Files(root).open(path), "rb", buffering=0)
    except OSError as error:
        raise files.failure(error, path) from error


def _done(act: Callable[[], Told]) -> Told:
    try:
        return act()
    except copy_place.Refused as error:
        raise refused(error.code, str(error)) from error
    except OSError as error:
        raise files.failure(error, str(error.filename or "the copy")) from error


def refused(code: str, message: str) -> AgentwsError:
    """The error of ours for what the far side refuses to do."""
    said = f"{message[:1].upper()}{message[1:]}."
    if code == "busy":
        return LockHeldError(said, hint="Wait until the other process has finished, then re-run.")
    if code == "arrived":
        return MayNotWriteError(said)
    if code == "outside":
        return DamagedError(said, hint="Nothing was written. Check which program sent this name.")
    return AgentwsError(said, hint="Re-run the same command.")
