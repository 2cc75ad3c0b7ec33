"""The record of forgotten text on this machine: the calls of `forget`, and a digest of each removed line.

Kept in the installation's state, so that a sync with an old remote does not bring the lines back. The digests are
salted: whoever guesses a whole line can confirm it, nobody can read it.
"""

from __future__ import annotations

import os

from agentws.core.formats import digest
from agentws.core.installation import state_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.installation.state_dir import State

_NAME = "forgotten"
_MOST_BYTES = 1 << 23
_MOST_CALLS = 64
"""As many as the first state of an epoch lists."""
_MOST_LINES = 50_000
"""The number of newest digests kept; older lines are no longer recognized."""
_SALT_BYTES = 32


class Forgotten:
    """Forgotten text: the `calls` of `forget`, oldest first, and the `digests` of lines, made with the `salt`."""

    __slots__ = ("calls", "digests", "salt")

    def __init__(self, salt: str = "", calls: Iterable[str] = (), digests: Iterable[str] = ()) -> None:
        self.salt = salt
        self.calls = [*calls]
        self.digests = dict.fromkeys(digests)

    def holds(self, line: bytes) -> bool:
        """Return whether this line was forgotten here."""
        return bool(self.digests) and self._of(line) in self.digests

    def add(self, calls: Iterable[str], lines: Iterable[bytes]) -> None:
        """Add forgotten lines and the calls; beyond the limits the oldest are dropped."""
        self.salt = self.salt or os.urandom(_SALT_BYTES).hex()
        self.calls = [*dict.fromkeys([*self.calls, *calls])][-_MOST_CALLS:]
        self.digests |= dict.fromkeys(map(self._of, lines))
        self.digests = dict.fromkeys([*self.digests][-_MOST_LINES:])

    def _of(self, line: bytes) -> str:
        return digest.quick(line.strip(), bytes.fromhex(self.salt))


def read(files: Files, agent: str, state: State) -> Forgotten:
    """Return the record of forgotten text, empty if unreadable. DiskError if the disk fails."""
    return state_file.read(files, agent, state, _NAME, _decode, limit_bytes=_MOST_BYTES) or Forgotten()


def note(files: Files, agent: str, state: State, calls: Iterable[str], lines: Iterable[bytes] = ()) -> None:
    """Record calls of `forget` and the forgotten lines, durably."""

    def added(present: Forgotten | None) -> dict[str, object]:
        known = present or Forgotten()
        known.add(calls, lines)
        return {"agentws": 1, "salt": known.salt, "calls": known.calls, "lines": [*known.digests]}

    state_file.update(files, agent, state, _NAME, _decode, added, limit_bytes=_MOST_BYTES)


def _decode(fields: Mapping[str, Any]) -> Forgotten:
    bytes.fromhex(fields["salt"])
    return Forgotten(str(fields["salt"]), map(str, fields["calls"]), map(str, fields["lines"]))
