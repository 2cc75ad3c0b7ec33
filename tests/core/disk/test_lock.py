"""P6: a dead holder never blocks, a live one is never robbed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from agentws.core.disk import local_dir
from agentws.core.disk.files import Files
from agentws.core.disk.lock import APPEND, TRANSACTION, Lock
from agentws.errors import LockHeldError
from tests.forked import fork

HOLD = """
import sys, time
from agentws.core.disk.files import Files
from agentws.core.disk.lock import Lock
with Lock(Files(sys.argv[1]), sys.argv[2], timeout_s=5, note="compact"):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def files(tmp_path: Path) -> Files:
    files = Files(str(tmp_path))
    local_dir.prepare(files)
    return files


def holder(files: Files, name: str, *before: str) -> subprocess.Popen[bytes]:
    """Another process that holds the lock until it is killed."""
    process = subprocess.Popen([*before, sys.executable, "-c", HOLD, files.root, name], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


@pytest.mark.parametrize("name", [APPEND, TRANSACTION])
def test_a_live_holder_is_never_robbed(files: Files, name: str) -> None:
    process = holder(files, name)

    try:
        for _ in range(3):
            with pytest.raises(LockHeldError) as raised, Lock(files, name, timeout_s=0.02):
                pytest.fail("robbed")
    finally:
        end(process)

    assert raised.value.exit_code == 11
    assert f"process {process.pid}: compact" in raised.value.message


@pytest.mark.parametrize(("timeout_s", "count"), [(1.5, 0), (30.0, 1)], ids=["a short wait", "a long wait"])
def test_a_wait_of_two_seconds_is_reported_once_with_the_holder(
    files: Files, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, timeout_s: float, count: int
) -> None:
    slept = [0.0]
    fake = SimpleNamespace(monotonic=lambda: sum(slept), sleep=lambda _: slept.append(0.5))
    monkeypatch.setattr("agentws.core.disk.lock.time", fake)
    process = holder(files, TRANSACTION)

    try:
        with pytest.raises(LockHeldError), Lock(files, TRANSACTION, timeout_s=timeout_s):
            pytest.fail("robbed")
    finally:
        end(process)

    says = f"Waiting for another process that is changing this workspace: process {process.pid}: compact"
    assert [(one.name, one.getMessage()) for one in caplog.records] == [("agentws", says)] * count


@pytest.mark.parametrize("name", [APPEND, TRANSACTION])
def test_a_killed_holder_frees_it_at_once(files: Files, name: str) -> None:
    process = holder(files, name)

    end(process)

    with Lock(files, name, timeout_s=0):
        pass


def test_a_stopped_holder_still_holds_it(files: Files) -> None:
    process = holder(files, TRANSACTION)
    process.send_signal(signal.SIGSTOP)

    try:
        with pytest.raises(LockHeldError), Lock(files, TRANSACTION, timeout_s=0.02):
            pytest.fail("robbed")
    finally:
        end(process)


def test_the_two_locks_do_not_wait_for_each_other(files: Files) -> None:
    with Lock(files, TRANSACTION, timeout_s=0), Lock(files, APPEND, timeout_s=0):
        pass


def test_a_second_descriptor_of_the_lock_file_that_is_closed_frees_nothing(files: Files) -> None:
    with Lock(files, TRANSACTION, timeout_s=0):
        os.close(os.open(f"{files.root}/.agentws/transaction.lock", os.O_RDWR))

        with pytest.raises(LockHeldError), Lock(files, TRANSACTION, timeout_s=0):
            pytest.fail("POSIX locks vanish so, and ours must not")


def test_a_forked_child_that_lives_on_keeps_nothing_locked(files: Files) -> None:
    reader, writer = os.pipe()

    with Lock(files, TRANSACTION, timeout_s=0):
        child = fork(lambda: (os.close(writer), os.read(reader, 1))[0])  # lives until the pipe is closed

    try:
        with Lock(files, TRANSACTION, timeout_s=0):
            pass
    finally:
        os.close(writer)
        os.close(reader)
        os.waitpid(child, 0)


def test_a_program_that_the_holder_starts_inherits_no_lock(files: Files) -> None:
    with Lock(files, TRANSACTION, timeout_s=0):
        program = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)

    with Lock(files, TRANSACTION, timeout_s=0):
        pass
    program.communicate(b"\n")


@pytest.mark.parametrize("note", ["", "process 1: compact\n", "process {own}: compact\n", "\0\xff" * 500])
def test_what_a_lock_file_says_of_a_holder_is_never_believed(files: Files, note: str) -> None:
    # A number in a file may belong to a process that died, to another one since, or to PID 1 of a container.
    Path(files.root, ".agentws/transaction.lock").write_text(note.replace("{own}", str(os.getpid())))

    with Lock(files, TRANSACTION, timeout_s=0):
        pass


def test_a_lock_file_is_never_removed(files: Files) -> None:
    # Who unlinks a lock file while another process waits for it gives the lock to two.
    with Lock(files, TRANSACTION, timeout_s=0):
        inode = os.stat(f"{files.root}/.agentws/transaction.lock").st_ino
    with Lock(files, TRANSACTION, timeout_s=0):
        pass

    assert os.stat(f"{files.root}/.agentws/transaction.lock").st_ino == inode


def test_a_waiter_gets_the_lock_when_its_holder_lets_go(files: Files) -> None:
    process = holder(files, TRANSACTION)
    killer = fork(lambda: (time.sleep(0.05), os.kill(process.pid, signal.SIGKILL))[1])

    with Lock(files, TRANSACTION, timeout_s=60):
        pass
    os.waitpid(killer, 0)
    process.communicate()


def test_pid_1_of_another_container_is_a_holder_like_any_other(files: Files) -> None:
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "--pid", "--fork", "true"], capture_output=True).returncode != 0:
        pytest.skip("NOT TESTED: P6 for PID 1 in a container; a new PID namespace needs root and unshare(1)")
    process = holder(files, TRANSACTION, unshare, "--pid", "--fork", "--kill-child")

    try:
        with pytest.raises(LockHeldError, match="process 1: compact"), Lock(files, TRANSACTION, timeout_s=0.02):
            pytest.fail("robbed")
    finally:
        end(process)

    with Lock(files, TRANSACTION, timeout_s=5):
        pass


def test_an_error_within_the_block_frees_the_lock(files: Files) -> None:
    with pytest.raises(ZeroDivisionError), Lock(files, TRANSACTION, timeout_s=0):
        raise ZeroDivisionError

    with Lock(files, TRANSACTION, timeout_s=0):
        pass


def test_a_lock_file_says_who_holds_it_now_and_is_truncated_only_for_that(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut: list[int] = []
    truncate = os.ftruncate
    monkeypatch.setattr(os, "ftruncate", lambda fd, size: (cut.append(size), truncate(fd, size))[1])
    said = []
    notes = ("a note that is long", "a note that is long", "a short one", "a short one")
    for note in notes:
        with Lock(files, TRANSACTION, timeout_s=1, note=note):
            said.append(Path(files.root, ".agentws/transaction.lock").read_text())

    own = f"process {os.getpid()}: "
    assert [one.rstrip() for one in said] == [f"{own}{note}" for note in notes]
    assert len(cut) == 1, "truncating waits for whoever syncs a file"


def test_what_a_lock_file_says_is_as_long_for_every_process(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    said = []
    for process in (7, 4_194_304, 31_007):
        monkeypatch.setattr(os, "getpid", lambda process=process: process)
        with Lock(files, TRANSACTION, timeout_s=1, note="compact"):
            said.append(Path(files.root, ".agentws/transaction.lock").read_text())

    assert [one.split() for one in said] == [["process", f"{n}:", "compact"] for n in (7, 4_194_304, 31_007)]
    assert {len(one) for one in said} == {len(said[1])}
