"""To another machine, through ssh: rsync for the bulk of it, the open connection for what is small."""

from __future__ import annotations

from agentws.errors import MissingFileError, OutsideProgramError, UnsafeFileError
from agentws.formats.travel.inventory import FILE
from agentws.storage.transport import local, rsync, ssh_channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from agentws.formats.travel.inventory import Entry
    from agentws.ports import Progress

_FEW = 100
_SMALL_BYTES = 1 << 20
"""So little is sent through the connection that stands: rsync would take longer to start."""
_LARGE_BYTES = 1 << 20
"""Of a file that is so large, what has arrived is kept where the connection breaks."""


class OverSsh:
    """A machine that ssh reaches without a question."""

    def __init__(self, host: str, user: str) -> None:
        self._host = host
        self._user = user
        self._wire = ssh_channel.Wire(f"{user}@{host}" if user else host)
        self._there: dict[str, str] = {}
        self._has_rsync = False

    def look(self, path: str, migration: str) -> dict[str, Any]:
        """See ports.Transport."""
        told: dict[str, Any] = self._wire.ask("look", path=path, migration=migration)
        self._has_rsync = told["rsync"]
        return told

    def entries(self, paths: list[str] | None = None) -> Iterator[list[Any]]:
        """See ports.Transport."""
        return self._wire.entries(paths)

    def prepare(self, attempt: str) -> None:
        """See ports.Transport."""
        self._there = self._wire.ask("prepare", attempt=attempt)

    def send(self, root: str, entries: Sequence[Entry], progress: Progress | None = None) -> str:
        """See ports.Transport."""
        if len(entries) > _FEW or sum(entry.size for entry in entries) > _SMALL_BYTES:
            return self._in_bulk(root, entries, progress)
        complaint = ""
        for entry in entries:
            try:
                self._put(root, entry)
            except (MissingFileError, UnsafeFileError) as error:
                complaint = error.message
        self._wire.ask("drop", paths=[])  # what went wrong over there is told with the next answer: this one
        return complaint

    def drop(self, paths: list[str]) -> None:
        """See ports.Transport."""
        if paths:
            self._wire.ask("drop", paths=paths)

    def settle(self, folders: list[list[Any]]) -> None:
        """See ports.Transport."""
        self._wire.ask("settle", folders=folders)

    def announce(self, told: dict[str, Any]) -> None:
        """See ports.Transport."""
        self._wire.ask("announce", told=told)

    def sync(self) -> None:
        """See ports.Transport."""
        self._wire.ask("sync")

    def place(self, mode: int, stamp: str) -> dict[str, Any]:
        """See ports.Transport."""
        told: dict[str, Any] = self._wire.ask("place", mode=mode, stamp=stamp)
        return told

    def abandon(self) -> bool:
        """See ports.Transport."""
        return bool(self._wire.ask("abandon"))

    def boot(self) -> dict[str, Any]:
        """See ports.Transport."""
        told: dict[str, Any] = self._wire.ask("boot")
        return told

    def joins(self) -> dict[str, str]:
        """See ports.Transport."""
        told: dict[str, str] = self._wire.ask("joins")
        return told

    def sign_in(self, lines: dict[str, str]) -> None:
        """See ports.Transport."""
        self._wire.ask("sign_in", lines=lines)

    def close(self) -> None:
        """See ports.Transport."""
        self._wire.close()

    def _put(self, root: str, entry: Entry) -> None:
        if entry.kind != FILE:
            self._wire.put(entry.plain(), 0, None)
            return
        with local.opened(root, entry.path) as stream:
            self._wire.put(entry.plain(), entry.size, stream)

    def _in_bulk(self, root: str, entries: Sequence[Entry], progress: Progress | None) -> str:
        if not self._has_rsync:
            raise OutsideProgramError(
                f"There is no rsync on {self._wire.login}.", hint="Install it there: apt-get install rsync"
            )
        # Where thousands of small files go through one folder on their way, it takes half as long again.
        small = [entry for entry in entries if entry.size < _LARGE_BYTES]
        large = [entry for entry in entries if entry.size >= _LARGE_BYTES]
        before = sum(entry.size for entry in small)
        said = self._rsync(root, small, "", progress)
        later = (lambda sent: progress(before + sent)) if progress else None
        return self._rsync(root, large, self._there["part"], later) or said

    def _rsync(self, root: str, entries: Sequence[Entry], part: str, progress: Progress | None) -> str:
        if not entries:
            return ""
        host = _bracketed(self._host)
        return rsync.send(
            root,
            [entry.path for entry in entries],
            shell=self._wire.words("ControlMaster=no"),
            to=f"{self._user}@{host}" if self._user else host,
            staging=self._there["staging"],
            part=part,
            progress=progress,
        )


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
