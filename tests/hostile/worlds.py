"""What the hostile tests stand on: workspaces made of bytes, and the command line run as others run it, with limits."""

from __future__ import annotations

import io
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agentws.cli import main

AGENTWS = str(Path(sys.executable).with_name("agentws"))
NOW = "2026-11-20T07:15:00+00:00"
TODAY = "memory/2026-11-20.md"
MANIFEST = b'format = 1\nid = "0123456789abcdef0123456789abcdef"\nname = "Robin"\ntimezone = "UTC"\n'
USUAL = {
    "agentws.toml": MANIFEST,
    "SOUL.md": b"# Soul\n\nI am Robin.\n",
    "USER.md": b"# User\n\nAlex.\n",
    "AGENTS.md": b"# How I work here\n\n- Log decisions.\n",
    "MEMORY.md": b"# Memory\n\n- Alex likes short answers.\n",
    TODAY: b"# 2026-11-20\n\n- 07:00 woke up\n",
}
MOST_CPU_S = 60
"""What a run may compute: no clock of a busy machine decides."""
HANG_GUARD_S = 600.0
"""Only there to end a hang: nothing here is a measurement."""
MEMORY_BYTES = 400 << 20


class Ran:
    """What a run of the command line gave: exit code and the bytes of both streams."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def text(self) -> str:
        return self.out.decode("utf-8")

    @property
    def said(self) -> str:
        return self.err.decode("utf-8")

    @property
    def json(self) -> dict:
        return json.loads(self.out)

    def __repr__(self) -> str:
        return f"exit {self.code}\nout: {self.out[:1500]!r}\nerr: {self.err[:1500]!r}"


def make(root: Path, files: Mapping[str, bytes] = {}, *, usual: bool = True) -> Path:
    """A workspace at `root` with the usual files, and `files` besides or instead."""
    for path, data in ({**USUAL, **files} if usual else files).items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    root.mkdir(exist_ok=True)
    return root


def surroundings(**more: str) -> dict[str, str]:
    """An environment with nothing of the developer's in it; a variable set to the empty string is left out."""
    base = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "TZ": "UTC", "AGENTWS_NOW": NOW, "LANG": "C.UTF-8"}
    if "TMPDIR" in os.environ:
        base["TMPDIR"] = os.environ["TMPDIR"]
    return {name: value for name, value in {**base, **more}.items() if value}


def run(
    *arguments: str | bytes,
    cwd: Path,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    memory_bytes: int = 0,
    program: Sequence[str] = (AGENTWS,),
    before: Callable[[], None] | None = None,
    hang_guard_s: float = HANG_GUARD_S,
    most_cpu_s: int = MOST_CPU_S,
) -> Ran:
    """Run the command line; a run that hangs, or takes more of the processor than `most_cpu_s`, fails the test."""

    def prepare() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (most_cpu_s, most_cpu_s))
        if memory_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        if before is not None:
            before()

    done = subprocess.run(
        [*program, *arguments], cwd=cwd, env=env if env is not None else surroundings(), capture_output=True,
        timeout=hang_guard_s, check=False, preexec_fn=prepare,
        **({"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}),
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


def state(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Everything beneath `folder` by its path, with type and content, without following or opening anything odd."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place) / name
            status = path.lstat()
            if path.is_symlink():
                content: bytes | str = str(path.readlink())
            elif path.is_file() and status.st_size < 1 << 24:
                content = path.read_bytes()
            else:
                content = str(status.st_size) if path.is_file() else ""
            found[str(path.relative_to(folder))] = (status.st_mode, content)
    return found


def run_here(*arguments: str, cwd: Path, stdin: bytes = b"") -> Ran:
    """Run the command line within this process: for many runs that need no limits of their own. A hang fails."""

    def stop(*_: object) -> None:
        raise AssertionError(f"{arguments} hangs")

    out, err = io.BytesIO(), io.BytesIO()
    kept = sys.stdout, sys.stderr, sys.stdin, Path.cwd(), os.environ.get("AGENTWS_NOW")
    handler = signal.signal(signal.SIGALRM, stop)
    signal.alarm(int(HANG_GUARD_S))
    os.chdir(cwd)
    os.environ["AGENTWS_NOW"] = NOW
    wrapped = [io.TextIOWrapper(stream, "utf-8", write_through=True) for stream in (out, err)]
    sys.stdout, sys.stderr = wrapped
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    try:
        code = main.run(list(arguments))
    finally:
        sys.stdout, sys.stderr, sys.stdin = kept[:3]
        os.chdir(kept[3])
        os.environ.pop("AGENTWS_NOW")
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
    for stream in wrapped:
        stream.detach()  # else it would close what is read here
    return Ran(code, out.getvalue(), err.getvalue())
