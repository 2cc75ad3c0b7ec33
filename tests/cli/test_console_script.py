"""Where the console script is: a path that hooks and schedules may call from anywhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agentws.core.terminal import console_script
from agentws.features.hosts.hook.call import hear


def script(folder: Path, *, mode: int = 0o755) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "agentws"
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return str(path)


@pytest.fixture(autouse=True)
def _nothing_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["-c"])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))


def test_the_script_that_runs_is_the_one_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running = script(tmp_path / "tools")
    script(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["tools/agentws"])

    assert console_script.path() == running


def test_else_it_is_the_one_beside_this_python_else_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_the_path = script(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert console_script.path() == on_the_path

    beside = script(tmp_path)
    assert console_script.path() == beside


def test_a_link_stays_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    link = tmp_path / "bin" / "agentws"
    link.symlink_to(script(tmp_path / "tools" / "version-1"))
    monkeypatch.setattr(sys, "argv", [str(link)])

    assert console_script.path() == str(link)


def test_what_cannot_be_called_from_anywhere_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here" / "agentws").mkdir(parents=True)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "here" / "agentws")])
    assert console_script.path() is None, "a folder"

    script(tmp_path / "there")
    monkeypatch.chdir(tmp_path / "there")
    monkeypatch.setattr(sys, "argv", ["agentws"])
    assert console_script.path() is None, "a word that says no place"

    monkeypatch.chdir(tmp_path)
    script(tmp_path / "bin")
    monkeypatch.setenv("PATH", "bin")
    assert console_script.path() is None, "a folder of the PATH that is relative"

    monkeypatch.setattr(sys, "argv", [script(tmp_path / "off", mode=0o644)])
    assert console_script.path() is None, "No `agentws` command"


@pytest.mark.parametrize(("host", "wanted"), [("codex", "/usr/local/bin/agentws"), ("gemini", "agentws")])
def test_who_is_allowed_the_path_alone_is_told_it_also_in_a_folder_of_the_system(
    monkeypatch: pytest.MonkeyPatch, host: str, wanted: str
) -> None:
    monkeypatch.setattr(console_script, "path", lambda: "/usr/local/bin/agentws")
    monkeypatch.setattr(console_script, "is_named", lambda: True)

    in_full = hear(host, "").traits.IN_FULL
    assert console_script.command("/w", in_full=in_full, elsewhere=False) == wanted
    assert console_script.command("/w", in_full=in_full, elsewhere=True) == f"{wanted} -C /w"
