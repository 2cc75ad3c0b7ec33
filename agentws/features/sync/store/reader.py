"""Read git objects through one `git cat-file --batch` process, for as long as a sync lasts."""

from __future__ import annotations

import os
import select
import time

from agentws.core.states import plumbing
from agentws.errors import DamagedError, OutsideProgramError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LARGEST_BYTES = 64 << 20
"""Limit for a synced file or tree: a pack of a few kilobytes may unpack to gigabytes."""
_AT_ONCE = 512
"""Number of ids written before an answer is read: they fit into a pipe."""
_PIECE_BYTES = 1 << 16
_PATIENCE_S = 120.0
_MEMORY_KIB = 4 << 20
_BOUNDED = f'ulimit -v {_MEMORY_KIB} 2>/dev/null; exec "$0" "$@"'
"""An object made of others may be as large as these allow, and git makes it whole before it tells its size."""


class Reader:
    """Reads the objects of the repository at `git_dir`; the git process starts with the first request."""

    def __init__(self, git_dir: str, cwd: str) -> None:
        self._git_dir, self._cwd = git_dir, cwd
        self._pid = self._give = self._hear = -1
        self._held = bytearray()

    def read(self, oids: Sequence[str], *, limit_bytes: int = LARGEST_BYTES) -> Iterator[tuple[str, str, bytes]]:
        """Yield (id, kind, content) of each object in order; kind is empty for a missing one.

        DamagedError for an object larger than `limit_bytes`, whose content is not read.
        """
        for at in range(0, len(oids), _AT_ONCE):
            some = oids[at : at + _AT_ONCE]
            self._ask(some)
            left = len(some)
            try:
                for oid in some:
                    found = self._answer(oid, limit_bytes)
                    left -= 1
                    yield found
            finally:
                if left:
                    self.close()  # somebody has lost interest; its answers would be taken for others'

    def close(self) -> None:
        """End the git process."""
        if self._pid < 0:
            return
        for fd in (self._give, self._hear):
            os.close(fd)
        try:
            os.kill(self._pid, 9)  # it only reads
            os.waitpid(self._pid, 0)
        except (ChildProcessError, ProcessLookupError):
            pass
        self._pid = self._give = self._hear = -1
        self._held.clear()

    def _ask(self, oids: Sequence[str]) -> None:
        if self._pid < 0:
            self._start()
        try:
            rest = memoryview("".join(f"{oid}\n" for oid in oids).encode())
            while rest:
                rest = rest[os.write(self._give, rest) :]
        except BrokenPipeError as error:
            raise self._ended() from error

    def _answer(self, oid: str, limit_bytes: int) -> tuple[str, str, bytes]:
        _, kind, *size = self._line().split(" ")
        if not size:
            return oid, "", b""  # "missing"
        length = int(size[0])
        if length > limit_bytes:
            raise DamagedError(
                f"An object of the sync has {length >> 20} MiB; agentws takes at most {limit_bytes >> 20}.",
                hint="Another program wrote into this repository. Use another repository.",
            )
        data = self._exactly(length + 1)
        return oid, kind, data[:-1]

    def _line(self) -> str:
        while (end := self._held.find(b"\n")) < 0:
            self._more()
        line = self._held[:end].decode("utf-8", "replace")
        del self._held[: end + 1]
        return line

    def _exactly(self, size: int) -> bytes:
        while len(self._held) < size:
            self._more()
        data = bytes(self._held[:size])
        del self._held[:size]
        return data

    def _more(self) -> None:
        until = time.monotonic() + _PATIENCE_S
        poll = select.poll()
        poll.register(self._hear, select.POLLIN)
        if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
            self.close()
            raise OutsideProgramError(f"git cat-file did not answer within {_PATIENCE_S:g} s.", hint="Check the disk.")
        piece = os.read(self._hear, _PIECE_BYTES)
        if not piece:
            raise self._ended()
        self._held += piece

    def _start(self) -> None:
        argv, env = plumbing.hermetic("cat-file", "--batch", cwd=self._cwd, git_dir=self._git_dir)
        fds: list[int] = []
        try:
            fds += os.pipe()
            fds += os.pipe()
            fds.append(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC))
            source, give, hear, sink, nowhere = fds
            # Names beyond the three that every program begins with: none of them is written over by another.
            actions = [(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate((source, sink, nowhere))]
            if min(fds) <= 2:
                raise OutsideProgramError("git cannot be started without standard input and output.")
            pid = os.posix_spawn(
                "/bin/sh", ["/bin/sh", "-c", _BOUNDED, *argv], env, file_actions=actions, setsigdef=(13, 25)
            )
        except OSError as error:
            for fd in fds:
                os.close(fd)
            raise OutsideProgramError(f"git could not be started: {error}.") from error
        for fd in (source, sink, nowhere):
            os.close(fd)
        self._pid, self._give, self._hear = pid, give, hear

    def _ended(self) -> DamagedError:
        self.close()
        return DamagedError(
            "git cannot read an object of the sync: its repository is damaged, or the object too large.",
            hint="Remove .agentws/sync/repo.git and sync again.",
        )
