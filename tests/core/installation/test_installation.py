"""An installation is one folder on one machine: it keeps its writer, and a copy of it becomes another one."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk.files import Files
from agentws.core.installation import installation
from agentws.core.installation.installation import Installation
from agentws.errors import AgentwsError, DamagedError

AGENT = "an-agent"
SECOND = 1_800_000_000


@pytest.fixture
def root(tmp_path: Path) -> Files:
    (tmp_path / "robin").mkdir()
    return Files(str(tmp_path / "robin"))


def ensure(files: Files, usual: str | None, declared: str | None = None) -> Installation:
    return installation.ensure(files, AGENT, (declared, usual), second=lambda: SECOND)


def test_an_installation_keeps_its_writer(root: Files, tmp_path: Path) -> None:
    usual = str(tmp_path / "home/.local/state/agentws")
    assert installation.find(root, AGENT, (None, usual)) is None

    first = ensure(root, usual)

    assert len(first.writer) == 16
    assert first.writer.startswith(f"{SECOND:010x}")
    assert ensure(root, usual).writer == first.writer
    found = installation.find(root, AGENT, (None, usual))
    assert found is not None
    assert (found.writer, found.folder) == (first.writer, first.folder)


def test_the_state_is_for_this_user_alone(root: Files, tmp_path: Path) -> None:
    made = ensure(root, str(tmp_path / "home/.local/state/agentws"))

    assert stat.S_IMODE(os.stat(made.folder).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(tmp_path / "home/.local/state").st_mode) == 0o700


@pytest.mark.parametrize("declared", [True, False])
def test_what_is_declared_comes_before_the_folder_beside_and_that_before_the_usual_one(
    root: Files, tmp_path: Path, declared: bool
) -> None:
    os.makedirs(f"{root.root}/.agentws/state")
    usual, named = str(tmp_path / "usual"), str(tmp_path / "declared")

    made = ensure(root, usual, named if declared else None)

    assert made.folder.startswith(named if declared else f"{root.root}/.agentws/state/")
    assert not os.path.exists(usual)


def test_without_a_home_the_state_lies_in_the_workspace(root: Files) -> None:
    made = ensure(root, None)

    assert made.folder.startswith(f"{root.root}/.agentws/state/")
    assert ensure(root, None).writer == made.writer


def test_a_copied_folder_is_another_installation(root: Files, tmp_path: Path) -> None:
    usual = str(tmp_path / "state")
    first, beside = ensure(root, usual), ensure(root, None)
    copy = str(tmp_path / "copy")
    shutil.copytree(root.root, copy)

    assert ensure(Files(copy), usual).writer != first.writer
    assert ensure(Files(copy), None).writer not in (first.writer, beside.writer)


def test_another_folder_at_the_same_path_is_another_installation(root: Files, tmp_path: Path) -> None:
    usual = str(tmp_path / "state")
    first = ensure(root, usual)
    os.rename(root.root, f"{root.root}.old")
    os.mkdir(root.root)

    assert ensure(root, usual).writer != first.writer


def test_many_at_once_become_one_writer(root: Files, tmp_path: Path) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(ensure(root, str(tmp_path / "state")).writer)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 8
    assert len(set(found)) == 1


@pytest.mark.parametrize(
    "record",
    [b"", b"{", b"[]", b"{}", b'{"agent":"an-agent","writer":7}', b'{"agent":"an-agent","writer":"../../../etc/xy"}'],
)
def test_a_record_that_cannot_be_read_is_damage_with_a_way_out(root: Files, tmp_path: Path, record: bytes) -> None:
    made = ensure(root, str(tmp_path / "state"))
    Path(made.folder, "writer").write_bytes(record)

    with pytest.raises(DamagedError) as raised:
        ensure(root, str(tmp_path / "state"))

    assert made.folder in (raised.value.hint or "")
    shutil.move(made.folder, f"{made.folder}.away")
    assert ensure(root, str(tmp_path / "state")).writer != made.writer


def test_a_declared_folder_that_cannot_be_made_is_an_error_of_ours(root: Files, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(AgentwsError):
        ensure(root, str(tmp_path / "usual"), str(tmp_path / "file/state"))


@pytest.mark.parametrize("home", ["a file", "no folder that may be written", "no folder that may be looked into"])
def test_where_the_home_can_keep_nothing_the_state_lies_in_the_workspace(
    root: Files, tmp_path: Path, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = tmp_path / "home" / ".local" / "state"
    if home == "a file":
        usual.parent.parent.write_text("")
    else:
        refuse(monkeypatch, str(tmp_path / "home"), looks=home.endswith("looked into"))

    made = ensure(root, str(usual))

    assert made.folder.startswith(f"{root.root}/.agentws/state/")
    assert ensure(root, str(usual)).writer == made.writer
    assert Path(root.root, ".agentws/.gitignore").read_text() == "*\n"


def refuse(monkeypatch: pytest.MonkeyPatch, folder: str, *, looks: bool) -> None:
    """Let nothing be made below this folder, nor looked at, whoever runs the tests: to root nothing is forbidden."""
    for name in ("mkdir", "stat") if looks else ("mkdir",):
        real = getattr(os, name)

        def refused(path: object, *words: object, real: Any = real, **named: object) -> object:
            if str(path).startswith(folder):
                raise PermissionError(13, "Permission denied", path)
            return real(path, *words, **named)

        monkeypatch.setattr(os, name, refused)


def test_state_in_the_home_is_found_where_somebody_else_keeps_theirs_beside(root: Files, tmp_path: Path) -> None:
    usual = str(tmp_path / "home")
    first = ensure(root, usual)
    os.makedirs(f"{root.root}/.agentws/state")  # as a container does that works in the same folder

    assert ensure(root, usual).writer == first.writer


def test_a_link_that_leads_nowhere_is_an_error_of_ours(root: Files, tmp_path: Path) -> None:
    os.symlink(tmp_path / "nowhere", tmp_path / "link")

    with pytest.raises(AgentwsError):
        ensure(root, str(tmp_path / "link/state"))


def test_a_disk_that_does_not_tell_whether_there_is_state_makes_no_new_writer(
    root: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ensure(root, None)
    real = os.stat

    def fail(path: object, *arguments: object, **named: object) -> os.stat_result:
        if str(path).endswith(".agentws/state"):
            raise OSError(5, "Input/output error")
        return real(path, *arguments, **named)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(os, "stat", fail)
    with pytest.raises(AgentwsError):
        ensure(root, str(tmp_path / "usual"))
    monkeypatch.undo()

    assert ensure(root, str(tmp_path / "usual")).writer == first.writer


def test_what_a_kill_left_beside_a_former_record_goes_with_the_next_try(root: Files, tmp_path: Path) -> None:
    """The record has both names for a moment: the writer stays the former one, and is renewed again."""
    here = ensure(root, str(tmp_path / "state"))
    folder = Path(here.folder)
    os.link(folder / "writer", folder / "writer.1")
    os.link(folder / "writer", folder / ".writer.1.agentws-new")

    renewed = installation.renew(root, here, second=9)

    assert installation.former(renewed) == [here.writer]
    assert sorted(path.name for path in folder.glob("*writer*")) == ["writer", "writer.1"]
