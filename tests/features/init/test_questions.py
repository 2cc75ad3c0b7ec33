"""`init` at a terminal asks for the agent's name, the person's and the time zone; Enter accepts what is proposed."""

from __future__ import annotations

import os
import pty
import pwd
import select
import signal
import sys
from pathlib import Path

import pytest

from agentws.cli import main
from agentws.core.terminal import dialog
from tests import table

_PATIENCE_S = 60


class Person:
    """Answers questions by what they begin with; an answer of None is Enter, and Ctrl-C is `stop`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, answers: dict[str, list[str | None]]) -> None:
        self.asked: list[str] = []
        self.answers = {begin: list(each) for begin, each in answers.items()}
        monkeypatch.setattr(dialog, "is_terminal", lambda run: True)
        monkeypatch.setattr(dialog, "prompt", self.prompt)
        monkeypatch.setattr(dialog, "confirm", lambda question, **_: pytest.fail(question))

    def prompt(self, question: str, usual: str) -> str:
        self.asked.append(question)
        answer = next((each.pop(0) for begin, each in self.answers.items() if begin in question and each), None)
        if answer == "stop":
            raise KeyboardInterrupt
        return usual if answer is None else answer


def test_answers_are_what_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "heron"
    person = Person(
        monkeypatch,
        {"agent": ["Robin"], "Your name": ["Maren Ø"], "zone": ["Mars/Base", "Europe/Lisbon"]},
    )

    assert main.run(["init", str(root), "--no-git"]) == 0

    manifest = (root / "agentws.toml").read_text()
    assert 'name = "Robin"' in manifest
    assert 'timezone = "Europe/Lisbon"' in manifest
    assert "- **Name:** Maren Ø\n" in (root / "USER.md").read_text()
    assert len(person.asked) == 4
    assert "Mars/Base" in person.asked[-1]


def test_enter_accepts_the_folders_name_and_this_machines_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "heron"
    monkeypatch.setenv("TZ", "Europe/Oslo")
    person = Person(monkeypatch, {})

    assert main.run(["init", str(root), "--no-git"]) == 0

    assert "The agent's name [heron]" in person.asked
    assert "Your time zone [Europe/Oslo]" in person.asked
    assert 'name = "heron"' in (root / "agentws.toml").read_text()
    assert 'timezone = "Europe/Oslo"' in (root / "agentws.toml").read_text()
    usual = pwd.getpwuid(os.getuid()).pw_gecos.partition(",")[0]
    assert f"- **Name:** {usual}".rstrip() in (root / "USER.md").read_text()


def test_what_is_known_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(row: tuple[list[str], dict[str, str], list[str]]) -> None:
        options, files, questions = row
        root = tmp_path / "-".join(["a", *options, *files])
        root.mkdir()
        for name, text in files.items():
            (root / name).write_text(text)
        person = Person(monkeypatch, {})

        assert main.run(["init", str(root), "--no-git", *options]) == 0

        assert [question.partition(" [")[0].partition(" (")[0] for question in person.asked] == questions
        assert all((root / name).read_text() == text for name, text in files.items())

    every = ["The agent's name", "Your name", "Your time zone"]
    table.holds(
        check,
        [
            ([], {}, every),
            (["--name", "Robin"], {}, every[1:]),
            (["--name", "Robin", "--timezone", "UTC"], {}, every[1:2]),
            ([], {"User.md": "# Maren\n"}, [every[0], every[2]]),
            (["--yes"], {}, []),
            (["--dry-run"], {}, []),
        ],
    )


def test_ctrl_c_at_any_question_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(question: str) -> None:
        Person(monkeypatch, {question: ["stop"]})
        assert main.run(["init", str(tmp_path / "new")]) == 130
        assert list(tmp_path.iterdir()) == []

    table.holds(check, ["agent", "Your name", "zone"])


def test_a_second_init_asks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["init", str(tmp_path / "heron"), "--no-git"]
    Person(monkeypatch, {})
    assert main.run(words) == 0

    again = Person(monkeypatch, {})
    assert main.run(words) == 0

    assert again.asked == []


def test_at_a_real_terminal_ctrl_c_ends_it_with_130_and_no_folder(tmp_path: Path) -> None:
    child, fd = pty.fork()
    if not child:
        os.execv(sys.executable, [sys.executable, "-m", "agentws", "init", str(tmp_path / "new")])
    seen = b""
    while b"name [new]" not in seen:
        assert select.select([fd], [], [], _PATIENCE_S)[0], seen
        seen += os.read(fd, 4096)
    os.kill(child, signal.SIGINT)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130
    assert list(tmp_path.iterdir()) == []
