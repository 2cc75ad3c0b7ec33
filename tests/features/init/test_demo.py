"""The demonstration: real processes, a real kill, and a boot that shows the action without a result."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from tests.forked import run_text


def test_the_next_boot_shows_the_action_that_the_killed_agent_had_begun(tmp_path: Path) -> None:
    done = run_text("demo", str(tmp_path / "robin"))

    assert done.returncode == 0, done.stderr
    long, short = done.stdout.split("$ agentws boot --budget 600\n")
    for text in (long, short):
        assert "In flight: 1 action, result unknown" in text
        assert "send_mail" in text
        assert "Invoices for November" in text
    assert "of 600 tokens" in short
    assert f"cd {tmp_path}/robin" in short
    assert "rm -rf" not in short


def test_a_temporary_folder_is_named_with_the_command_that_deletes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    done = run_text("demo")

    [folder] = tmp_path.glob("agentws-demo-*")
    assert done.stdout.splitlines()[-1] == f"Delete this folder afterwards: rm -rf {folder}"


def test_json_holds_both_texts_and_the_folder_is_a_workspace(tmp_path: Path) -> None:
    told = json.loads(run_text("demo", str(tmp_path / "robin"), "--json").stdout)

    assert told["folder"] == str(tmp_path / "robin")
    long, short = (one["text"] for one in told["boots"])
    assert len(short) < len(long)
    listed = run_text("session", "list", "-C", told["folder"], "--json")
    assert [one["state"] for one in json.loads(listed.stdout)["sessions"]] == ["crashed"]


def test_a_folder_with_files_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("mine\n")

    done = run_text("demo", str(tmp_path))

    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["notes.md"]
