"""A program of ours run once, to see that it runs and how long it takes."""

from __future__ import annotations

import time

from agentws.errors import OutsideProgramError

_TIMEOUT_S = 120


def run(words: list[str]) -> tuple[bytes, int]:
    """What the program prints, and the milliseconds it took. OutsideProgramError where it fails."""
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
        f"{words[0]}: the command that hooks would call does not run: {why or 'it says nothing'}.",
        hint=f"Try it yourself: {' '.join(words[:4])}. Nothing was changed.",
    )
