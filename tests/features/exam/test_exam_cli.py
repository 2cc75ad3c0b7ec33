"""`agentws exam` for people and CI: exit codes and output."""

from __future__ import annotations

import json
from pathlib import Path

from tests.forked import run_text


def test_a_failed_exam_exits_3_and_names_file_and_line(tmp_path: Path) -> None:
    run_text("init", str(tmp_path), "--name", "Robin")
    (tmp_path / "exam.toml").write_text("[[must]]\nboot = 'Robin'\n\n[[must]]\nboot = 'the moon'\n")

    done = run_text("exam", "-C", str(tmp_path))

    assert done.returncode == 3
    assert done.stdout.splitlines() == [
        "exam.toml:4: must: boot does not match the moon.",
        "1 of 2 questions passed.",
    ]
    assert "1 of 2 questions failed." in done.stderr
    answers = json.loads(run_text("exam", "-C", str(tmp_path), "--json").stdout)["answers"]
    assert [(answer["passed"], answer["line"]) for answer in answers] == [(True, 1), (False, 4)]


def test_an_expression_shows_no_control_characters(tmp_path: Path) -> None:
    run_text("init", str(tmp_path), "--name", "Robin")
    (tmp_path / "exam.toml").write_text('[[must]]\nboot = "x\\u001b]0;\\u202e"\n')

    done = run_text("exam", "-C", str(tmp_path))

    assert done.returncode == 3
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout


def test_bad_toml_exits_14_with_its_line(tmp_path: Path) -> None:
    run_text("init", str(tmp_path), "--name", "Robin")
    (tmp_path / "exam.toml").write_text("[[must]]\nboot 'x'\n")

    done = run_text("exam", "-C", str(tmp_path))

    assert done.returncode == 14
    assert "exam.toml:2: " in done.stderr


def test_a_dry_run_without_a_suggestion_is_refused(tmp_path: Path) -> None:
    run_text("init", str(tmp_path), "--name", "Robin")

    assert run_text("exam", "-C", str(tmp_path), "--dry-run").returncode == 2


def test_a_secret_in_an_expression_is_not_printed(tmp_path: Path) -> None:
    token = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
    run_text("init", str(tmp_path), "--name", "Robin")
    (tmp_path / "exam.toml").write_text(f"[[must]]\nboot = '{token}'\n")

    for words in (("exam",), ("exam", "--json"), ("doctor",)):
        done = run_text(*words, "-C", str(tmp_path))
        assert done.returncode == 3
        assert token not in done.stdout + done.stderr
