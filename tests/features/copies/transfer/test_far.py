"""The program that is sent to the far side: it runs by itself, on any Python that machines have."""

from __future__ import annotations

import ast
import errno
import fcntl
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agentws.features.copies.transfer import conversation, copy_place, disk, receiver, ssh
from tests.features.copies.transfer.receiving import holding

MODULES = (disk, copy_place, receiver, conversation)
STANDARD = sys.stdlib_module_names


def talk(*requests: dict[str, Any] | bytes) -> list[dict[str, Any]]:
    """What it answers, run as it is run over there."""
    asked = b"".join(each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n" for each in requests)
    begin = "import sys;b=sys.stdin.buffer;exec(compile(b.read(int(b.readline())),'agentws','exec'))"
    program = ssh.program()
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", begin],
        input=b"%d\n%s%s" % (len(program), program, asked),
        capture_output=True,
        check=True,
        cwd="/",
    )
    first, *lines = done.stdout.splitlines()
    assert first.decode() == conversation.MARK
    return [json.loads(line) for line in lines]


def test_it_is_written_for_python_3_7_and_imports_the_standard_library_alone() -> None:
    sent = {module.__name__ for module in MODULES} | {str(disk.__package__)}
    for module in MODULES:
        assert f"load({module.__name__.rpartition('.')[2]!r}, " in ssh.program().decode("ascii")
        tree = ast.parse(Path(str(module.__file__)).read_text(), feature_version=(3, 7))

        names = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert {name.split(".")[0] for name in names - sent} <= STANDARD


def test_it_receives_looks_over_and_puts_in_place(tmp_path: Path) -> None:
    place = str(tmp_path / "robin")
    data = b"content\n" * 10
    entry = ["file", "f", 0o640, 1_500_000_000_000_000_000, len(data), ""]

    answers = talk(
        {"op": "inspect", "path": place, "migration": "abcd"},
        {"op": "prepare", "attempt": "1"},
        {"op": "record", "origin": {"migration": "abcd"}},
        {"op": "put", "entry": entry},
        data,
        {"op": "entries", "paths": ["file", "none"]},
        {"op": "sync"},
        {"op": "activate", "mode": 0o755, "stamp": "now"},
    )

    assert answers[0]["python"][0] == 3
    (told,) = answers[4]["entries"]
    assert told[:5] == entry[:5]
    assert answers[-1]["done"]["path"] == place
    assert (tmp_path / "robin" / "file").read_bytes() == data


def test_what_fails_is_told_with_the_next_answer_and_the_conversation_goes_on(tmp_path: Path) -> None:
    nowhere = ["no/such/folder/file", "f", 0o640, 0, 4, ""]

    answers = talk(
        {"op": "inspect", "path": str(tmp_path / "robin"), "migration": "abcd"},
        {"op": "prepare", "attempt": "1"},
        {"op": "put", "entry": nowhere},
        b"abcd",
        {"op": "sync"},
        {"op": "inspect", "path": str(tmp_path / "robin"), "migration": "abcd"},
    )

    assert answers[3]["errno"] == 2
    assert "errno" in answers[4], "it is not trusted any more"


def test_a_disk_that_is_full_is_told_by_its_number() -> None:
    answers = io.BytesIO()
    far = conversation.Conversation(io.BytesIO(b'{"op":"sync"}\n'), answers)
    far._far.sync = lambda: (_ for _ in ()).throw(OSError(28, "No space left on device"))  # type: ignore[method-assign]

    far.hold()

    assert json.loads(answers.getvalue().splitlines()[-1])["errno"] == 28


def test_an_earlier_try_whose_connection_broke_is_ended_before_the_next_one_goes_on(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-I", "-c", f"import sys; sys.argv=['far']; exec({ssh.program()!r})"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    for request in (
        {"op": "inspect", "path": str(tmp_path / "robin"), "migration": "abcd"},
        {"op": "prepare", "attempt": "1"},
    ):
        holder.stdin.write(json.dumps(request).encode() + b"\n")
        holder.stdin.flush()
    for _ in range(4):
        holder.stdout.readline()

    answers = talk(
        {"op": "inspect", "path": str(tmp_path / "robin"), "migration": "abcd"}, {"op": "prepare", "attempt": "2"}
    )

    assert holder.wait(timeout=30) == -9
    assert answers[-1]["done"]["part"].endswith(".part-2")
    holder.stdin.close()
    holder.stdout.close()


# What leads out of the copy

EVIL = ["/x", "//x", "a//b", "a/../../b", "../x", "..", ".", "", "a/", "./a", "a/./b", "a\0b"]


@pytest.fixture
def robin(tmp_path: Path) -> Iterator[receiver.Receiver]:
    found = here(tmp_path)
    found.prepare("1")
    yield found
    found.close()


def here(tmp_path: Path, **more: bool) -> receiver.Receiver:
    found = receiver.Receiver(**more)
    found.inspect(str(tmp_path / "robin"), "abcd")
    return found


@pytest.mark.parametrize("path", EVIL)
def test_a_path_that_leads_out_of_the_copy_is_refused_whatever_is_to_be_done(
    robin: receiver.Receiver, tmp_path: Path, path: str
) -> None:
    os.mkdir(os.path.join(robin.staging, "a"))
    before = sorted(str(each) for each in tmp_path.rglob("*"))
    acts: list[Callable[[], object]] = [
        lambda: robin.put([path, "f", 0o755, 0, 1, ""], io.BytesIO(b"x")),
        lambda: robin.put([path, "d", 0o755, 0, 0, ""], None),
        lambda: robin.put([path, "l", 0o777, 0, 4, "/etc"], None),
        lambda: robin.drop(["a", path]),
        lambda: robin.set_folders([["a", 0o700, 0], [path, 0o777, 0]]),
        lambda: list(robin.entries([path])),
        lambda: robin.sign_in({path: "a line"}),
    ]

    for act in acts:
        with pytest.raises(copy_place.Refused) as error:
            act()
        assert error.value.code == "outside"

    assert sorted(str(each) for each in tmp_path.rglob("*")) == before


def test_nothing_is_put_beneath_a_link(robin: receiver.Receiver, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    robin.put(["way", "l", 0o777, 0, 1, str(tmp_path / "outside")], None)

    for entry in (["way/x", "f", 0o644, 0, 1, ""], ["way/x", "d", 0o755, 0, 0, ""], ["way/x", "l", 0o777, 0, 1, "y"]):
        with pytest.raises(copy_place.Refused):
            robin.put(entry, io.BytesIO(b"x"))

    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize("word", ["aaaaaaaa/../victim", "/x", ""])
def test_what_becomes_part_of_a_name_is_no_path(tmp_path: Path, word: str) -> None:
    with pytest.raises(copy_place.Refused):
        receiver.Receiver().inspect(str(tmp_path / "robin"), word)
    with pytest.raises(copy_place.Refused):
        here(tmp_path).prepare(word)

    assert os.listdir(tmp_path) == []


def test_through_the_conversation_it_is_told_with_the_next_answer_and_nothing_more_is_done(tmp_path: Path) -> None:
    answers = talk(
        {"op": "inspect", "path": str(tmp_path / "robin"), "migration": "abcd"},
        {"op": "prepare", "attempt": "1"},
        {"op": "put", "entry": [str(tmp_path / "OWNED"), "f", 0o755, 0, 4, ""]},
        b"abcd",
        {"op": "sync"},
        {"op": "activate", "mode": 0o755, "stamp": "now"},
    )

    assert [answer.get("refused") for answer in answers[3:]] == ["outside", "outside"]
    assert not (tmp_path / "OWNED").exists()
    assert not (tmp_path / "robin").exists()


# What goes while it is looked at


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    root = tmp_path / "busy"
    for name in ("a", "b", "c"):
        (root / name).mkdir(parents=True)
        (root / name / "file").write_text(name)
    (root / "lock").write_text("")
    return root


def scanning(monkeypatch: pytest.MonkeyPatch, after: Callable[[str], None], before: Callable[[str], None]) -> None:
    """Let something happen before and after each folder is listed."""
    scandir = os.scandir

    @contextmanager
    def watched(path: str) -> Iterator[Any]:
        before(path)
        with scandir(path) as found:
            names = list(found)
        after(path)
        yield iter(names)

    monkeypatch.setattr(receiver.os, "scandir", watched)


def nothing(_: str) -> None:
    """Nothing happens."""


def test_a_file_that_goes_after_it_was_listed_was_never_there(busy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scanning(monkeypatch, lambda path: (busy / "lock").unlink() if path == str(busy) else None, nothing)

    assert [entry[0] for entry in disk.entries(str(busy), ())] == ["a", "b", "c", "c/file", "b/file", "a/file"]


@pytest.mark.parametrize("instead", [None, "a file"])
def test_a_folder_that_goes_before_it_is_listed_was_empty(
    busy: Path, monkeypatch: pytest.MonkeyPatch, instead: str | None
) -> None:
    def goes(path: str) -> None:
        if path == str(busy / "b"):
            (busy / "b" / "file").unlink()
            (busy / "b").rmdir()
            if instead is not None:
                (busy / "b").write_text(instead)

    scanning(monkeypatch, nothing, goes)

    assert [entry[0] for entry in disk.entries(str(busy), ())] == ["a", "b", "c", "lock", "c/file", "a/file"]


def test_a_folder_that_goes_after_it_was_listed_held_nothing(busy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def goes(path: str) -> None:
        if path == str(busy / "b"):
            (busy / "b" / "file").unlink()
            (busy / "b").rmdir()
            (busy / "b").write_text("a file now")

    scanning(monkeypatch, goes, nothing)

    assert [entry[0] for entry in disk.entries(str(busy), ())] == ["a", "b", "c", "lock", "c/file", "a/file"]


def test_a_link_that_becomes_a_file_while_it_is_looked_at_is_passed_over(
    busy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (busy / "link").symlink_to("a")

    def changed(path: str) -> str:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)

    monkeypatch.setattr(receiver.os, "readlink", changed)

    assert "link" not in [entry[0] for entry in disk.entries(str(busy), ())]


def test_a_tree_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(disk.entries(str(tmp_path / "none"), ()))


# Who works on a copy


def place_of(each: receiver.Receiver) -> None:
    each.record({"migration": "abcd"})
    each.activate(0o700, "now")


def test_a_copy_that_was_put_in_place_after_the_look_is_not_given_up(robin: receiver.Receiver, tmp_path: Path) -> None:
    second = here(tmp_path)

    place_of(robin)
    with pytest.raises(copy_place.Refused) as error:
        second.abandon()

    assert error.value.code == "arrived"
    assert os.listdir(tmp_path) == ["robin"]


def test_a_copy_that_is_put_in_place_while_the_lock_is_asked_for_is_not_given_up(
    robin: receiver.Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second, flock = here(tmp_path, wired=True), fcntl.flock

    def late(fd: int, how: int) -> None:
        monkeypatch.setattr(copy_place.fcntl, "flock", flock)
        place_of(robin)
        robin.close()
        flock(fd, how)

    robin.record({"migration": "abcd"})
    monkeypatch.setattr(copy_place.fcntl, "flock", late)
    with pytest.raises(copy_place.Refused) as error:
        second.abandon()

    assert error.value.code == "arrived"
    assert os.listdir(tmp_path) == ["robin"], "no other copy is made beside it"


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL])
def test_a_disk_without_locks_takes_a_copy(
    robin: receiver.Receiver, tmp_path: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy_place.fcntl, "flock", failing(code))

    here(tmp_path).abandon()

    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("code", [errno.EIO, errno.EBADF, errno.EINTR, errno.ENOMEM])
def test_a_lock_that_fails_is_no_disk_without_locks(
    robin: receiver.Receiver, tmp_path: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, opened = sorted(tmp_path.rglob("*")), len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(copy_place.fcntl, "flock", failing(code))

    with pytest.raises(OSError, match=f"{copy_place.LOCK}") as error:
        here(tmp_path).abandon()

    assert error.value.errno == code
    assert sorted(tmp_path.rglob("*")) == before, "nothing was given up"
    assert len(os.listdir("/proc/self/fd")) == opened


def failing(code: int) -> Callable[..., None]:
    def flock(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    return flock


def test_after_the_arrival_no_other_copy_is_begun(robin: receiver.Receiver, tmp_path: Path) -> None:
    second = here(tmp_path)

    place_of(robin)
    with pytest.raises(copy_place.Refused) as error:
        second.prepare("2")

    assert error.value.code == "gone"
    assert os.listdir(tmp_path) == ["robin"]


@pytest.mark.parametrize("wired", [False, True])
@pytest.mark.parametrize("act", ["prepare", "abandon"])
def test_a_process_that_was_not_asked_through_a_connection_is_not_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str, wired: bool
) -> None:
    monkeypatch.setattr(copy_place, "_TRY_S", 0)
    with holding(tmp_path, "abcd") as holder:
        second = here(tmp_path, wired=wired)

        with pytest.raises(copy_place.Refused, match=rf"migrate --from.*process {holder.pid}") as error:
            second.prepare("2") if act == "prepare" else second.abandon()

    assert error.value.code == "busy"
    assert len([name for name in os.listdir(tmp_path) if ".part-1" in name]) == 1


def test_who_is_asked_here_ends_nobody_who_is_asked_through_a_connection(
    robin: receiver.Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []
    monkeypatch.setattr(copy_place, "_TRY_S", 0)
    monkeypatch.setattr(receiver.os, "kill", lambda pid, _: killed.append(pid))
    robin.close()
    first = here(tmp_path, wired=True)
    first.prepare("1")

    with pytest.raises(copy_place.Refused, match="process"):
        here(tmp_path).prepare("2")

    assert killed == []
    first.close()


def test_a_holder_that_ends_by_itself_just_then_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = here(tmp_path, wired=True)
    first.prepare("1")
    (lock,) = tmp_path.glob(".robin.incoming-abcd/.agentws/incoming.lock")
    lock.write_text("1 1 1 wired\n")
    process = copy_place._process
    monkeypatch.setattr(copy_place, "_process", lambda pid: "1 1 1" if pid == "1" else process(pid))

    def gone(pid: int, _: int) -> None:
        first.close()
        raise ProcessLookupError(errno.ESRCH, "No such process")

    monkeypatch.setattr(receiver.os, "kill", gone)

    second = here(tmp_path, wired=True)
    second.prepare("2")
    second.close()
