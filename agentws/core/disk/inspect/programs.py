"""Programs named in settings: whether they exist and can be run; a test run."""

from __future__ import annotations

import os
import stat
import time

from agentws.core.disk import locate
from agentws.errors import DiskError, OutsideProgramError


def runs(path: str) -> bool:
    """Return whether this absolute path is a program that this user may run."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode) and os.access(path, os.X_OK)
    except OSError:
        return False


def is_same(name: str, other: str) -> bool:
    """Return whether two paths named in a program's settings lead to one file or folder."""
    return os.path.realpath(name) == os.path.realpath(other)


def is_workspace(folder: str) -> bool:
    """Return whether this absolute path, named in a program's settings, is a workspace; False if its disk fails."""
    try:
        return locate.has_manifest(folder)
    except DiskError:
        return False


_TIMEOUT_S = 120


def try_run(words: list[str]) -> tuple[bytes, int]:
    """Run a program; returns its output, and the milliseconds it took. OutsideProgramError if it fails."""
    import subprocess

    begun = time.perf_counter()
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _failed(words, str(error)) from error
    took_ms = round((time.perf_counter() - begun) * 1000)
    if done.returncode:
        raise _failed(words, done.stderr.decode("utf-8", "replace").strip().partition("\n")[0])
    return done.stdout, took_ms


def _failed(words: list[str], why: str) -> OutsideProgramError:
    return OutsideProgramError(
        f"{words[0]}: the command for hooks failed: {why or 'no output'}.",
        hint=f"Nothing was changed. Try the command: {' '.join(words[:4])}",
    )
