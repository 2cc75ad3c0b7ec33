"""P4 with real disks: full, limited and read-only ones."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentws.errors import AgentwsError
from tests import own_mounts
from tests.crash import harness, scenarios


@contextmanager
def mounted(place: Path, *arguments: str) -> Iterator[None]:
    place.mkdir(exist_ok=True)
    done = own_mounts.mount(*arguments, str(place))
    if done.returncode != 0:
        pytest.skip(f"NOT TESTED: P4 on a real file system; mounting one needs root ({done.stderr.strip()})")
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)


def log_until_it_fails(root: str, ack: scenarios.Ack) -> None:
    for number in range(5000):
        ack(scenarios.opened(root).log(f"line {number} " + "." * 300).entry)


def assert_whole(root: str, acks: list[str]) -> None:
    """Every acknowledged line stands there once, in order, and the file ends where a line does."""
    text = Path(root, scenarios.TODAY).read_text()
    assert text.endswith("\n")
    assert [line + "\n" for line in text.split("\n") if line.startswith("- ")] == acks


def test_a_full_disk_refuses_the_line_and_keeps_the_earlier_ones(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=64k", "none"):
        root = str(tmp_path / "small/robin")
        scenarios._workspace(root)
        before = harness.documents(root)

        outcome = harness.run(log_until_it_fails, root)

        assert outcome.error is not None
        assert outcome.error[:3] == ("DiskError", True, 1), outcome.error[3]
        assert_whole(root, outcome.acks)
        after = harness.documents(root)
        assert {path: after[path] for path in before} == before


def test_a_full_disk_is_named_before_anything_fails(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=16m", "none"):
        root = str(tmp_path / "small/robin")
        scenarios._workspace(root)
        said = [disk(root)]
        for left in (2 << 20, 0):
            usage = os.statvfs(root)
            (tmp_path / f"small/filler-{left}").write_bytes(b"x" * (usage.f_bavail * usage.f_frsize - left))
            said.append(disk(root))

    assert said == [("✓", []), ("nearly full", ["warning"]), ("is full", ["problem"])]


def disk(root: str) -> tuple[str, list[str]]:
    """What `status` says of the disk, and how bad `doctor` finds it."""
    opened = scenarios.opened(root)
    (check,) = [one for one in opened.status().checks if one.name == "disk"]
    words = "✓" if check.ok else next(words for words in ("nearly full", "is full") if words in check.says)
    return words, [one.severity for one in opened.doctor(script=None, variables={}).findings if one.name == "disk-full"]


def test_a_full_disk_refuses_a_change_and_leaves_the_old_files(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=64k", "none"):
        root = str(tmp_path / "small/robin")
        scenarios._workspace(root)
        harness.run(log_until_it_fails, root)
        before = harness.documents(root)

        with pytest.raises(AgentwsError):
            scenarios.opened(root).contexts.new("garden", text="Roses. " * 5000)

        assert harness.documents(root) == before


def test_a_disk_without_inodes_leaves_nothing_half_made(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "nr_inodes=16", "none"):
        root = str(tmp_path / "small/robin")
        os.mkdir(root)

        outcome = harness.run(scenarios._init, root)

        assert outcome.error is not None
        assert outcome.error[:2] == ("DiskError", True), outcome.error[3]
        assert harness.documents(root) == {}


def test_a_limit_on_the_size_of_files_refuses_the_line_on_a_record_boundary(tmp_path: Path) -> None:
    root = str(tmp_path / "robin")
    scenarios._workspace(root)

    def limited(root: str, ack: scenarios.Ack) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        log_until_it_fails(root, ack)

    outcome = harness.run(limited, root)

    assert outcome.error is not None
    assert outcome.error[:2] == ("DiskError", True), outcome.error[3]
    assert_whole(root, outcome.acks)
    done = scenarios.opened(root).log("after the limit")
    assert_whole(root, [*outcome.acks, done.entry])


def test_a_read_only_file_system_is_an_error_and_reading_goes_on(tmp_path: Path) -> None:
    root = str(tmp_path / "robin")
    scenarios._workspace(root)
    done = scenarios.opened(root).log("before")

    with mounted(tmp_path / "robin", "--bind", root):
        own_mounts.mount("-o", "remount,bind,ro", root).check_returncode()
        for act in (scenarios._log, scenarios._new, scenarios._undo):
            outcome = harness.run(act, root)
            assert outcome.error is not None
            assert outcome.error[:2] == ("DiskError", True), outcome.error[3]
            assert not outcome.acks
        assert done.entry.strip() in scenarios.opened(root).boot().text


def test_a_folder_without_permission_is_an_error(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("NOT TESTED: modes of folders do not bind root; read-only mounts and EACCES points stand in")
    root = str(tmp_path / "robin")
    scenarios._workspace(root)
    before = harness.documents(root)
    os.chmod(root, 0o500)

    try:
        with pytest.raises(AgentwsError):
            scenarios.opened(root).contexts.new("garden")
    finally:
        os.chmod(root, 0o700)

    assert harness.documents(root) == before


def test_a_file_system_goes_with_the_killed_process_that_has_mounted_it(tmp_path: Path) -> None:
    place = tmp_path / "small"
    place.mkdir()
    said = f"""if True:
        import time
        from tests import own_mounts
        done = own_mounts.mount("-t", "tmpfs", "-o", "size=64k", "none", {str(place)!r})
        print(done.returncode, open("/proc/self/mounts").read().count({str(place)!r}), flush=True)
        time.sleep(600)
    """
    with subprocess.Popen([sys.executable, "-c", said], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = process.stdout.readline().split()
        process.kill()
    if told[0] != "0":
        pytest.skip("NOT TESTED: mounts of their own; mounting a file system needs root")

    assert told == ["0", "1"]
    assert str(place) not in Path("/proc/self/mounts").read_text()
    place.rmdir()
