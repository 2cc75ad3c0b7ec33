"""The command line of identity: what is asked, what is refused, and the exit codes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import forked
from tests.features.journal.keeping import needs_signing


def agentws(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return forked.run_text("-C", str(root), *words)


@pytest.fixture
def lived(tmp_path: Path) -> Path:
    root = tmp_path / "robin"
    assert not forked.run("init", str(root), "--no-git").returncode
    assert not agentws(root, "event", "note", "hello").returncode
    return root


def test_show_is_one_object_for_programs_and_a_few_lines_for_people(lived: Path) -> None:
    fields = json.loads(agentws(lived, "identity", "show", "--json").stdout)
    lines = agentws(lived, "identity", "show").stdout.splitlines()

    assert fields["schema"] == "agentws/identity-show@1"
    assert (fields["standing"], fields["may_write"]) == ("same", True)
    assert fields["writers"][0]["here"]
    assert len(lines) < 12


def test_takeover_asks_and_a_script_must_agree(lived: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(lived, copy)

    asked = agentws(copy, "identity", "takeover")
    planned = agentws(copy, "identity", "takeover", "--dry-run")
    done = agentws(copy, "identity", "takeover", "--yes")

    assert asked.returncode == 3
    assert "--yes" in asked.stderr
    assert "none, only your confirmation" in asked.stdout
    assert planned.returncode == 0
    assert "Nothing was changed." in planned.stdout
    assert done.returncode == 0
    assert "New copy" not in agentws(copy, "boot").stdout
    assert "Nothing to take over" in agentws(copy, "identity", "takeover").stdout


def test_a_retired_agent_is_refused_with_15_until_it_is_revived(lived: Path) -> None:
    assert agentws(lived, "identity", "retire").returncode == 3
    assert agentws(lived, "identity", "retire", "--yes", "--reason", "done").returncode == 0

    refused = agentws(lived, "log", "x")
    assert refused.returncode == 15
    assert "identity revive" in refused.stderr
    assert agentws(lived, "event", "note", "x").returncode == 15
    assert agentws(lived, "boot").returncode == 0
    assert agentws(lived, "status").returncode == 3

    assert agentws(lived, "identity", "revive").returncode == 3
    assert agentws(lived, "identity", "revive", "--yes").returncode == 0
    assert agentws(lived, "log", "x").returncode == 0


@needs_signing
def test_two_machines_vouch_by_what_they_print(lived: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(lived, copy)
    wanted = json.loads(agentws(copy, "identity", "vouch", "--json").stdout)

    line = agentws(copy, "identity", "vouch").stdout.splitlines()[1]
    assert line == f"agentws identity vouch {wanted['writer']} --key '{wanted['key']}'"

    done = agentws(lived, "identity", "vouch", wanted["writer"], "--key", wanted["key"])
    assert done.returncode == 0
    shutil.copytree(lived / "identity", copy / "identity", dirs_exist_ok=True)
    assert "New copy" not in agentws(copy, "boot").stdout
    assert agentws(lived, "identity", "verify").returncode == 0


@needs_signing
def test_verify_exits_14_for_damage_and_3_for_what_needs_you(lived: Path) -> None:
    assert not agentws(lived, "journal", "seal").returncode
    assert agentws(lived, "identity", "verify").returncode == 0

    with (lived / "SOUL.md").open("a") as file:
        file.write("more\n")
    assert agentws(lived, "identity", "verify").returncode == 0, "what a document says is no matter of keys"
    with (lived / "identity/allowed_signers").open("a") as file:
        file.write(
            'x namespaces="agentws" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMuDvERMThhBbVki5atFpAjYlZXJObmtFDg2EuY09Y40\n'
        )
    assert agentws(lived, "identity", "verify").returncode == 3

    (segment,) = lived.glob("journal/*/000001.jsonl")
    segment.write_bytes(segment.read_bytes().replace(b"hello", b"hullo"))
    done = agentws(lived, "identity", "verify", "--json")
    assert done.returncode == 14
    assert json.loads(done.stdout)["damaged"]


def test_rotate_without_a_key_says_what_comes_first(lived: Path) -> None:
    for key in Path(json.loads(agentws(lived, "identity", "show", "--json").stdout)["state"]).glob("key*"):
        key.unlink()
    done = agentws(lived, "identity", "rotate")

    assert done.returncode == 2
    assert "journal seal" in done.stderr
