"""What the messages of backups and syncs say to type can be typed: a path with a blank in it is one word."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from agentws.cli import main
from agentws.workspace import Workspace


def words_behind(text: str, command: str) -> list[str]:
    """The words of a command that a message names, as a shell reads them."""
    line = next(line for line in text.splitlines() if command in line)
    return shlex.split(line[line.index(command) :])


def test_commands_name_a_path_with_a_blank_as_one_word(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("AGENTWS_STATE_DIR", str(Path(workspace.root, ".agentws", "state")))
    stick, back, shared = tmp_path / "my stick", tmp_path / "my agent", tmp_path / "my share"
    stick.mkdir()
    shared.mkdir()
    assert main.run(["backup", "create", str(stick)]) == 0
    place = next(path for path in stick.iterdir() if path.is_dir())
    assert main.run(["backup", "restore", str(stick), str(back)]) == 0
    assert words_behind(capsys.readouterr().out, "agentws -C") == ["agentws", "-C", str(back), "identity", "takeover"]
    assert main.run(["drill", "--at", "77"]) == 2
    assert words_behind(capsys.readouterr().err, "agentws backup list")[3:] == [str(place)]
    assert main.run(["sync", str(shared)]) == 0
    next(shared.glob("*.git")).rename(tmp_path / "gone.git")
    assert main.run(["sync"]) == 20
    assert words_behind(capsys.readouterr().err, "agentws sync")[2:] == [str(shared)]
    stick.rename(tmp_path / "gone")
    assert main.run(["backup", "create"]) == 1
    capsys.readouterr()
    assert main.run(["status", "--full"]) == 3
    assert words_behind(capsys.readouterr().out, "agentws backup detach")[3:] == [str(stick)]
