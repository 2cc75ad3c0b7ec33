"""The connection of ssh that all of a sync goes over: begun at once, and made while the files here are looked at."""

from __future__ import annotations

import contextlib
import os

from agentws.core.disk import spawn
from agentws.core.states import plumbing
from agentws.errors import OutsideProgramError

_SHORT = "/tmp"  # noqa: S108 - what is made in it is nobody else's
_SOCKET = "c"
_HOST_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@"
_NOT_CONNECTED = 255
"""The status by which ssh says that it has not reached the host, or was not let in."""


class Connection:
    """What this run asks a server goes over one connection, by a socket in a folder of its own."""

    def __init__(self) -> None:
        self._folder = ""
        self.is_up = False
        """Whether the host has answered, and let us in."""
        self._due: spawn.Aside | None = None

    def folder(self) -> str:
        """The folder; empty where none can be made."""
        if self._folder:
            return self._folder
        made = f"{_SHORT}/agentws-{os.urandom(8).hex()}"  # a socket's path may have some hundred bytes
        try:
            os.mkdir(made, 0o700)
        except OSError:
            return ""
        self._folder = made
        return made

    @property
    def is_due(self) -> bool:
        """Return whether something was begun that nobody has waited for."""
        return self._due is not None

    def begin(self, url: str) -> None:
        """Begin to connect to the host of a URL, if it is one of ssh; nobody waits for it yet."""
        host = _host(url)
        if not host or not self.folder():
            return
        try:
            self._due = spawn.Aside([*plumbing.ssh(self._folder), "-N", *host], env=dict(os.environ))  # noqa: TID251
        except OSError:
            return  # git says what is wrong

    def wait(self, timeout_s: float) -> None:
        """Wait until what was begun is there. OutsideProgramError where the host is away or does not let us in; where
        it cannot be told, git tries by itself.
        """
        if self._due is None:
            return
        due, self._due = self._due, None
        status, text = due.wait(timeout_s)
        self.is_up = status == 0 and os.path.exists(f"{self._folder}/{_SOCKET}")
        if status == _NOT_CONNECTED:
            raise OutsideProgramError(f"ssh failed: {text.decode('utf-8', 'replace').strip()[:500]}")

    def close(self) -> None:
        """Let nobody use it any more: then it ends by itself."""
        if self._due is not None:
            self._due.end()
            self._due = None
        if self._folder:
            with contextlib.suppress(OSError):
                for name in os.listdir(self._folder):
                    os.unlink(f"{self._folder}/{name}")
                os.rmdir(self._folder)
            self._folder = ""


def _host(url: str) -> list[str]:
    """The host in a URL of ssh, as ssh is told it; empty for any other, and for one that is not plain."""
    scheme, mark, rest = url.partition("://")
    if mark and scheme.lower() != "ssh":
        return []
    host, colon, _ = rest.partition("/") if mark else url.partition(":")
    if not mark and not colon:
        return []
    host, _, port = host.partition(":")
    if not host or host.startswith("-") or host.strip(_HOST_CHARS) or (port and not port.isdecimal()):
        return []
    return [*(["-p", port] if port else []), host]
