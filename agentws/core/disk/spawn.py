"""Running a program with posix_spawn and capturing its output; loading subprocess would take as long as git."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Mapping

_PIECE_BYTES = 1 << 16
_STANDARD = 3
_SIGPIPE, _SIGXFSZ = 13, 25
"""Python ignores these two signals, and a child that inherits that goes on writing to a closed pipe."""
_SIGTERM, _SIGKILL = 15, 9
_MOMENTS, _MOMENT_S = 2_000, 0.001
_LOOKS, _LOOK_S = 100, 0.02
"""How often, and at which interval, a program that was asked to end is checked."""


def run(
    argv: list[str], *, env: Mapping[str, str], stdin: bytes | int = b"", timeout_s: float
) -> tuple[int, bytes, bytes]:
    """Spawn a program found on PATH; returns exit status (negative: the signal), output and error text.

    `stdin` is what it reads, or the descriptor from which it does.
    OSError if it cannot be started, or if its status is lost because this process ignores SIGCHLD; TimeoutError, after
    ending the program, if it takes too long.
    """
    pipes = _Pipes()
    try:
        (source, give), (out, sink), (position, complaint) = pipes.make(), pipes.make(), pipes.make()
        if isinstance(stdin, int):
            os.dup2(stdin, source, inheritable=False)
            stdin = b""
        pid = _start(argv, env, (source, sink, complaint))
        try:
            for fd in (source, sink, complaint):
                pipes.close(fd)
            heard = _converse(pipes, give, stdin, (out, position), until=time.monotonic() + timeout_s)
        except BaseException:
            _end(pid)
            raise
        status = os.waitpid(pid, 0)[1]
    finally:
        pipes.close_all()
    return os.waitstatus_to_exitcode(status), heard[out], heard[position]


def _start(argv: list[str], env: Mapping[str, str], standard: tuple[int, int, int]) -> int:
    """Start a program with these pipe ends as its standard streams; returns its process id."""
    ends = [(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate(standard)]
    return os.posix_spawnp(argv[0], argv, env, file_actions=ends, setsigdef=(_SIGPIPE, _SIGXFSZ))


def _end(pid: int) -> None:
    """End the program: with SIGTERM first, so that git removes its lock files, which would block later commands."""
    try:
        os.kill(pid, _SIGTERM)
        for _ in range(_LOOKS):
            if os.waitpid(pid, os.WNOHANG)[0]:
                return
            time.sleep(_LOOK_S)
        os.kill(pid, _SIGKILL)
        os.waitpid(pid, 0)
    except (ChildProcessError, ProcessLookupError):
        return  # the program has ended, and its status is lost


class Aside:
    """A program spawned to run beside this process, without input. OSError if it cannot be started."""

    def __init__(self, argv: list[str], *, env: Mapping[str, str]) -> None:
        self._pipes = _Pipes()
        try:
            (source, _), (self._told, complaint) = self._pipes.make(), self._pipes.make()
            self._pid = _start(argv, env, (source, complaint, complaint))
            self._pipes.close(complaint)
        except BaseException:
            self._pipes.close_all()
            raise

    def wait(self, timeout_s: float) -> tuple[int | None, bytes]:
        """Return exit status and output once the spawned program ends or closes its output; after the timeout, or if it
        is lost, the status is None.
        """
        poll, output, until = select.poll(), bytearray(), time.monotonic() + timeout_s
        poll.register(self._told, select.POLLIN)
        try:
            while poll.poll(max(0.0, until - time.monotonic()) * 1000):
                if not (piece := os.read(self._told, _PIECE_BYTES)):
                    return self._status(), bytes(output)
                output += piece
            return None, bytes(output)
        finally:
            self.end()

    def _status(self) -> int | None:
        for _ in range(_MOMENTS):
            try:
                pid, status = os.waitpid(self._pid, os.WNOHANG)
            except ChildProcessError:
                pid, status = self._pid, -1
            if pid:
                self._pid = 0
                return os.waitstatus_to_exitcode(status) if status >= 0 else None
            time.sleep(_MOMENT_S)
        return None

    def end(self) -> None:
        """End the spawned program if it still runs."""
        if self._pid:
            _end(self._pid)
            self._pid = 0
        self._pipes.close_all()


class _Pipes:
    """Pipes of which each end is closed only once: another thread may get the same number right after."""

    def __init__(self) -> None:
        self._open: set[int] = set()

    def make(self) -> tuple[int, int]:
        """Return the read and write ends of a new pipe, neither of them a standard stream."""
        reading, writing = os.pipe()
        if min(reading, writing) < _STANDARD:  # those are closed here
            import fcntl

            low = (reading, writing)
            reading, writing = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _STANDARD) for fd in low)
            for fd in low:
                os.close(fd)
        self._open |= {reading, writing}
        return reading, writing

    def close(self, fd: int) -> None:
        self._open.discard(fd)
        os.close(fd)

    def close_all(self) -> None:
        while self._open:
            os.close(self._open.pop())


def _converse(pipes: _Pipes, give: int, stdin: bytes, hear: tuple[int, ...], *, until: float) -> dict[int, bytes]:
    """Write `stdin` to `give` and read the other pipes to their end; returns the output of each."""
    outputs = {fd: bytearray() for fd in hear}
    poll, rest, left = select.poll(), memoryview(stdin), len(hear)
    for fd in hear:
        poll.register(fd, select.POLLIN)
    if rest:
        os.set_blocking(give, False)
        poll.register(give, select.POLLOUT)
    else:
        pipes.close(give)
    while left:
        wait_s = until - time.monotonic()
        if wait_s <= 0:
            raise TimeoutError
        for fd, _ in poll.poll(wait_s * 1000):
            if fd == give:
                try:
                    rest = rest[os.write(give, rest[:_PIECE_BYTES]) :]
                except BrokenPipeError:  # it has read enough
                    rest = rest[:0]
                if not rest:
                    poll.unregister(give)
                    pipes.close(give)
                continue
            piece = os.read(fd, _PIECE_BYTES)
            outputs[fd] += piece
            if not piece:
                poll.unregister(fd)
                left -= 1
    return {fd: bytes(text) for fd, text in outputs.items()}
