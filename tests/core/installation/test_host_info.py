"""Facts about processes: which one it is, whether it lives, and which program goes on when a shell is done."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.core.installation import host_info

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")

_MODULE = "from agentws.core.installation import host_info"
_TELL = f"{sys.executable} -c 'import os; {_MODULE}; print(host_info.process(os.getppid()))'"


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives until the test is over."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def test_a_process_lives_until_it_is_over(sleeper: subprocess.Popen[bytes]) -> None:
    facts = host_info.process(sleeper.pid)
    pid, started = sleeper.pid, facts["started"]
    assert isinstance(started, int)

    assert host_info.lives(pid, started) is True
    assert host_info.lives(pid, started - 1) is False, "another process had the same id before"
    assert host_info.lives(pid, None) is None

    sleeper.kill()
    while b") Z" not in Path(f"/proc/{pid}/stat").read_bytes():
        time.sleep(0.001)
    assert host_info.lives(pid, started) is False, "nobody has asked for its exit code yet"
    sleeper.wait()
    assert host_info.lives(pid, started) is False
    assert host_info.lives(pid, None) is False


def test_a_process_that_is_no_shell_goes_by_itself(sleeper: subprocess.Popen[bytes]) -> None:
    assert set(host_info.process(sleeper.pid)) == {"process", "started"}


@pytest.mark.parametrize("flags", [["-c"], ["-ec"], ["-e", "-c"]])
def test_a_shell_that_runs_one_command_names_the_program_that_called_it(flags: list[str]) -> None:
    # `true` behind it: else the shell becomes the program.
    printed = subprocess.run(["sh", *flags, f"{_TELL}; true"], capture_output=True, text=True, check=True).stdout

    assert eval(printed)["outer"] == {
        "process": os.getpid(),
        "started": host_info.process(os.getpid())["started"],
    }


def test_a_script_is_the_program_itself_also_through_a_part_of_its_shell(tmp_path: Path) -> None:
    script = tmp_path / "run"
    for text in (f"{_TELL}\n", f'X=$(cd / && {_TELL} && true)\necho "$X"\n', f"( {_TELL}; true )\n"):
        script.write_text(text)
        with subprocess.Popen(["bash", str(script)], stdout=subprocess.PIPE, text=True) as process:
            printed, _ = process.communicate()

        facts = eval(printed)
        assert facts.get("outer", facts)["process"] == process.pid, text


def test_what_the_system_does_not_tell_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_info, "_fields", lambda pid: [])

    assert host_info.lives(os.getpid(), 1) is None
    assert host_info.process(os.getpid()) == {"process": os.getpid(), "started": None}


def test_processes_of_one_container_share_a_number() -> None:
    printed = subprocess.run(
        [sys.executable, "-c", f"{_MODULE}; print(host_info.namespace())"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip

    assert int(printed) == host_info.namespace()
