"""`agentws start`: what is there stays, what is missing is added, in one command."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from agentws.cli import main
from agentws.core.terminal import dialog
from agentws.features.init import command_start
from tests.forked import run_text

ROBIN = ("--name", "Robin", "--user", "Sam")
TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which Claude Code and Codex have been used."""
    for name in (".claude", ".codex"):
        (tmp_path / "home" / name).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    """The documents of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.md")}


def test_one_command_makes_a_workspace_connects_the_hosts_that_are_found_and_boots(home: Path) -> None:
    done = run_text("start", str(home / "robin"), *ROBIN)

    assert done.returncode == 0, done.stderr
    assert "Connected Claude Code: .claude/settings.json" in done.stdout
    assert "Connected Codex: " in done.stdout
    assert "Gemini" not in done.stdout
    assert "## USER.md" in done.stdout
    assert "**Name:** Sam" in done.stdout
    assert (
        "agentws hook" in (home / "robin/.claude/settings.json").read_text() or (home / "robin/.agentws/hook").exists()
    )


def test_a_second_start_changes_no_document_and_connects_nothing_again(home: Path) -> None:
    run_text("start", str(home / "robin"), *ROBIN)
    before = files(home / "robin")

    again = json.loads(run_text("start", str(home / "robin"), "--json").stdout)

    assert again["already"] is True
    assert [(one["host"], one["connected"], one["files"]) for one in again["hosts"]] == [
        ("claude-code", True, []),
        ("codex", True, []),
    ]
    assert files(home / "robin") == before


def test_adopted_files_keep_every_byte(home: Path) -> None:
    (home / "old").mkdir()
    (home / "old/SOUL.md").write_bytes(b"# Wren\r\n\r\nI am old.")

    run_text("start", str(home / "old"), "--host", "none")

    assert (home / "old/SOUL.md").read_bytes() == b"# Wren\r\n\r\nI am old."


@pytest.fixture
def plain(home: Path) -> Path:
    """A folder with code and instructions for any agent, without git."""
    folder = home / "code"
    (folder / "src").mkdir(parents=True)
    (folder / "src/main.py").write_text("pass\n")
    (folder / "AGENTS.md").write_text("# Build: make\n")
    return folder


@pytest.fixture
def code(plain: Path) -> Path:
    """A repository with code and instructions for any agent."""
    for words in (["init", "-q"], ["add", "."], ["-c", "user.email=a@b", "-c", "user.name=a", "commit", "-qm", "a"]):
        subprocess.run(["git", *words], cwd=plain, check=True)
    return plain


@pytest.mark.parametrize("where", [".", "src"])
def test_in_a_code_repository_the_memory_gets_a_folder_at_the_top_that_git_ignores(code: Path, where: str) -> None:
    run_text("start", *ROBIN, "--host", "none", cwd=code / where)

    assert (code / ".agentmem/SOUL.md").is_file()
    assert subprocess.check_output(["git", "status", "--short"], cwd=code) == b""
    again = json.loads(run_text("start", "--host", "none", "--json", cwd=code / "src").stdout)
    assert (again["root"], again["already"]) == (str(code / ".agentmem"), True)


def test_a_repository_without_a_commit_is_a_code_repository_too(plain: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=plain, check=True)

    run_text("start", *ROBIN, "--host", "none", cwd=plain)

    assert (plain / ".agentmem/SOUL.md").is_file()
    assert subprocess.check_output(["git", "status", "--short"], cwd=plain, text=True) == "?? AGENTS.md\n?? src/\n"


def test_without_a_repository_the_command_that_keeps_the_memory_apart_from_code_is_named(plain: Path) -> None:
    done = run_text("start", *ROBIN, cwd=plain)

    assert (plain / "SOUL.md").is_file()
    assert "To keep it in .agentmem/ instead" in done.stderr
    assert "agentws start --own-folder" in done.stderr
    for _ in json.loads(run_text("undo", "--list", "--json", cwd=plain).stdout)["changes"]:
        run_text("undo", "--yes", cwd=plain)
    apart = run_text("start", *ROBIN, "--own-folder", cwd=plain)
    assert apart.returncode == 0, apart.stderr
    assert not (plain / "SOUL.md").exists()
    assert (plain / ".agentmem/SOUL.md").is_file()


def test_the_memory_stays_in_the_root_of_a_repository_if_asked(code: Path) -> None:
    run_text("start", *ROBIN, "--host", "none", "--no-own-folder", cwd=code)

    assert (code / "SOUL.md").is_file()
    assert not (code / ".agentmem").exists()


def test_a_named_folder_inside_a_workspace_is_refused(home: Path) -> None:
    run_text("start", str(home / "robin"), *ROBIN)

    done = run_text("start", "deeper", cwd=home / "robin")

    assert done.returncode != 0
    assert "is inside the workspace" in done.stderr
    assert not (home / "robin/deeper").exists()


def test_the_home_folder_is_refused(home: Path) -> None:
    done = run_text("start", *ROBIN, cwd=home / "home")

    assert done.returncode == 2
    assert "agentws start DIR" in done.stderr
    assert not (home / "home/agentws.toml").exists()


def test_a_dry_run_writes_nothing(home: Path) -> None:
    done = run_text("start", str(home / "robin"), *ROBIN, "--dry-run")

    assert done.returncode == 0
    assert "Would connect: Claude Code, Codex" in done.stdout
    assert not (home / "robin").exists()


def test_an_unknown_host_is_refused_before_anything_is_made(home: Path) -> None:
    done = run_text("start", str(home / "robin"), "--host", "clod")

    assert done.returncode == 2
    assert "claude-code" in done.stderr
    assert not (home / "robin").exists()


def sessions(home: Path, project: Path) -> None:
    """Leave a session of Claude Code in a project."""
    slug = "".join(char if char.isalnum() else "-" for char in str(project))
    folder = home / "home/.claude/projects" / slug
    folder.mkdir(parents=True)
    said = {"sessionId": "s1", "timestamp": "2026-11-19T07:00:00Z"}
    rows = [
        {"type": "user", "uuid": "1", "message": {"content": "Order paint"}, **said},
        {
            "type": "assistant",
            "uuid": "2",
            "message": {"content": [{"type": "text", "text": f"Ordered with {TOKEN}."}]},
            **said,
        },
    ]
    (folder / "s1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"torn\n')


def test_it_imports_what_a_program_remembers_of_this_project_and_the_boot_shows_it(home: Path) -> None:
    sessions(home, home / "robin")

    done = run_text("start", str(home / "robin"), *ROBIN)

    assert done.returncode == 0, done.stderr
    assert "Imported from claude-code: 1 session request, 0 memories\n" in done.stdout
    assert "  not imported: s1.jsonl:3: not a JSON object\nMasked secrets: 1\n" in done.stdout
    assert "To take back all that was imported: agentws undo\n" in done.stdout
    assert "Asked: Order paint\n" in done.stdout
    again = json.loads(run_text("start", str(home / "robin"), "--json").stdout)
    assert again["imported"] == []


@pytest.mark.parametrize("option", ["none", "codex"])
def test_it_imports_only_what_import_names(home: Path, option: str) -> None:
    sessions(home, home / "robin")
    (home / "home/.codex/sessions").mkdir()

    done = json.loads(run_text("start", str(home / "robin"), *ROBIN, "--import", option, "--json").stdout)

    assert [each["source"] for each in done["imported"]] == ([] if option == "none" else [option])
    assert not list((home / "robin/memory").glob("*-import-*"))


def test_one_undo_takes_back_what_was_imported_from_several_programs(home: Path) -> None:
    sessions(home, home / "robin")
    notes = home / "home/.qwen/projects" / "".join(c if c.isalnum() else "-" for c in str(home / "robin")) / "chats"
    notes.mkdir(parents=True)
    said = {"sessionId": "q1", "cwd": str(home / "robin"), "timestamp": "2026-11-19T08:00:00Z"}
    row = {"type": "user", "uuid": "1", "message": {"role": "user", "parts": [{"text": "Paint the gate"}]}, **said}
    (notes / "q1.jsonl").write_text(json.dumps(row) + "\n")

    done = json.loads(run_text("start", str(home / "robin"), *ROBIN, "--host", "none", "--json").stdout)
    assert [each["source"] for each in done["imported"]] == ["claude-code", "qwen"]
    listed = json.loads(run_text("undo", "--list", "--json", cwd=home / "robin").stdout)["changes"]
    assert [row["verb"] for row in listed] == ["import qwen", "init"]
    run_text("undo", cwd=home / "robin")

    assert not list((home / "robin/memory").glob("*-import-*"))


def test_an_unknown_source_of_imports_is_refused_before_anything_is_made(home: Path) -> None:
    done = run_text("start", str(home / "robin"), *ROBIN, "--import", "abacus")

    assert done.returncode == 2
    assert not (home / "robin").exists()


def test_at_a_terminal_it_says_what_it_will_do_and_asks_for_the_two_names_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sessions(home, home / "robin")
    questions = []

    def answer(question: str, usual: str) -> str:
        questions.append(question)
        if len(questions) == 1:
            assert "  import   what Claude Code remembers of this project" in capsys.readouterr().out
        return usual or "Sam"

    monkeypatch.setattr(dialog, "is_terminal", lambda run: True)
    monkeypatch.setattr(dialog, "prompt", answer)
    monkeypatch.setattr(dialog, "confirm", lambda *_, **__: pytest.fail("a third question"))

    assert main.run(["start", str(home / "robin")]) == 0

    assert [question.partition(" [")[0].partition(" (")[0] for question in questions] == [
        "The agent's name",
        "Your name",
    ]
    assert "Imported from claude-code: 1 session request" in capsys.readouterr().out


def test_ctrl_c_after_the_workspace_is_made_says_how_to_go_on(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object, **__: object) -> bool:
        raise KeyboardInterrupt

    sessions(home, home / "robin")
    monkeypatch.setattr(command_start, "_import", stop)

    assert main.run(["start", str(home / "robin"), *ROBIN, "--host", "none"]) == 130

    printed = capsys.readouterr().err
    assert "Interrupted. The workspace is made. To connect the rest, run the same command again." in printed
    assert (home / "robin/agentws.toml").exists()
