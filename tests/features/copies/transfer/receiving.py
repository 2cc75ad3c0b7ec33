"""A process that receives a copy on this machine, for tests of what others do meanwhile."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def holding(tmp_path: Path, migration: str, name: str = "robin") -> Iterator[subprocess.Popen[str]]:
    """Another process of this machine that works on the copy, not asked through a connection."""
    program = (
        "import sys; from agentws.features.copies.transfer.receiver import Receiver; far = Receiver();"
        f"far.inspect({str(tmp_path / name)!r}, {migration!r}); far.prepare('1'); print('ready', flush=True);"
        "sys.stdin.read()"
    )
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        assert process.poll() is None, "unchanged"
        process.kill()
