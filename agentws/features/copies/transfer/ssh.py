"""Transport to another machine by ssh: rsync for the bulk of it, the open connection for what is small."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

from agentws.core.formats.travel.inventory import TreeEntry
from agentws.errors import OutsideProgramError
from agentws.features.copies.transfer import ssh_channel
from agentws.features.copies.transfer.transport import Progress, Source, Transport

_FEW = 100
_SMALL_BYTES = 1 << 20
"""So little is sent through the connection that stands: rsync would take longer to start."""
_LARGE_BYTES = 1 << 20
"""Of a file that is so large, what has arrived is kept where the connection breaks."""


class OverSsh(ssh_channel.Wire, Transport):
    """A machine that ssh reaches without a question."""

    def __init__(self, host: str, user: str) -> None:
        super().__init__(f"{user}@{host}" if user else host)
        self._host = host
        self._user = user
        self._there: dict[str, str] = {}
        self._has_rsync = False

    def inspect(self, path: str, migration: str) -> dict[str, Any]:
        """See Transport."""
        state = super().inspect(path, migration)
        self._has_rsync = state["rsync"]
        return state

    def prepare(self, attempt: str) -> None:
        """See Transport."""
        self._there = self.ask("prepare", attempt=attempt)

    def send(self, source: Source, entries: Sequence[TreeEntry], progress: Progress | None = None) -> str:
        """See Transport."""
        bulk = ""
        if len(entries) > _FEW or sum(entry.size for entry in entries) > _SMALL_BYTES:
            bulk = self._in_bulk(source.root, [entry for entry in entries if entry.path not in source.texts], progress)
            entries, progress = [entry for entry in entries if entry.path in source.texts], None
        complaint = super().send(source, entries, progress)
        self.ask("drop", paths=[])
        return complaint or bulk

    def _in_bulk(self, root: str, entries: Sequence[TreeEntry], progress: Progress | None) -> str:
        if not self._has_rsync:
            raise OutsideProgramError(
                f"rsync was not found on {self.login}.", hint="Install rsync there: apt-get install rsync"
            )
        # Where thousands of small files go through one folder on their way, it takes half as long again.
        small = [entry for entry in entries if entry.size < _LARGE_BYTES]
        large = [entry for entry in entries if entry.size >= _LARGE_BYTES]
        before = sum(entry.size for entry in small)
        rsync = self._rsync(root, small, "", progress)
        later = (lambda sent: progress(before + sent)) if progress else None
        return self._rsync(root, large, self._there["part"], later) or rsync

    def _rsync(self, root: str, entries: Sequence[TreeEntry], part: str, progress: Progress | None) -> str:
        """Send these entries of the tree at `root`; return rsync's messages about files that vanished meanwhile.

        With `part`, a folder there, files on their way lie in it, and stay there where the connection breaks: the next
        try goes on with them. OutsideProgramError.
        """
        if not entries:
            return ""
        program = shutil.which("rsync")
        if program is None:
            raise OutsideProgramError("rsync was not found on PATH.", hint="Install rsync: apt-get install rsync")
        host = f"[{self._host}]" if ":" in self._host else self._host
        to = f"{self._user}@{host}" if self._user else host
        beside = [f"--partial-dir={part}", f"--temp-dir={part}"] if part else []
        shell = shlex.join(self.words("ControlMaster=no"))
        words = [program, *_WORDS, *beside, "-e", shell, "--", f"{root}/", f"{to}:{self._there['staging']}/"]
        with tempfile.TemporaryFile() as listed, tempfile.TemporaryFile() as file:
            listed.write(b"".join(os.fsencode(entry.path) + b"\0" for entry in entries))
            listed.seek(0)
            process = subprocess.Popen(
                words,
                stdin=listed,
                stdout=subprocess.PIPE,
                stderr=file,
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
            return _ending(code, file)


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
"""Links as they are, modes (as core/formats/travel/inventory.py lets them travel) and times; paths on standard input,
and none that a shell over there would see."""
_SOME_WENT = (23, 24)
_SAID_BYTES = 2000
_ON_DEATH = 1


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


def _ending(code: int, binary_io: BinaryIO) -> str:
    if code == 0:
        return ""
    size = binary_io.seek(0, os.SEEK_END)
    binary_io.seek(max(0, size - _SAID_BYTES))
    words = " ".join(binary_io.read().decode("utf-8", "replace").split())
    if code in _SOME_WENT:
        return words
    full = "no space left" in words.lower() or "quota" in words.lower()
    hint = "Free some space at the destination. Then re-run" if full else "Re-run"
    raise OutsideProgramError(f"rsync failed with code {code}: {words}", hint=f"{hint} the same command to resume.")


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
