"""An ssh-agent for a test."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def running() -> Iterator[str]:
    """Yield the socket of an ssh-agent that ends with the block; the test is skipped where there is none."""
    if shutil.which("ssh-agent") is None or shutil.which("ssh-add") is None:
        pytest.skip("ssh-agent is not here: NOT TESTED")
    # A socket's path has at most 107 bytes, so it is no folder of pytest.
    with tempfile.TemporaryDirectory(prefix="agentws-", dir="/tmp") as folder:
        socket = f"{folder}/agent"
        with subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.PIPE) as agent:
            try:
                assert agent.stdout is not None
                # It prints this once it listens; the socket is there before that.
                assert b"SSH_AUTH_SOCK" in agent.stdout.readline()
                yield socket
            finally:
                agent.terminate()
