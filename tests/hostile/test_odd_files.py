"""P14, P15: what is no regular file is neither read nor written through, hangs nothing, and is named."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.text import utf8
from tests.hostile import worlds
from tests.hostile.worlds import TODAY

SECRET = b"what lies outside stays outside\n"
PLACES = (
    "SOUL.md", "MEMORY.md", "agentws.toml", TODAY, "tasks/x.md", "contexts/x.md", "handoffs/x.md", ".agentws",
    ".agentws/changes.jsonl", ".agentws/append.lock", ".agentws/transaction.lock", ".agentws/undo",
    ".agentws/.gitignore", ".agentws/history-failure", "memory", "tasks", "contexts", "handoffs",
)  # fmt: skip


def _fifo(path: Path, outside: Path) -> None:
    os.mkfifo(path)


def _device(path: Path, outside: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("LOUD: only root can make a device; this promise was NOT tested here")
    os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 9))  # /dev/urandom: reading it never ends


def _socket(path: Path, outside: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's path is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def _folder(path: Path, outside: Path) -> None:
    path.mkdir()


def _link_to_file(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "file.md")


def _link_to_folder(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "folder")


def _dangling(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "not-there.md")


def _itself(path: Path, outside: Path) -> None:
    path.symlink_to(path.name)


ODD = {
    "FIFO": _fifo, "device": _device, "socket": _socket, "folder": _folder, "link to a file": _link_to_file,
    "link to a folder": _link_to_folder, "dangling link": _dangling, "link to itself": _itself,
}  # fmt: skip
NORMAL_AS_FOLDER = ("memory", "tasks", "contexts", "handoffs", ".agentws", ".agentws/undo")


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
@pytest.mark.parametrize("place", PLACES)
def test_nothing_outside_is_read_or_written_and_the_oddity_is_named(
    tmp_path: Path, place: str, odd: Callable[[Path, Path], None]
) -> None:
    if odd is _folder and place in NORMAL_AS_FOLDER:
        return
    outside = tmp_path / "outside"
    inner = ("file.md", "folder/x.md", "folder/2026-11-20.md", "folder/changes.jsonl", "folder/000001.pending/x")
    worlds.make(outside, dict.fromkeys(inner, SECRET), usual=False)
    manifest = worlds.MANIFEST + b'[boot]\ncontext = "x"\n'
    root = worlds.make(tmp_path / "w", {"agentws.toml": manifest, "contexts/x.md": b"# X\n"})
    target = root / place
    if target.is_dir():
        for path in sorted(target.rglob("*"), reverse=True):
            path.unlink()
        target.rmdir()
    target.unlink(missing_ok=True)
    target.parent.mkdir(exist_ok=True)
    odd(target, outside)
    before_outside, before = worlds.state(outside), target.lstat()

    booted = worlds.run_here("boot", "--json", cwd=root)
    found = worlds.run_here("status", cwd=root)
    logged = worlds.run_here("log", "a line", cwd=root)
    made = worlds.run_here("context", "new", "y", cwd=root)
    undone = worlds.run_here("undo", cwd=root)

    assert booted.code == 0, booted
    assert found.code in (0, 3), found
    for ran in (logged, made, undone):
        assert ran.code in (0, 1, 13, 14), ran
    for ran in (booted, found, logged, made, undone):
        assert SECRET.strip() not in ran.out + ran.err, ran
    assert worlds.state(outside) == before_outside
    assert stat.S_IFMT(target.lstat().st_mode) == stat.S_IFMT(before.st_mode)
    if not place.startswith(".agentws") and place != "contexts":
        assert any(place in notice for notice in booted.json["notices"]), booted.json["notices"]
    if not place.startswith((".agentws", "contexts", "memory/")):
        assert found.code == 3, found
        assert place in found.text, found
    if place in (TODAY, "agentws.toml", "memory", ".agentws", ".agentws/append.lock", ".agentws/changes.jsonl"):
        assert logged.code != 0, logged
        assert place in logged.said or ".agentws" in place, logged


@pytest.mark.parametrize("odd", [_fifo, _link_to_file, _link_to_folder, _dangling, _device])
@pytest.mark.parametrize("place", ["SOUL.md", "MEMORY.md", "memory", "USER.md", ".agentws", ".gitignore", ".git"])
def test_init_writes_through_nothing_odd(tmp_path: Path, place: str, odd: Callable[[Path, Path], None]) -> None:
    outside = tmp_path / "outside"
    worlds.make(outside, {"file.md": SECRET, "folder/x.md": SECRET}, usual=False)
    root = worlds.make(tmp_path / "w", {"IDENTITY.md": b"# Me\n"}, usual=False)
    odd(root / place, outside)
    before = worlds.state(outside)

    ran = worlds.run_here("init", cwd=root)

    assert ran.code in (0, 1), ran
    assert SECRET.strip() not in ran.out + ran.err
    assert worlds.state(outside) == before


TEXTS = {
    "UTF-16": "# Hello\n\n- one\n".encode("utf-16"),
    "UTF-8 with a BOM": "\ufeff# Hello\n\n- one\n".encode(),
    "invalid UTF-8": b"# Hello\n\n- \xff\xfe\x80 one\n",
    "NUL": b"# Hello\n\n- o\x00ne\n",
    "CR alone": b"# Hello\r\r- one\r- two\r",
    "CRLF": b"# Hello\r\n\r\n- one\r\n",
    "empty": b"",
    "no newline at the end": b"# Hello\n\n- one",
    "form feeds and vertical tabs": b"# Hello\n\x0c\x0b- one\n",
    "unpaired surrogate": "- naïve é".encode()[:-1],
    "encoded surrogates": b"- \xed\xa0\x80\xed\xb0\x80 one\n",
}


@pytest.mark.parametrize("data", TEXTS.values(), ids=TEXTS.keys())
def test_any_bytes_can_be_booted_and_logged_after_without_losing_one(tmp_path: Path, data: bytes) -> None:
    paths = ("SOUL.md", "MEMORY.md", TODAY, "tasks/x.md", "handoffs/x.md")
    root = worlds.make(tmp_path / "w", dict.fromkeys(paths, data))

    booted = worlds.run_here("boot", cwd=root)
    logged = worlds.run_here("log", "a line", cwd=root)
    found = worlds.run_here("status", cwd=root)

    is_foreign = bool(utf8.other_encoding(data))
    assert (booted.code, logged.code) == (0, 14 if is_foreign else 0), (booted, logged)
    is_odd = b"\0" in data or utf8.bad_line(data)
    assert found.code == (3 if is_odd else 0), found  # boot shows that as garbage, and compact leaves the day
    after = (root / TODAY).read_bytes()
    if is_foreign:
        assert after == data  # a line in UTF-8 would be the end of it
        return
    assert after.startswith(data)
    assert after[len(data) :].replace(b"\r\n", b"\n").endswith(b"\n- 07:15 a line\n")
    line = logged.text.strip().rpartition(":")[2]
    assert after.split(b"\n")[int(line) - 1].rstrip(b"\r") == b"- 07:15 a line"
    assert (b"\r\n- 07:15 a line\r\n" in after) == (b"\r\n" in data)


def test_a_file_with_old_line_ends_is_read_line_by_line(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w", {"MEMORY.md": b"# Memory\r\r- one\r- two\r"})

    ran = worlds.run_here("boot", cwd=root)

    assert "\n- one\n- two\n" in ran.text


def test_a_last_line_without_an_end_is_shown_even_where_it_is_all_there_is(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w", {TODAY: b"First. " + b"Word word. " * (1 << 19)})

    ran = worlds.run_here("boot", cwd=root)

    assert "Word word. Word word." in ran.text


def test_a_date_that_no_calendar_has_is_named_and_no_daily_log(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w", {"memory/2026-02-31.md": b"- never\n", "memory/2026-13-01.md": b"- never\n"})

    booted = worlds.run_here("boot", "--json", cwd=root)

    assert [notice.split(":")[0] for notice in booted.json["notices"]] == [
        "memory/2026-02-31.md",
        "memory/2026-13-01.md",
    ]
    assert not any(section["source"].startswith("memory/2026-02") for section in booted.json["sections"])


@pytest.mark.parametrize("verb", [("boot",), ("status",), ("log", "x"), ("context", "list"), ("undo",)])
def test_an_empty_folder_is_exit_10_and_stays_empty(tmp_path: Path, verb: tuple[str, ...]) -> None:
    ran = worlds.run_here(*verb, cwd=worlds.make(tmp_path / "w", usual=False))

    assert ran.code == 10, ran
    assert list((tmp_path / "w").iterdir()) == []


def test_a_time_zone_that_is_not_known_is_told_and_utc_is_used(tmp_path: Path) -> None:
    for zone in ("Mars/Olympus", "../../etc/passwd", "America", "\\u0000", "/dev/zero", "a" * 5000):
        manifest = worlds.MANIFEST.replace(b'"UTC"', f'"{zone}"'.encode())
        root = worlds.make(tmp_path / "w", {"agentws.toml": manifest, TODAY: b""})

        booted = worlds.run_here("boot", "--json", cwd=root)
        found = worlds.run_here("status", cwd=root)
        logged = worlds.run_here("log", "x", cwd=root)

        assert (booted.code, found.code, logged.code) == (0, 3, 0), (zone, booted, found, logged)
        assert any("unknown time zone" in notice for notice in booted.json["notices"])
        assert "07:15 x" in (root / TODAY).read_text()


@pytest.mark.parametrize("name", ["", "Mars/Olympus", ":UTC", "/dev/zero", "../../etc/passwd", "\x01", "EST5EDT,M3,M4"])
def test_any_tz_of_the_environment_is_survived(tmp_path: Path, name: str) -> None:
    ran = worlds.run("init", "w", "--no-git", cwd=tmp_path, env=worlds.surroundings(TZ=name))

    assert ran.code == 0, ran
    assert worlds.run("boot", cwd=tmp_path / "w").code == 0


# Somebody else, somewhere else


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A workspace of somebody else's."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("LOUD: needs root and setpriv; a foreign owner and missing permissions were NOT tested here")
    return worlds.make(tmp_path / "w", {"handoffs/x.md": b"# X\n", "tasks/x.md": b"# X\n", ".agentws/undo/1/x": b""})


def _give_away(root: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    for path in (root, *root.rglob("*")):
        os.chown(path, nobody.pw_uid, nobody.pw_gid)


def _as_other(*arguments: str, cwd: Path) -> worlds.Ran:
    # Without capabilities root is a person like any other: modes and owners count.
    plain = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "sh", "-c", 'cd "$1"; shift; exec "$@"', "sh")
    return worlds.run(*arguments, "-C", str(cwd), cwd=cwd.parent, program=(*plain, str(cwd.parent), worlds.AGENTWS))


def test_a_foreign_owner_stops_no_boot_and_is_an_error_to_log(foreign: Path) -> None:
    _give_away(foreign)
    before = worlds.state(foreign)

    booted = _as_other("boot", cwd=foreign)
    found = _as_other("status", cwd=foreign)
    logged = _as_other("log", "x", cwd=foreign)

    assert (booted.code, found.code, logged.code) == (0, 3, 1), (booted, found, logged)
    assert "permission denied" in logged.said
    assert "Run agentws as the owner" in logged.said
    assert worlds.state(foreign) == before


@pytest.mark.parametrize("place", ["memory", "tasks", "handoffs", ".agentws", TODAY])
def test_a_place_that_may_not_be_written_is_named_by_status_and_doctor(foreign: Path, place: str) -> None:
    (foreign / place).chmod(0o500 if (foreign / place).is_dir() else 0o400)

    found = _as_other("status", "--json", cwd=foreign)
    examined = _as_other("doctor", "--json", cwd=foreign)

    assert (found.code, examined.code) == (3, 3), (found, examined)
    for told in (found, examined):
        assert f"chmod u+rwX {place}" in told.text, told


@pytest.mark.parametrize("place", ["SOUL.md", "agentws.toml", TODAY, "memory", "tasks", ".agentws", "handoffs"])
def test_what_may_not_be_read_is_named_and_boot_goes_on(foreign: Path, place: str) -> None:
    (foreign / place).chmod(0)
    _give_away(foreign)

    booted = _as_other("boot", "--json", cwd=foreign)
    found = _as_other("status", cwd=foreign)

    assert booted.code == 0, booted
    assert any(place in notice and "permission" in notice for notice in booted.json["notices"]), booted
    assert found.code == 3, found  # what may not be read, and a root that may not be written


def test_a_root_that_may_not_be_listed_is_no_bug(foreign: Path) -> None:
    foreign.chmod(0o311)
    _give_away(foreign)

    booted = _as_other("boot", cwd=foreign)
    found = _as_other("status", cwd=foreign)

    assert booted.code == 0, booted
    assert found.code == 3, found


def test_without_a_home_boot_and_log_work(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w")
    env = {name: value for name, value in worlds.surroundings().items() if name != "HOME"}

    assert worlds.run("boot", cwd=root, env=env).code == 0
    assert worlds.run("log", "x", cwd=root, env=env).code == 0
    assert worlds.run("init", str(tmp_path / "new"), cwd=root.parent, env=env).code == 0


def test_the_present_folder_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    root = worlds.make(tmp_path / "w")

    for arguments, code in ((("boot",), 1), (("log", "x"), 1), (("boot", "-C", str(root)), 0)):
        script = f'rmdir "{gone}"; exec "$@"'
        gone.mkdir(exist_ok=True)
        ran = worlds.run(*arguments, cwd=gone, program=("sh", "-c", script, "sh", worlds.AGENTWS))
        assert ran.code == code, ran
        assert b"bug" not in ran.err


@pytest.mark.parametrize("verb", [("boot",), ("boot", "--explain"), ("status",), ("log", "ö 🦊")])
@pytest.mark.parametrize(
    "locale",
    [
        {"LANG": "C"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
    ids=["C", "C, not coerced", "ascii", "latin-1"],
)
def test_any_locale_prints(tmp_path: Path, verb: tuple[str, ...], locale: dict[str, str]) -> None:
    root = worlds.make(tmp_path / "w", {"MEMORY.md": "# Gedächtnis\n\n- 🦊 Füchse\n".encode()})

    ran = worlds.run(*verb, cwd=root, env=worlds.surroundings(**locale))

    assert ran.code == 0, ran
    assert b"Traceback" not in ran.err


# Streams


def _sh(line: str, root: Path) -> worlds.Ran:
    return worlds.run(cwd=root, program=("bash", "-c", line, "bash", worlds.AGENTWS))


VERBS = ("boot", "boot --explain", "status", "log x")


_READER_GONE = """
import os, subprocess, sys
reading, writing = os.pipe()
os.close(reading)
sys.exit(subprocess.run(sys.argv[1:], stdout=writing).returncode)
"""


@pytest.mark.parametrize("verb", VERBS)
def test_a_reader_that_goes_away_is_exit_141_or_nothing_and_never_a_traceback(tmp_path: Path, verb: str) -> None:
    root = worlds.make(tmp_path / "w", {"MEMORY.md": b"- a fact\n" * 1000})
    worlds.run("log", "first", cwd=root)

    ran = _sh(f'"$1" {verb} | true; exit ${{PIPESTATUS[0]}}', root)
    gone = worlds.run(cwd=root, program=(sys.executable, "-c", _READER_GONE, worlds.AGENTWS, *verb.split()))

    assert ran.code in (0, 141), ran
    assert gone.code == 141, gone
    assert gone.err == b"", gone


@pytest.mark.parametrize("verb", VERBS)
def test_closed_streams_are_no_bug(tmp_path: Path, verb: str) -> None:
    root = worlds.make(tmp_path / "w")
    worlds.run("log", "first", cwd=root)

    for streams in (">&-", "<&- >&- 2>&-"):
        ran = _sh(f'"$1" {verb} {streams}', root)

        assert ran.code in (0, 1, 141), (streams, ran)
        assert b"Traceback" not in ran.err, (streams, ran)
        assert b"bug" not in ran.err, (streams, ran)
    ours = {".agentws", "identity", "journal"}
    assert {path.name for path in root.iterdir()} <= {*(name.split("/")[0] for name in worlds.USUAL), *ours}


@pytest.mark.parametrize("verb", ["boot", "boot --explain"])
def test_output_that_could_not_be_written_is_no_success(tmp_path: Path, verb: str) -> None:
    root = worlds.make(tmp_path / "w")

    ran = _sh(f'"$1" {verb} > /dev/full', root)

    assert ran.code == 1, ran
    assert b"Traceback" not in ran.err


def test_closed_standard_input_is_a_usage_error_for_a_dash(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w")

    assert _sh('"$1" log - <&-', root).code == 2
    assert _sh('"$1" log - </dev/null', root).code == 2


@pytest.mark.parametrize("verb", [("log", "-"), ("context", "new", "x", "--text", "-")])
def test_ctrl_c_is_exit_130_and_changes_nothing(tmp_path: Path, verb: tuple[str, ...]) -> None:
    root = worlds.make(tmp_path / "w")
    before = worlds.state(root)
    with subprocess.Popen(
        [worlds.AGENTWS, *verb], cwd=root, env=worlds.surroundings(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + worlds.HANG_GUARD_S
        wchan = Path(f"/proc/{process.pid}/wchan")
        while "pipe" not in wchan.read_text() and "poll" not in wchan.read_text() and time.monotonic() < deadline:
            time.sleep(0.01)
            if time.monotonic() > deadline - worlds.HANG_GUARD_S + 2:  # a kernel that does not tell
                break
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=worlds.HANG_GUARD_S)

    assert process.returncode == 130, err
    assert err == b""
    assert worlds.state(root) == before


def test_a_read_only_disk_can_be_booted(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("LOUD: only root can mount; a read-only disk was NOT tested here")
    root = worlds.make(tmp_path / "w")
    script = 'mount --bind "$2" "$2" && mount -o remount,bind,ro "$2" || exit 99; cd "$2"; shift 2; exec "$@"'
    inside = ("unshare", "-m", "sh", "-c", script, "sh", "-", str(root), worlds.AGENTWS)

    booted = worlds.run("boot", cwd=tmp_path, program=inside)
    if booted.code == 99 or b"unshare" in booted.err:
        pytest.skip("LOUD: no mount namespaces here; a read-only disk was NOT tested")
    found = worlds.run("status", cwd=tmp_path, program=inside)
    logged = worlds.run("log", "x", cwd=tmp_path, program=inside)
    made = worlds.run("init", "new", cwd=tmp_path, program=inside)

    assert (booted.code, found.code, logged.code, made.code) == (0, 3, 1, 1), (booted, found, logged, made)
    assert "read-only" in logged.said
