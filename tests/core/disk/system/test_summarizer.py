"""A summarizer is any program, and programs do anything."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from agentws.core.disk.system.user_programs import Answer, Command

LONG_S = 60.0


def python(code: str) -> str:
    return shlex.join([sys.executable, "-c", code])


def ask(code: str, request: str = "1 | a line\n", *, timeout_s: float = LONG_S) -> Answer:
    return Command(python(code), timeout_s=timeout_s).summarize(request)


def test_it_reads_the_request_and_its_answer_is_what_it_prints() -> None:
    answer = ask("import sys; print('- ' + sys.stdin.read().strip().upper())", "zürich ✓\n")

    assert (answer.text, answer.failure) == ("- ZÜRICH ✓\n", "")


def test_a_long_request_and_a_long_answer_do_not_wait_for_each_other() -> None:
    request = "a line of the log\n" * 40_000

    answer = ask("import sys\nfor line in sys.stdin: print(line, end='')", request)

    assert answer.text == request


def test_a_program_that_does_not_read_may_answer() -> None:
    assert ask("print('- so it is [1]')", "x" * 1_000_000).text == "- so it is [1]\n"


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("raise SystemExit(3)", "it exited with code 3"),
        ("import sys; sys.exit('no such model')", "it exited with code 1: no such model"),
        ("print('- half [1]'); raise SystemExit(1)", "it exited with code 1"),
        ("import os; os.kill(os.getpid(), 9)", "it was killed by signal 9"),
        ("pass", "no output"),
        ("print(' \\n ')", "no output"),
        ("import sys; sys.stdout.buffer.write(b'- caf\\xe9 [1]')", "its output is not UTF-8"),
        ("print('x' * 10_000_000)", "its output exceeds 1048576 bytes"),
        ("while True: print('- more [1]')", "its output exceeds 1048576 bytes"),
    ],
)
def test_a_program_that_fails_says_why_and_nothing_else(code: str, failure: str) -> None:
    answer = ask(code)

    assert (answer.text, answer.failure) == ("", failure)


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(60)",
        "import time; print('- half [1]', flush=True); time.sleep(60)",
        "import os, time; os.close(1); os.close(2); time.sleep(60)",
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)",
    ],
)
def test_a_program_that_takes_too_long_is_ended(code: str) -> None:
    answer = ask(code, timeout_s=0.5)

    assert (answer.text, answer.failure) == ("", "no answer within 0.5 s")


@pytest.mark.parametrize(("ending", "timeout_s"), [("wait", 1.0), ("echo '- done [1]'", LONG_S)])
def test_what_it_began_is_ended_with_it(tmp_path: Path, ending: str, timeout_s: float) -> None:
    """The child holds the pipes open; its parent waits for it, or ends before it."""
    known = tmp_path / "child"
    line = shlex.join(["sh", "-c", f"sleep 600 & echo $! > {known}; {ending}"])

    answer = Command(line, timeout_s=timeout_s).summarize("")

    assert (answer.text, bool(answer.failure)) == (("", True) if ending == "wait" else ("- done [1]\n", False))
    assert _is_gone(int(known.read_text()))


def test_ctrl_c_ends_it_and_goes_on_upwards(tmp_path: Path) -> None:
    known = tmp_path / "program"
    tell = f"open({str(known)!r}, 'w').write(str(os.getpid()))"
    code = f"import os, sys, time; sys.stdin.read(); {tell}; time.sleep(60)"  # by then it is talked with

    def interrupt() -> None:
        while not known.exists() or not known.read_text():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            ask(code)
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)

    assert _is_gone(int(known.read_text()))


def test_it_works_in_a_folder_that_is_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    answer = ask("import os; open('MEMORY.md', 'w').write('mine'); print(os.getcwd(), os.environ['PWD'])")

    place, told = answer.text.split()
    assert place == told
    assert not os.path.exists(place)
    assert os.listdir(tmp_path) == []


def test_it_has_the_user_s_surroundings_but_for_ours_and_is_told_to_keep_hooks_quiet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AGENTWS_WORKSPACE", "/srv/robin")
    monkeypatch.setenv("AGENTWS_SESSION", "s-1")
    monkeypatch.setenv("MODEL_KEY", "for the program")

    answer = ask("import os; print([n for n in os.environ if 'AGENTWS' in n], os.environ['MODEL_KEY'])")

    assert answer.text == "['AGENTWS_NO_HOOKS'] for the program\n"


def test_no_shell_reads_its_command(tmp_path: Path) -> None:
    target = tmp_path / "made"

    answer = Command(f"echo '$HOME' `id` ; touch {target} > {target}").summarize("")

    assert answer.text.startswith("$HOME `id` ; touch")
    assert not target.exists()


@pytest.mark.parametrize(
    ("line", "failure"),
    [
        ("no-such-program-here -m x", "no-such-program-here was not found on PATH"),
        ("'unfinished", "its command line is invalid (No closing quotation)"),
        ("   ", "its command line is empty"),
        ("cat\0", "its command line is empty"),
        ("/dev/null", "/dev/null was not found"),
    ],
)
def test_a_command_that_cannot_be_run_is_a_failure_too(line: str, failure: str) -> None:
    assert Command(line).summarize("").failure.startswith(failure)


def test_a_file_that_is_no_program_is_a_failure_too(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x00\x01 no program")
    broken.chmod(0o755)

    assert Command(str(broken)).summarize("").failure.startswith("it could not be started (")


@pytest.mark.parametrize("name", ["./summarize", "summarize"])
def test_a_program_of_the_present_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The folder may be a workspace that was cloned, and `.` may stand on the PATH."""
    planted = tmp_path / "summarize"
    planted.write_text("#!/bin/sh\ntouch ran\necho '- planted [1]'\n")
    planted.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")

    answer = Command(name).summarize("")

    assert answer.failure.startswith(f"{name} was not found")
    assert not (tmp_path / "ran").exists()


def test_a_secret_in_its_complaint_is_not_told() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    answer = ask(f"import sys; sys.exit('bad key {token}')")

    assert answer.failure.startswith("it exited with code 1: bad key ‹redacted")
    assert token not in answer.failure


def _is_gone(process: int) -> bool:
    for _ in range(500):
        try:
            os.kill(process, 0)
            state = Path(f"/proc/{process}/stat")
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
                return True  # ended; whoever adopted it has not looked yet
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False
