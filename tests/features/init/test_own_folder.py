"""In a code repository the agent's memory can be kept in `.agentmem/`, apart from the code, and verbs there find it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.cli import main
from agentws.core.disk import locate
from agentws.core.terminal import dialog
from agentws.workspace import Environment, Workspace, initialise
from tests import table
from tests.features.init.test_init_private import code, git, staged

__all__ = ["code"]


def answers(monkeypatch: pytest.MonkeyPatch, *, apart: bool) -> list[str]:
    """Answer the questions of `init` at a terminal; return those that are asked."""
    asked: list[str] = []

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return apart if "code repository" in question else True

    monkeypatch.setattr(dialog, "is_terminal", lambda run: True)
    monkeypatch.setattr(dialog, "confirm", confirm)
    monkeypatch.setattr(dialog, "prompt", lambda question, usual: usual)
    return asked


def test_the_flag_makes_a_folder_with_a_history_of_its_own_that_git_ignores(code: Path) -> None:
    before = sorted(code.iterdir())

    assert main.run(["init", "--own-folder", str(code)]) == 0

    assert sorted(code.iterdir()) == [code / ".agentmem", *before]
    assert (code / ".agentmem/.git").is_dir()
    assert (code / ".agentmem/agentws.toml").read_text().count(f'name = "{code.name}"') == 1
    assert staged(code) == set()
    assert git(code, "for-each-ref", "refs/agentws") == ""


def test_a_terminal_is_asked_and_no_means_as_before(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answers(monkeypatch, apart=False)

    assert main.run(["init", str(code)]) == 0

    assert len(asked) == 2
    assert (code / "agentws.toml").exists()
    assert not (code / ".agentmem").exists()


def test_yes_at_a_terminal_keeps_it_apart_and_a_second_init_finds_it(
    code: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = answers(monkeypatch, apart=True)

    assert main.run(["init", str(code)]) == 0
    assert main.run(["init", str(code)]) == 0

    assert len(asked) == 1
    assert not (code / "agentws.toml").exists()
    assert f"{code}/.agentmem is already a workspace" in capsys.readouterr().out


def test_without_a_terminal_it_is_made_where_it_always_was_and_both_flags_are_named(
    code: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(options: list[str]) -> None:
        assert main.run(["init", *options, str(code)]) == 0
        told = capsys.readouterr().out
        assert "agentws init --private" in told
        assert "agentws init --own-folder" in told

    table.holds(check, [["--dry-run"], []])
    assert (code / "agentws.toml").exists()


def test_nobody_is_asked_where_the_agent_has_files_or_the_folder_is_no_top(
    code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answers(monkeypatch, apart=True)
    (code / "AGENTS.md").write_text("# How\n")

    for folder in (code / "robin", code):
        assert main.run(["init", str(folder)]) == 0
        assert (folder / "agentws.toml").exists()

    assert not [question for question in asked if "code repository" in question]


def test_verbs_anywhere_in_the_repository_find_it(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main.run(["init", "--own-folder", str(code)])
    (code / "src/deep").mkdir(parents=True)

    for folder in (code, code / "src/deep", code / ".agentmem/memory"):
        monkeypatch.chdir(folder)
        assert locate.find(None) == f"{code}/.agentmem"
        assert main.run(["log", f"in {folder.name}"]) == 0
    assert locate.find(str(code)) == f"{code}/.agentmem"
    assert locate.find(str(code / "src")) is None
    assert staged(code) == set()


def test_a_link_in_its_place_is_not_followed_and_the_folder_itself_comes_first(
    code: Path, tmp_path: Path, environment: Environment
) -> None:
    initialise(str(tmp_path / "private"), environment, git=False)
    os.symlink(tmp_path / "private", code / ".agentmem")
    assert locate.find(str(code)) is None
    (code / ".agentmem").unlink()

    main.run(["init", "--own-folder", str(code)])
    (code / "agentws.toml").write_text("format = 1\n")
    assert locate.find(str(code)) == str(code)


def test_boot_says_in_which_folder_the_files_are_that_it_names(code: Path) -> None:
    main.run(["init", "--own-folder", str(code)])

    text = Workspace.open(str(code)).boot().text

    assert " · files in .agentmem/" in text.partition("## Now")[2].splitlines()[1]


def test_hosts_are_installed_in_the_repository(code: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main.run(["init", "--own-folder", str(code)])

    assert main.run(["-C", str(code), "install", "claude-code", "--dry-run"]) == 0

    assert f"{code}/.claude/settings.json" in capsys.readouterr().out


def test_after_undo_git_still_ignores_what_remains(code: Path) -> None:
    assert main.run(["init", "--own-folder", str(code)]) == 0

    assert main.run(["-C", str(code), "undo", "--yes"]) == 0

    assert (code / ".agentmem/.git").is_dir()
    assert staged(code) == set()


def test_a_second_workspace_below_the_project_is_refused_with_the_place_of_the_first(
    code: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["init", "--own-folder", str(code)]) == 0
    (code / "below").mkdir()

    assert main.run(["init", str(code / "below")]) != 0

    assert f"inside the workspace {code / '.agentmem'}" in capsys.readouterr().err
    assert not list((code / "below").iterdir())


@pytest.mark.parametrize("options", [[], ["--dry-run"], ["--yes"], ["--private"]])
def test_own_folder_in_a_folder_that_is_a_workspace_itself_is_refused_with_a_way_out(
    code: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    assert main.run(["init", str(code)]) == 0

    assert main.run(["init", "--own-folder", *options, str(code)]) == 1

    says = capsys.readouterr().err
    assert "agentws init --private" in says
    assert "agentws undo --yes && agentws init --own-folder" in says
    assert main.run(["-C", str(code), "undo", "--yes"]) == 0
    assert main.run(["init", "--own-folder", str(code)]) == 0


@pytest.mark.parametrize(("folder", "place"), [("", ".agentmem"), ("src", "../.agentmem"), (".agentmem", "")])
def test_unpasteable_paths_doctor_says_in_which_folder_its_paths_are_meant(
    code: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: str, place: str
) -> None:
    """`git remote add` where the user is would change the repository of the code."""
    assert main.run(["init", "--own-folder", str(code)]) == 0
    (code / ".agentmem/memory/2026-11-18.md").write_text("<<<<<<< a\n- Fog.\n=======\n- Rain.\n>>>>>>> b\n")
    (code / "src").mkdir(exist_ok=True)
    monkeypatch.chdir(code / folder)
    capsys.readouterr()

    main.run(["doctor"])

    said = [line for line in capsys.readouterr().out.split("\n") if "are meant in" in line]
    assert said == ([f"Paths and commands of the shell are meant in {place}: cd {place}"] if place else [])
