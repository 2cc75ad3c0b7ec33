"""The user's programs: the summarizer, the request on its stdin, bullets on its stdout; the agent, its output to a log.

They run without a shell, with the user's environment except agentws's variables; the summarizer in a temporary folder,
so it has no access to the workspace. At the timeout, or when this process ends, a program is ended with all its
children. Specified in docs/format/config.md.
"""

from __future__ import annotations

import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from agentws.core import Record
from agentws.core.formats.secrets import secrets
from agentws.core.text import sanitize

Handler = Callable[[int, Any], Any] | int | signal.Handlers


TIMEOUT_S = 120.0
MOST_BYTES = 1 << 20
_OURS = "AGENTWS_"
_NO_HOOKS = "AGENTWS_NO_HOOKS"
"""A summarizer that is itself an agent's host must not record its work in this workspace."""
_TICK_S = 0.1
_PIECE = 1 << 16
_SAID_CHARS = 200
_LATE = "late"
SILENT = "no output"
"""The failure of a program that succeeded without output; it is not a failure for a program that is only notified."""


class Answer(Record):
    """The answer of the summarizer, or the reason for none."""

    text: str = ""
    failure: str = ""


class Command:
    """The summarizer's command line, such as `llm -m MODEL`, with `timeout_s` for each answer."""

    def __init__(self, line: str, *, timeout_s: float = TIMEOUT_S, most_bytes: int = MOST_BYTES) -> None:
        self._line = line
        self._timeout_s = timeout_s
        self._most_bytes = most_bytes

    def summarize(self, request: str) -> Answer:
        """Return the summarizer's answer to the request."""
        words, program, failure = parse(self._line)
        if failure:
            return Answer(failure=failure)
        try:
            with tempfile.TemporaryDirectory(prefix="agentws-summarizer-", ignore_cleanup_errors=True) as folder:
                return self._run([program, *words[1:]], request, folder)
        except OSError as error:
            return Answer(failure=f"it could not be started ({error.strerror or error})")

    def _run(self, words: list[str], request: str, folder: str) -> Answer:
        import subprocess

        pipe = subprocess.PIPE
        # A separate session: Ctrl-C in the terminal reaches us alone, and we end the whole group.
        process = subprocess.Popen(
            words, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=surroundings(folder), start_new_session=True
        )
        try:
            talk = _Talk(process, request.encode("utf-8", "replace"), self._most_bytes)
            failure = talk.hold(self._timeout_s)
        finally:
            end(process)
        return _answer(failure or _ending(process.returncode, talk.said), talk.answered)


def parse(line: str) -> tuple[list[str], str, str]:
    """Return (words, program's path, why it cannot be run, or empty) of a summarizer's or agent's command line."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        return [], "", f"its command line is invalid ({error})"
    if not words or "\0" in line:
        return [], "", "its command line is empty"
    program = _program(words[0])
    return words, program or "", "" if program else f"{words[0]} was not found on PATH; use an absolute path"


class _Talk:
    """Sends a program its request and reads its output at the same time, so that neither waits for the other."""

    def __init__(self, process: subprocess.Popen[bytes], request: bytes, most_bytes: int) -> None:
        import selectors

        self.answered, self.said = bytearray(), bytearray()
        self._process = process
        self._request = memoryview(request)
        self._most = most_bytes
        self._pipes: selectors.BaseSelector = selectors.DefaultSelector()
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None  # noqa: PT018
        self._in, self._out, self._errors = process.stdin.fileno(), process.stdout.fileno(), process.stderr.fileno()
        for number, event in ((self._in, selectors.EVENT_WRITE), (self._out, 1), (self._errors, 1)):
            os.set_blocking(number, False)
            self._pipes.register(number, event)

    def hold(self, timeout_s: float) -> str:
        """Serve the pipes until the program ends; returns why it must be ended, empty if it ended by itself."""
        deadline = time.monotonic() + timeout_s
        with self._pipes:
            while (failure := self._went_wrong(deadline)) is None:
                pass
        return f"no answer within {timeout_s:g} s" if failure == _LATE else failure

    def _went_wrong(self, deadline: float) -> str | None:
        """Return what failed, empty if the program has ended and all is read; None while it runs."""
        # A child of the program may keep the pipes open for ever: what counts is that the program has ended.
        has_ended = self._process.poll() is not None
        left = deadline - time.monotonic()
        for key, _ in self._pipes.select(0 if has_ended else max(0.0, min(left, _TICK_S))):
            self._serve(key.fd)
        if len(self.answered) > self._most:
            return f"its output exceeds {self._most} bytes"
        if has_ended and not self._has_more():
            return ""
        return _LATE if left <= 0 else None

    def _serve(self, number: int) -> None:
        if number == self._in:
            self._give()
        elif number == self._out:
            self.answered += self._take(number)
        else:
            self.said = (self.said + self._take(number))[-_PIECE:]

    def _give(self) -> None:
        try:
            count = os.write(self._in, self._request[:_PIECE])
        except BlockingIOError:
            return
        except OSError:
            count = len(self._request)  # it does not read; it may answer all the same
        self._request = self._request[count:]
        if not self._request and self._process.stdin is not None:
            self._pipes.unregister(self._in)
            self._process.stdin.close()

    def _take(self, number: int) -> bytes:
        try:
            piece = os.read(number, _PIECE)
        except BlockingIOError:
            return b""
        if not piece:
            self._pipes.unregister(number)
        return piece

    def _has_more(self) -> bool:
        """Return whether part of the answer is still in the pipe."""
        known = self._pipes.get_map()
        return self._out in known and any(key.fd == self._out for key, _ in self._pipes.select(0))


def _program(name: str) -> str | None:
    """Return the absolute path of a program, None for none."""
    value = shutil.which(os.path.expanduser(name))
    # One that is named relative to the present folder may be part of a workspace that somebody else has made.
    return value if value is not None and os.path.isabs(value) else None


def surroundings(folder: str) -> dict[str, str]:
    """Return the environment for the summarizer and commands like it: the user's, without agentws's variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}  # noqa: TID251
    kept.pop("OLDPWD", None)
    return {**kept, "PWD": folder, _NO_HOOKS: "1"}


def end(process: subprocess.Popen[bytes]) -> None:
    """End the summarizer, or a program like it, and all its children."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()  # the group is gone or may not be signalled: end the program alone
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _ending(status: int, output: bytes | bytearray) -> str:
    """Return what an exit status means, empty for success."""
    if status == 0:
        return ""
    text = sanitize.one_line(secrets.hide(output.decode("utf-8", "replace").strip())[0])
    why = f": {text[-_SAID_CHARS:]}" if text else ""
    return f"it was killed by signal {-status}{why}" if status < 0 else f"it exited with code {status}{why}"


def _answer(failure: str, answered: bytes | bytearray) -> Answer:
    if failure:
        return Answer(failure=failure)
    try:
        text = answered.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Answer(failure="its output is not UTF-8")
    return Answer(text) if text.strip() else Answer(failure=SILENT)


_SESSION = "AGENTWS_SESSION"
_TERMINATED = 143


class Outcome(Record):
    """The end of an agent's run: its exit `code` (None if it never ran), or the `failure` that ended it."""

    code: int | None
    failure: str = ""

    @property
    def is_done(self) -> bool:
        """Return whether the agent's command ended by itself, with exit code 0."""
        return self.code == 0 and not self.failure


def run(line: str, prompt: str, *, root: str, log: str, timeout_s: float, started: Callable[[int], None]) -> Outcome:
    """Run the agent's command in the workspace at `root` until it ends, at most `timeout_s`; `log` receives its output.

    `started` is called with its process id before the prompt is sent, so that nobody starts it again meanwhile. Its
    hooks record as always. At the timeout, or when this process is asked to end, it is ended with all its children.
    """
    words, program, failure = parse(line)
    if failure:
        return Outcome(None, failure)
    # Its hooks need the same variables to find this installation, but not the session: the program starts another.
    surroundings = {name: value for name, value in os.environ.items() if name != _SESSION}  # noqa: TID251
    # A schedule has a short PATH, and what the agent is asked to call is agentws.
    path = os.pathsep.join(filter(None, (os.path.dirname(sys.executable), surroundings.get("PATH", os.defpath))))
    surroundings |= {"PWD": root, "AGENTWS_WORKSPACE": root, "PATH": path}
    try:
        fd = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        return Outcome(None, f"its output cannot be written ({error.strerror or error})")
    try:
        process = subprocess.Popen(
            [program, *words[1:]],
            stdin=subprocess.PIPE,
            stdout=fd,
            stderr=fd,
            cwd=root,
            env=surroundings,
            start_new_session=True,
        )
    except OSError as error:
        return Outcome(None, f"it could not be started ({error.strerror or error})")
    finally:
        os.close(fd)
    before = _ends_with_us()
    try:
        started(process.pid)
        process.communicate(prompt.encode("utf-8", "replace"), timeout=timeout_s)
        return Outcome(process.returncode)
    except subprocess.TimeoutExpired:
        return Outcome(_TERMINATED, f"it did not end within {timeout_s:g} s")
    finally:
        end(process)
        if before is not None:
            signal.signal(signal.SIGTERM, before)


def _ends_with_us() -> Handler | None:
    """Make SIGTERM leave running `with` and `finally` blocks; returns the former handler, None for none."""
    try:
        return signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))
    except ValueError:
        return None  # not the main thread: who asked for the run ends it
