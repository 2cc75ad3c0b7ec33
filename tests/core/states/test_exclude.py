"""The repository around a workspace, where the disk answers nothing any more."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from agentws.core.states import exclude


@pytest.mark.parametrize("own", [False, True])
def test_a_disk_that_shows_nothing_ends_the_search(own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    asked = 0

    def fails(path: str, *_: object, **__: object) -> os.stat_result:
        nonlocal asked
        asked += 1
        assert asked < 1000, "it asks for ever"
        raise OSError(errno.EIO, "failing disk")

    with monkeypatch.context() as disk:
        disk.setattr(os, "stat", fails)
        disk.setattr(os, "lstat", fails)
        found = exclude.find(str(tmp_path / "code" / "robin"), own=own)

    assert found is None
    assert asked
