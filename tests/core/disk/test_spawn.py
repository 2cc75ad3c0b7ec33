"""A program that is started directly: what it says, how it ends, and what becomes of the pipes."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk import spawn

ENV = {"PATH": os.environ["PATH"]}


def run(code: str, stdin: bytes = b"", timeout_s: float = 60) -> tuple[int, bytes, bytes]:
    return spawn.run([sys.executable, "-c", code], env=ENV, stdin=stdin, timeout_s=timeout_s)


def test_it_hears_both_and_learns_how_it_ended() -> None:
    code = "import sys; print('out'); print('told', file=sys.stderr); sys.exit(3)"

    assert run(code) == (3, b"out\n", b"told\n")


def test_much_goes_in_and_comes_out_at_once() -> None:
    data = os.urandom(1 << 20)

    status, out, _ = run("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())", stdin=data)

    assert (status, out == data) == (0, True)


def test_one_that_does_not_listen_is_heard_all_the_same() -> None:
    assert run("print('no')", stdin=b"x" * (1 << 20))[:2] == (0, b"no\n")


def test_one_that_does_not_end_is_killed() -> None:
    with pytest.raises(TimeoutError):
        run("import time; time.sleep(600)", timeout_s=0.2)


def test_a_signal_is_a_negative_status() -> None:
    assert run("import os; os.kill(os.getpid(), 9)")[0] == -signal.SIGKILL


def test_one_that_is_not_there_is_an_error_and_leaves_no_pipe() -> None:
    before = os.listdir("/proc/self/fd") if Path("/proc/self/fd").exists() else []

    with pytest.raises(FileNotFoundError):
        spawn.run(["no-such-program"], env=ENV, timeout_s=1)
    assert (os.listdir("/proc/self/fd") if before else []) == before


def test_it_works_where_the_standard_streams_are_closed() -> None:
    code = (
        "import os, sys; from agentws.core.disk import spawn; done = os.dup(1); [os.close(n) for n in range(3)];"
        "said = spawn.run([sys.executable, '-c', 'print(input())'], env=dict(os.environ), stdin=b'hi', timeout_s=60);"
        "os.write(done, said[1])"
    )

    assert spawn.run([sys.executable, "-c", code], env={**os.environ}, timeout_s=60)[1] == b"hi\n"


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C as soon as the program has said anything."""

    def listen(_pipes: object, _give: int, _stdin: bytes, hear: tuple[int, ...], **_: float) -> dict[int, bytes]:
        os.read(hear[0], 1)
        raise KeyboardInterrupt

    monkeypatch.setattr(spawn, "_converse", listen)


@pytest.mark.usefixtures("interrupted")
def test_one_that_is_given_up_is_asked_first(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.touch()
    ends = f"signal.signal(15, lambda *_: (os.unlink({str(lock)!r}), os._exit(0)))"

    with pytest.raises(KeyboardInterrupt):
        run(f"import os, signal, time; {ends}; print(1, flush=True); time.sleep(600)")
    assert not lock.exists()


@pytest.mark.usefixtures("interrupted")
def test_one_that_goes_on_all_the_same_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "_LOOKS", 3)
    started: list[int] = []
    real = spawn._start

    def noted(*words: Any) -> int:
        started.append(real(*words))
        return started[0]

    monkeypatch.setattr(spawn, "_start", noted)

    with pytest.raises(KeyboardInterrupt):
        run("import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(600)")
    with pytest.raises(ChildProcessError):
        os.waitpid(started[0], os.WNOHANG)


def test_where_nobody_learns_how_it_ended_it_did_not_go_well() -> None:
    code = (
        "import os, signal; from agentws.core.disk import spawn; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "try: spawn.run(['false'], env=dict(os.environ), timeout_s=60)\n"
        "except OSError: print('so it is')"
    )

    assert spawn.run([sys.executable, "-c", code], env={**os.environ}, timeout_s=60)[1] == b"so it is\n"


def aside(code: str) -> spawn.Aside:
    return spawn.Aside([sys.executable, "-c", code], env=ENV)


def open_pipes() -> list[str]:
    return os.listdir("/proc/self/fd") if Path("/proc/self/fd").exists() else []


def test_one_aside_tells_its_status_and_what_it_said_once_it_ends() -> None:
    before = open_pipes()

    begun = aside("import sys; print('out'); sys.stdout.flush(); print('told', file=sys.stderr); sys.exit(3)")

    assert begun.wait(60) == (3, b"out\ntold\n")
    assert open_pipes() == before


def test_one_aside_that_leaves_a_child_behind_is_waited_for_no_longer_than_it_speaks() -> None:
    code = """
import os, sys, time
if os.fork():
    os._exit(0)
null = os.open(os.devnull, os.O_RDWR)
for fd in range(3):
    os.dup2(null, fd)
os.read({reading}, 1)
"""
    reading, writing = os.pipe()
    os.set_inheritable(reading, True)
    try:
        assert aside(code.format(reading=reading)).wait(60) == (0, b"")
    finally:
        os.close(writing)  # then the child ends
        os.close(reading)


def test_one_aside_that_takes_too_long_is_ended() -> None:
    before = open_pipes()
    begun = aside("import os, time; print(os.getpid(), flush=True); time.sleep(600)")

    status, told = begun.wait(2)

    assert status is None
    assert open_pipes() == before
    if told:  # else it was ended before it spoke
        with pytest.raises(ProcessLookupError):
            os.kill(int(told), 0)


def test_one_aside_that_nobody_waits_for_is_ended() -> None:
    before = open_pipes()
    begun = aside("import time; time.sleep(600)")
    pid = begun._pid

    begun.end()
    begun.end()

    assert open_pipes() == before
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_one_aside_that_is_not_there_is_an_error_and_leaves_no_pipe() -> None:
    before = open_pipes()

    with pytest.raises(FileNotFoundError):
        spawn.Aside(["no-such-program"], env=ENV)
    assert open_pipes() == before
