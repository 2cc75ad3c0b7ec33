"""rsync, told to send just what was chosen: it compares nothing, and what it sends is verified afterwards by us."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

from agentws.errors import OutsideProgramError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import BinaryIO

    from agentws.ports import Progress

_WORDS = (
    "--links",
    "--perms",
    "--chmod=ug-s,a-t,go-w",
    "--times",
    "--dirs",
    "--ignore-times",
    "--no-implied-dirs",
    "--secluded-args",
    "--from0",
    "--files-from=-",
    "--timeout=60",
    "--out-format=%l",
)
"""Links as they are, modes (as formats/travel/cargo.py lets them travel) and times; paths on standard input, and none
that a shell over there would see."""
_SOME_WENT = (23, 24)
_SAID_BYTES = 2000
_ON_DEATH = 1


def send(
    root: str,
    paths: Sequence[str],
    *,
    shell: list[str],
    to: str,
    staging: str,
    part: str = "",
    progress: Progress | None = None,
) -> str:
    """Send what stands at `paths` beneath `root` to the folder `staging` on the host `to`, which `shell` reaches.

    With `part`, a folder there, files on their way lie in it, and stay there where the connection breaks: the next try
    goes on with them. What went meanwhile is passed over; then rsync's words say so. OutsideProgramError.
    """
    program = shutil.which("rsync")
    if program is None:
        raise OutsideProgramError("There is no rsync here.", hint="Install it: apt-get install rsync")
    beside = [f"--partial-dir={part}", f"--temp-dir={part}"] if part else []
    words = [program, *_WORDS, *beside, "-e", shlex.join(shell), "--", f"{root}/", f"{to}:{staging}/"]
    with tempfile.TemporaryFile() as listed, tempfile.TemporaryFile() as said:
        listed.write(b"".join(os.fsencode(path) + b"\0" for path in paths))
        listed.seek(0)
        process = subprocess.Popen(
            words,
            stdin=listed,
            stdout=subprocess.PIPE,
            stderr=said,
            start_new_session=True,
            preexec_fn=_to_die_with_us(),  # noqa: PLW1509 - one call of the system, nothing of Python's
        )
        try:
            _follow(process, progress)
            code = process.wait()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        return _ending(code, said)


def _follow(process: subprocess.Popen[bytes], progress: Progress | None) -> None:
    """Add up the lengths that rsync tells, a line for each file that it has sent."""
    assert process.stdout is not None
    sent = 0
    with process.stdout as lines:
        for line in lines:
            if line.strip().isdigit():
                sent += int(line)
                if progress:
                    progress(sent)


def _ending(code: int, said: BinaryIO) -> str:
    if code == 0:
        return ""
    size = said.seek(0, os.SEEK_END)
    said.seek(max(0, size - _SAID_BYTES))
    words = " ".join(said.read().decode("utf-8", "replace").split())
    if code in _SOME_WENT:
        return words
    full = "no space left" in words.lower() or "quota" in words.lower()
    hint = "Free some space there. Then run" if full else "Run"
    raise OutsideProgramError(f"rsync ended with {code}: {words}", hint=f"{hint} the same again: it goes on from here.")


def _to_die_with_us() -> Callable[[], None] | None:
    """What lets a child be ended when we are killed: else it would go on writing while somebody tries again."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        control = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return None
    return lambda: control(_ON_DEATH, signal.SIGKILL)
