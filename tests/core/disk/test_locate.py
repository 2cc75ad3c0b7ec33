"""The place of a workspace: only a disk that says so has none."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from agentws.core.disk import locate
from agentws.core.disk.inspect import programs
from agentws.errors import DiskError
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
