"""agentws sync on the command line: a family that is a verb with a word of its own, quiet where it runs by itself."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests import forked

NOW = "2026-11-20T07:15:00+00:00"
AWAY = 20


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return forked.run_text(*words, cwd=cwd, env={**os.environ, "AGENTWS_NOW": NOW})


@pytest.fixture
def robin(tmp_path: Path) -> Path:
    """An agent that was synced with the folder `stick` beside it."""
    (tmp_path / "stick").mkdir()
    assert run("init", "robin", "--name", "Robin", "--no-git", cwd=tmp_path).returncode == 0
    assert run("sync", "../stick", cwd=tmp_path / "robin").returncode == 0
    return tmp_path / "robin"


def test_a_word_that_names_none_of_its_verbs_is_the_remote(robin: Path) -> None:
    told = json.loads(run("sync", "../stick", "--json", cwd=robin).stdout)

    assert told["remotes"][0]["remote"] == str(robin.parent / "stick")
    assert run("sync", "conflicts", cwd=robin).stdout == "No conflicts.\n"
    assert "nobody" in run("sync", "lease", "show", cwd=robin).stdout


def test_the_remotes_are_listed_with_what_fails(robin: Path) -> None:
    before = run("sync", "list", cwd=robin).stdout
    (robin.parent / "stick").rename(robin.parent / "gone")
    run("sync", cwd=robin)
    after = run("sync", "list", cwd=robin).stdout
    run("sync", "detach", "../stick", cwd=robin)

    stick = str(robin.parent / "stick")
    assert before.startswith(f"{stick}: synced 2")
    assert before.count("\n") == 1
    assert (after.splitlines()[0], "  Failed since 2" in after, "not found" in after) == (before.strip(), True, True)
    assert run("sync", "list", cwd=robin).stdout.startswith("No remote is known.")


def test_two_remotes_at_once_are_refused(robin: Path) -> None:
    assert run("sync", "../stick", "../another", cwd=robin).returncode == 2


def test_a_quiet_sync_that_changes_nothing_says_nothing(robin: Path) -> None:
    assert run("sync", "-q", cwd=robin).stdout == ""
    assert run("sync", cwd=robin).stdout == "Sync: nothing new.\n"


def test_a_remote_that_is_away_fails_but_where_that_is_expected(robin: Path) -> None:
    (robin.parent / "stick").rename(robin.parent / "gone")

    away = run("sync", cwd=robin)
    expected = run("sync", "-q", "--when-reachable", cwd=robin)

    assert (away.returncode, "not found" in away.stderr) == (AWAY, True)
    assert (expected.returncode, expected.stdout, expected.stderr) == (0, "", "")
    assert "it is out of reach since" in run("status", cwd=robin).stdout


def test_what_comes_and_goes_is_told_in_words(robin: Path) -> None:
    joined = run("sync", "join", "../stick", "../laptop", cwd=robin)
    laptop = robin.parent / "laptop"
    run("log", "Rang the office", cwd=laptop)
    run("task", "add", "Paint the fence", cwd=laptop)

    (command,) = re.findall("agentws (identity vouch .*)", joined.stdout)
    assert run(*shlex.split(command), cwd=robin).returncode == 0
    assert run("sync", "-q", cwd=laptop).stdout.startswith("out: 1 entry, 1 task, 1 event")
    assert run("sync", "--dry-run", "-q", cwd=robin).stdout.startswith("would come in: 1 entry, 1 task")
    assert run("sync", "-q", cwd=robin).stdout.startswith("in: 1 entry, 1 task")


def test_a_dry_run_names_what_does_not_travel(robin: Path) -> None:
    (robin / "drawings").mkdir()
    (robin / "drawings" / "roof.svg").write_text("<svg/>")

    assert "not synced: drawings/ (1 in all; to add: sync.include)" in run("sync", "--dry-run", cwd=robin).stdout
    assert "not synced" not in run("sync", cwd=robin).stdout


def test_joining_in_a_folder_that_holds_something_is_refused(robin: Path) -> None:
    full = robin.parent / "full"
    full.mkdir()
    (full / "letter.txt").write_text("Dear Anna")

    done = run("sync", "join", "../stick", "../full", cwd=robin)

    assert (done.returncode, "not empty" in done.stderr) == (2, True)
    assert [path.name for path in full.iterdir()] == ["letter.txt"]
    assert not list(robin.parent.glob(".sync*"))


def test_a_remote_that_was_never_used_is_answered_with_those_that_were(robin: Path) -> None:
    said = run("sync", "detach", "laptop", cwd=robin)
    assert said.returncode != 0
    assert "is not a known remote" in said.stderr
    assert str(robin.parent / "stick") in said.stderr
    assert "agentws sync detach [OPTIONS] {REMOTE}" in run("sync", "detach", "--help", cwd=robin).stdout
