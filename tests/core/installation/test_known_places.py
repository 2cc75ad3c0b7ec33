"""Where backups and syncs go: a disk that fails is not a machine that has none."""

from __future__ import annotations

import errno
import os
from typing import Any

import pytest

from agentws.core.disk.files import Files
from agentws.core.installation import backups, remotes
from agentws.errors import DiskError
from agentws.workspace import Environment, Workspace


@pytest.mark.parametrize(
    ("room", "put"),
    [
        (backups, lambda *where: backups.write(*where, "/media/stick", lambda one: None, adds=True)),
        (remotes, lambda *where: remotes.update(*where, lambda present: [*present, remotes.Known("stick")])),
    ],
)
def test_a_list_that_the_disk_does_not_give_is_an_error_and_stays(
    room: Any, put: Any, workspace: Workspace, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.log("The roof has 300 tiles")
    where = Files(workspace.root), workspace.stores.manifest.agent_id, environment.state
    put(*where)
    real = os.open

    def fails(path: Any, *args: Any, **kwargs: Any) -> int:
        if path == room._NAME:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(path, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fails)
        with pytest.raises(DiskError):
            room.read(*where)
        with pytest.raises(DiskError):
            put(*where)

    assert len(room.read(*where)) == 1
