"""The shared ssh connection of a sync: opened in the background while the local files are read."""

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
"""The exit status of ssh if it could not connect or log in."""


class Connection:
    """One ssh connection for all requests of a sync, shared by a control socket in a private folder."""

    def __init__(self) -> None:
        self._folder = ""
        self.is_up = False
        """Whether ssh has connected and logged in."""
        self._due: spawn.Aside | None = None

    def folder(self) -> str:
        """Return the folder of the control socket; empty if it cannot be made."""
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
        """Return whether a connection was begun and not yet waited for."""
        return self._due is not None

    def begin(self, url: str) -> None:
        """Begin to connect to the host of an ssh URL, without waiting; other URLs are ignored."""
        host = _host(url)
        if not host or not self.folder():
            return
        try:
            self._due = spawn.Aside([*plumbing.ssh(self._folder), "-N", *host], env=dict(os.environ))  # noqa: TID251
        except OSError:
            return  # git says what is wrong

    def wait(self, timeout_s: float) -> None:
        """Wait for the connection that was begun. OutsideProgramError if ssh cannot connect or log in.

        After any other failure git connects by itself.
        """
        if self._due is None:
            return
        due, self._due = self._due, None
        status, text = due.wait(timeout_s)
        self.is_up = status == 0 and os.path.exists(f"{self._folder}/{_SOCKET}")
        if status == _NOT_CONNECTED:
            raise OutsideProgramError(f"ssh failed: {text.decode('utf-8', 'replace').strip()[:500]}")

    def close(self) -> None:
        """Close the connection and remove its folder."""
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
    """Return ssh's arguments for the host of an ssh URL; empty for other URLs and unusual host names."""
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
