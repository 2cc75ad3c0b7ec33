"""The place of a workspace: only a disk that says so has none."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from agentws.core.disk import locate
from agentws.core.disk.inspect import programs
from agentws.core.stores import stores
from agentws.errors import DiskError, NoWorkspaceError
from agentws.workspace import Environment, Workspace


def refuse(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    lstat = os.lstat

    def failing(path: str, *, dir_fd: int | None = None) -> os.stat_result:
        if str(path).endswith("agentws.toml"):
            raise OSError(number, os.strerror(number), path)
        return lstat(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "lstat", failing)


def test_a_disk_that_fails_is_no_folder_without_a_workspace(
    workspace: Workspace, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, errno.EIO)

    with pytest.raises(DiskError, match=r"agentws.toml: disk I/O error"):
        Workspace.open(workspace.root, environment=environment)
    assert not programs.is_workspace(workspace.root)


@pytest.mark.parametrize("number", [errno.ENOENT, errno.ENOTDIR, errno.EACCES])
def test_a_place_that_holds_none_is_one_without(tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, number)

    assert locate.find(str(tmp_path)) is None


def test_names_that_no_disk_takes_are_places_without(tmp_path: Path) -> None:
    assert not locate.has_manifest(f"{tmp_path}/{'x' * 300}")
    assert not locate.has_manifest(f"{tmp_path}/\0")


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: the workspace of another user; only root makes one")
@pytest.mark.parametrize("where", ["below", "there", "named"])
@pytest.mark.parametrize("user", [1000, 0], ids=["user", "superuser"])
def test_a_workspace_above_that_belongs_to_another_user_is_refused_or_named(
    workspace: Workspace, environment: Environment, monkeypatch: pytest.MonkeyPatch, where: str, user: int
) -> None:
    below = Path(workspace.root) / "project"
    below.mkdir()
    os.chown(workspace.root, 54321, 54321)
    monkeypatch.chdir(below if where == "below" else workspace.root)
    monkeypatch.setattr(os, "geteuid", lambda: user)

    def opened() -> stores.Stores:
        return stores.open_at(workspace.root if where == "named" else None, environment)

    if (where, user) == ("below", 1000):
        with pytest.raises(NoWorkspaceError, match="belongs to another user") as refused:
            opened()
        assert f"agentws -C {workspace.root}" in str(refused.value.hint)
    else:
        assert any("another user" in notice for notice in opened().notices) is (where == "below")


def test_a_workspace_above_that_is_ours_is_found(
    workspace: Workspace, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = Path(workspace.root) / "project"
    below.mkdir()
    monkeypatch.chdir(below)

    found = stores.open_at(None, environment)

    assert (found.root, found.notices) == (workspace.root, [])


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: the .agentmem of another user; only root makes one")
@pytest.mark.parametrize("own", [54321, 0, 1000])
@pytest.mark.parametrize("folder", [54321, 1000])
def test_an_agentmem_here_is_ours_or_that_of_the_owner_of_its_folder(
    workspace: Workspace, environment: Environment, monkeypatch: pytest.MonkeyPatch, own: int, folder: int
) -> None:
    code = Path(workspace.root).parent / "code"
    code.mkdir()
    Path(workspace.root).rename(code / ".agentmem")
    os.chown(code / ".agentmem", own, own)
    os.chown(code, folder, folder)
    monkeypatch.chdir(code)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    if own == 54321 != folder:
        with pytest.raises(NoWorkspaceError, match="belongs to another user"):
            stores.open_at(None, environment)
    else:
        assert stores.open_at(None, environment).root == f"{code}/.agentmem"
