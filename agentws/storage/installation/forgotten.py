"""What was forgotten on this machine: the calls of `forget`, and the digest of each line that went.

It stands in the state of the installation, so that no remote that is met for the first time, or once more, brings it
back. A line is told by a digest with a salt of this file's own: who guesses a whole line can confirm it, nobody can
read it.
"""

from __future__ import annotations

import os

from agentws.errors import AgentwsError, MissingFileError
from agentws.formats import digest
from agentws.formats.json import plainjson
from agentws.storage.disk import files as _files
from agentws.storage.installation import installation, state_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.storage.installation.state_dir import State

_NAME = "forgotten"
_MOST_BYTES = 1 << 23
_MOST_CALLS = 64
"""As many as the first state of an epoch tells of."""
_MOST_LINES = 50_000
"""The newest ones; the words of those before them are told by no digest any more."""
_SALT_BYTES = 32


class Forgotten:
    """The `calls` of `forget`, the oldest first, and the `digests` of lines, made with the `salt`."""

    __slots__ = ("calls", "digests", "salt")

    def __init__(self, salt: str = "", calls: Iterable[str] = (), digests: Iterable[str] = ()) -> None:
        self.salt = salt
        self.calls = [*calls]
        self.digests = dict.fromkeys(digests)

    def holds(self, line: bytes) -> bool:
        """Return whether this line was forgotten here."""
        return bool(self.digests) and self._of(line) in self.digests

    def add(self, calls: Iterable[str], lines: Iterable[bytes]) -> None:
        """Take more of both; of too many the oldest go."""
        self.salt = self.salt or os.urandom(_SALT_BYTES).hex()
        self.calls = [*dict.fromkeys([*self.calls, *calls])][-_MOST_CALLS:]
        self.digests |= dict.fromkeys(map(self._of, lines))
        self.digests = dict.fromkeys([*self.digests][-_MOST_LINES:])

    def _of(self, line: bytes) -> str:
        return digest.quick(line.strip(), bytes.fromhex(self.salt))


def read(files: _files.Files, agent: str, state: State) -> Forgotten:
    """Return what is noted; nothing where it cannot be read. DiskError where the disk fails."""
    try:
        told = plainjson.loads(
            _files.Files(installation.place(files, agent, state)).read(_NAME, limit_bytes=_MOST_BYTES)
        )
        bytes.fromhex(told["salt"])
        return Forgotten(str(told["salt"]), map(str, told["calls"]), map(str, told["lines"]))
    except AgentwsError as error:
        if installation.is_failing(error):
            raise
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return Forgotten()


def note(files: _files.Files, agent: str, state: State, calls: Iterable[str], lines: Iterable[bytes] = ()) -> None:
    """Note calls of `forget` and the lines that go, durably."""
    known = read(files, agent, state)
    known.add(calls, lines)
    here = installation.find(files, agent, state)
    folder = here.folder if here is not None else state_dir.ensure(files, agent, state)
    try:
        state_dir.make(folder)
    except OSError as error:
        raise _files.failure(error, folder) from error
    told = {"agentws": 1, "salt": known.salt, "calls": known.calls, "lines": [*known.digests]}
    own = _files.Files(folder)
    try:
        before = digest.of(own.read(_NAME, limit_bytes=_MOST_BYTES))
    except MissingFileError:
        before = digest.ABSENT
    own.replace(_NAME, plainjson.dumps(told).encode() + b"\n", expects=before)
