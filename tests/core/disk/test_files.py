"""Files beneath one root: replaced whole, durable, and never through a link."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from agentws.changes import ABSENT
from agentws.core.disk.files import Files, failure
from agentws.core.formats import digest
from agentws.errors import ChangedUnderneathError, DiskError, MissingFileError, UnsafeFileError, UsageError


@pytest.fixture
def files(tmp_path: Path) -> Files:
    (tmp_path / "root").mkdir()
    return Files(str(tmp_path / "root"))


def put(files: Files, path: str, data: bytes) -> str:
    Path(files.root, path).write_bytes(data)
    return digest.of(data)


def test_a_replaced_file_is_the_new_one_and_nothing_is_left_beside(files: Files) -> None:
    old = put(files, "a", b"old")

    assert files.replace("a", b"new", expects=old) is None

    assert files.read("a") == b"new"
    assert files.names() == [("a", "file")]


def test_a_replaced_file_keeps_its_mode(files: Files) -> None:
    old = put(files, "a", b"old")
    os.chmod(f"{files.root}/a", 0o640)

    files.replace("a", b"new", expects=old)

    assert os.stat(f"{files.root}/a").st_mode & 0o777 == 0o640


@pytest.mark.parametrize("expects", [ABSENT, digest.of(b"something else")])
def test_a_file_that_is_not_as_expected_is_left_as_it_is(files: Files, expects: str) -> None:
    put(files, "a", b"theirs")

    with pytest.raises(ChangedUnderneathError):
        files.replace("a", b"ours", expects=expects)

    assert files.read("a") == b"theirs"
    assert files.names() == [("a", "file")]


def test_left_overs_of_a_killed_replacement_are_in_nobodys_way(files: Files) -> None:
    old = put(files, "a", b"old")
    put(files, ".a.agentws-new", b"ha")
    os.link(f"{files.root}/a", f"{files.root}/.a.agentws-old")

    files.replace("a", b"new", expects=old)

    assert files.names() == [("a", "file")]


@pytest.mark.parametrize("call", ["link", "rename", "fsync", "write"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_replacement_that_fails_before_the_rename_leaves_the_old_file_alone(
    files: Files, monkeypatch: pytest.MonkeyPatch, call: str, code: int
) -> None:
    old = put(files, "a", b"old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(code, "broken")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(DiskError):
            files.replace("a", b"new", expects=old)

    assert files.read("a") == b"old"
    assert files.names() == [("a", "file")]


@pytest.mark.parametrize("code", [errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK])
def test_a_file_system_without_hard_links_is_written_all_the_same(
    files: Files, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def link(*_: object, **__: object) -> None:
        raise OSError(code, "no links here")

    monkeypatch.setattr(os, "link", link)
    files.replace("a", b"one", expects=ABSENT)
    files.replace("a", b"two", expects=digest.of(b"one"))
    files.move("a", "b", expects=digest.of(b"two"))

    assert files.names() == [("b", "file")]
    assert files.read("b") == b"two"


def test_a_move_never_takes_a_place_that_is_taken(files: Files) -> None:
    here = put(files, "a", b"a")
    put(files, "b", b"b")

    with pytest.raises(ChangedUnderneathError):
        files.move("a", "b", expects=here)

    assert (files.read("a"), files.read("b")) == (b"a", b"b")


def test_a_name_that_may_not_be_looked_at_is_not_taken_for_a_free_one(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = put(files, "a", b"a")
    put(files, "b", b"b")
    real = os.stat

    def link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    def look(path: Any, *args: Any, **kwargs: Any) -> os.stat_result:
        if path == "b":
            raise PermissionError(errno.EACCES, "not yours to look at")
        return real(path, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", link)
        patch.setattr(os, "stat", look)
        with pytest.raises(DiskError):
            files.move("a", "b", expects=here)

    assert (files.read("a"), files.read("b")) == (b"a", b"b")


def test_a_file_put_in_place_of_the_moved_one_meanwhile_is_kept(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    here = put(files, "a", b"a")
    real = os.link

    def link(*args: object, **kwargs: object) -> None:
        real(*args, **kwargs)  # type: ignore[arg-type]
        put(files, "theirs", b"theirs")
        os.rename(f"{files.root}/theirs", f"{files.root}/a")

    monkeypatch.setattr(os, "link", link)

    assert files.move("a", "b", expects=here) == "a.edited-meanwhile-1"
    assert files.read("b") == b"a"
    assert files.read("a.edited-meanwhile-1") == b"theirs"


@pytest.mark.parametrize("path", ["../out", "/etc/passwd", "a/../../out", "", "a//b", "./a", "a\0b"])
def test_no_path_leads_out_of_the_root(files: Files, path: str) -> None:
    with pytest.raises(UsageError):
        files.read(path)


def test_links_are_not_followed(files: Files, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_bytes(b"secret")
    os.symlink(tmp_path / "outside/secret", f"{files.root}/file")
    os.symlink(tmp_path / "outside", f"{files.root}/folder")

    for path in ("file", "folder/secret"):
        with pytest.raises(UnsafeFileError):
            files.read(path)
        with pytest.raises(UnsafeFileError):
            files.replace(path, b"ours", expects=digest.of(b"secret"))

    assert (tmp_path / "outside/secret").read_bytes() == b"secret"


def test_a_fifo_is_not_waited_for(files: Files) -> None:
    os.mkfifo(f"{files.root}/pipe")

    with pytest.raises(UnsafeFileError):
        files.read("pipe")


def test_a_failing_disk_does_not_look_like_an_empty_one(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    put(files, "a", b"a")

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "too many")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        with pytest.raises(DiskError):
            files.exists("a")

    assert files.exists("a")
    assert not files.exists("b/c")


def test_a_missing_file_is_said_to_be_missing(files: Files) -> None:
    assert files.digest("a") == ABSENT
    with pytest.raises(MissingFileError):
        files.read("a")


@pytest.mark.parametrize(
    "path", [".agentws/append.lock", "journal", "/w/robin/.agentws/state", "MEMORY.md", "a/journal"]
)
def test_what_is_for_its_owner_alone_says_so_where_it_is_closed(path: str) -> None:
    is_own = path not in ("MEMORY.md", "a/journal")

    hint = failure(PermissionError(errno.EACCES, ""), path).hint or ""

    assert hint.startswith("Only the owner of the workspace may use `.agentws` and `journal`.") == is_own
    assert "owner" in hint
