"""The command line in a forked child: what the program does from its first call on, without a new interpreter.

To start an interpreter and import what a verb needs costs several times what the verb does; here all is imported once,
before the first fork. That the program starts, and imports what each door needs, is checked where it runs as it is
installed: sessions, cli/test_main.py, cli/test_interrupt.py, test_imports.py.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import gc
import os
import pkgutil
import pty
import signal
import struct
import sys
import tempfile
import termios
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import agentws
from agentws import cli
from tests import optional

AGENTWS = str(Path(sys.executable).with_name("agentws"))
_BESIDES = ("encodings.utf_8_sig", "hashlib", "mmap", "tomllib", "typer._click.decorators")
"""What verbs import only while they run."""


def run(
    *words: str | bytes,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    given: bytes = b"",
    stdin: int | None = None,
    guard_s: int = 60,
    before: Callable[[], None] | None = None,
) -> CompletedProcess[bytes]:
    """What `agentws WORDS` does and prints; it reads what is `given`, or the open file `stdin`.

    `before` is called in the child first. What hangs longer than `guard_s` is killed.
    """
    with tempfile.TemporaryFile() as fed, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        fed.write(given)
        fed.seek(0)
        streams = (fed.fileno() if stdin is None else stdin, out.fileno(), err.fileno())
        code = end(begin(*words, streams=streams, cwd=cwd, env=env, guard_s=guard_s, before=before))
        out.seek(0)
        err.seek(0)
        return CompletedProcess([AGENTWS, *words], code, out.read(), err.read())


def run_text(*words: str, given: str = "", **more: Any) -> CompletedProcess[str]:
    """`run` for who gives and reads text."""
    done = run(*words, given=given.encode(), **more)
    return CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def begin(
    *words: str | bytes,
    streams: tuple[int, int, int],
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    guard_s: int = 60,
    before: Callable[[], None] | None = None,
) -> int:
    """The process of `agentws WORDS` with these files as its standard streams."""
    import_all()
    surroundings = dict(os.environ if env is None else env)  # a copy: the child empties its own first
    with warnings.catch_warnings():
        # A test runner's own threads hold nothing that the child needs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            _become([os.fsdecode(word) for word in words], streams, cwd, surroundings)
            signal.alarm(guard_s)
            if before is not None:
                before()
            cli.start()
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(70)
    return child


def end(child: int) -> int:
    """The exit code of the process, as subprocess tells it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Piped:
    """`agentws WORDS` with pipes for its standard input and output, which serves until its input ends."""

    def __init__(self, *words: str, env: Mapping[str, str] | None = None, guard_s: int = 600) -> None:
        (given, stdin), (stdout, out) = os.pipe(), os.pipe()
        with open(os.devnull, "wb") as nothing:
            streams = (given, out, nothing.fileno())
            self.pid = begin(
                *words, streams=streams, env=env, guard_s=guard_s, before=lambda: os.closerange(3, 1 << 16)
            )
        os.close(given)
        os.close(out)
        self.stdin, self.stdout = open(stdin, "wb"), open(stdout, "rb")  # noqa: SIM115 - as long as the process
        self._code: int | None = None

    def send_signal(self, number: int) -> None:
        """Send the process a signal."""
        os.kill(self.pid, number)

    def wait(self) -> int:
        """Return the exit code once the process has ended."""
        if self._code is None:
            self._code = end(self.pid)
        return self._code


def on_a_terminal(*words: str, typed: str = "", columns: int = 80, **more: Any) -> tuple[int, str]:
    """(exit code, what the terminal shows) of the command with a terminal for its streams, on which this is typed."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.write(master, typed.encode())
    child = begin(*words, streams=(terminal,) * 3, **more)
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # what a terminal that nobody holds any more says to its other end
        while piece := os.read(master, 1 << 16):
            shown += piece
    os.close(master)
    return end(child), shown.decode()


def fork(child: Callable[[], None]) -> int:
    """Return the process that calls `child` and ends."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the test runner's own threads hold nothing of ours
        pid = os.fork()
    if pid == 0:
        try:
            child()
        finally:
            os._exit(0)
    return pid


@functools.cache
def import_all() -> None:
    """Have every module of the program, so that no child imports it for itself."""
    ours = (found.name for found in pkgutil.walk_packages(agentws.__path__, "agentws."))
    for name in (*ours, *_BESIDES):
        if not name.endswith("__main__"):
            optional.imported(name)


def _become(words: list[str], streams: tuple[int, int, int], cwd: str | Path | None, env: Mapping[str, str]) -> None:
    """Be what an interpreter is that was started so: its streams, its surroundings, and nobody's handlers."""
    gc.freeze()  # to look through all that the test runner holds would copy it
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = [AGENTWS, *words]
    sys.excepthook, sys.unraisablehook = sys.__excepthook__, sys.__unraisablehook__
    warnings.simplefilter("ignore")
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    if cwd is not None:
        os.chdir(cwd)
