"""File systems that tests mount: in a mount namespace of the process that runs them.

So they go with the process, however it ends. One that outlived a killed run stood in the shared temporary folder, where
every later run failed while it tidied.
"""

from __future__ import annotations

import ctypes
import functools
import os
import subprocess

NEW_NAMESPACE = 0x00020000
PRIVATE, RECURSIVE = 1 << 18, 1 << 14


def mount(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Mount for this process and those that it starts; what comes of it, as where there are no rights to."""
    why = leave_the_shared()
    if why:
        return subprocess.CompletedProcess(["mount", *arguments], 1, "", why)
    return subprocess.run(["mount", *arguments], capture_output=True, text=True)


@functools.cache
def leave_the_shared() -> str:
    """Give this process mounts of its own, once; returns why that cannot be (empty: it was done)."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NAMESPACE):
        return f"a mount namespace: {os.strerror(ctypes.get_errno())}"
    if libc.mount(b"none", b"/", None, PRIVATE | RECURSIVE, None):
        raise OSError(ctypes.get_errno(), "the mounts of this process are still those of all")
    return ""
