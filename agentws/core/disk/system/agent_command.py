"""Running the agent of the user's settings (`[agent] command`) for one task: prompt on stdin, output to a log."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from agentws.core.disk.system import summarizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Handler = Callable[[int, Any], Any] | int | signal.Handlers

_SESSION = "AGENTWS_SESSION"
_TERMINATED = 143


class Outcome:
    """The end of an agent's run: its exit `code` (None if it never ran), or the `failure` that ended it."""

    def __init__(self, code: int | None, failure: str = "") -> None:
        self.code = code
        self.failure = failure

    @property
    def is_done(self) -> bool:
        """Return whether the agent's command ended by itself, with exit code 0."""
        return self.code == 0 and not self.failure


def run(line: str, prompt: str, *, root: str, log: str, timeout_s: float, started: Callable[[int], None]) -> Outcome:
    """Run the agent's command in the workspace at `root` until it ends, at most `timeout_s`; `log` receives its output.

    `started` is called with its process id before the prompt is sent, so that nobody starts it again meanwhile. Its
    hooks record as always. At the timeout, or when this process is asked to end, it is ended with all its children.
    """
    words, program, failure = summarizer.parse(line)
    if failure:
        return Outcome(None, failure)
    # Its hooks find this installation by the same variables; but it is a session of its own.
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
        summarizer.end(process)
        if before is not None:
            signal.signal(signal.SIGTERM, before)


def _ends_with_us() -> Handler | None:
    """Make SIGTERM leave running `with` and `finally` blocks; returns the former handler, None for none."""
    try:
        return signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))
    except ValueError:
        return None  # not the main thread: who asked for the run ends it
