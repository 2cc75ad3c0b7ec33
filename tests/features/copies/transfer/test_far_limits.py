"""What another machine sends is bounded: an answer without an end, and a small pack that holds gigabytes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from agentws.core.states import depot, git_history, past
from agentws.errors import OutsideProgramError, TooLargeError
from agentws.features.copies.transfer import conversation, ssh
from tests.core.states.past_states import content


def _ssh(folder: Path, script: str) -> None:
    """A program of the name `ssh` that is the far end."""
    place = folder / "ssh"
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)


def test_an_answer_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssh, "_LONGEST_ANSWER_BYTES", 1 << 20)
    _ssh(tmp_path, f"echo {conversation.MARK}; exec cat /dev/zero")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    asked = ssh.OverSsh("far.example", "sam")
    try:
        with pytest.raises(OutsideProgramError, match="more than 1 MiB"):
            asked.greet()
    finally:
        asked.close()


def _repository(folder: Path, data: bytes) -> tuple[str, str]:
    """A repository with one blob, and the commit that holds it as `MEMORY.md`."""
    ask = ["git", "-C", str(folder), "-c", "user.name=Sam", "-c", "user.email=sam@example.org"]
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "MEMORY.md").write_bytes(data)
    subprocess.run([*ask, "add", "."], check=True)
    subprocess.run([*ask, "commit", "-q", "-m", "one", "--no-verify"], check=True)
    done = subprocess.run([*ask, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return str(folder), done.stdout.strip()


def test_a_blob_that_no_migration_makes_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(depot, "LARGEST_BLOB_BYTES", 1 << 20)
    url, _ = _repository(tmp_path / "there", b"\0" * (2 << 20))
    (tmp_path / "within").mkdir()
    there = depot.Depot(url, str(tmp_path / "within"))
    try:
        tree = there.tree(there.fetch("HEAD"))
        with pytest.raises(TooLargeError, match="2 MiB"):
            there.blob(tree["MEMORY.md"])
        with pytest.raises(TooLargeError, match="2 MiB"):
            there._blobs([tree["MEMORY.md"]])
    finally:
        there.close()


def test_a_past_file_that_is_too_large_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past, "_MOST_BYTES", 1 << 20)
    url, commit = _repository(tmp_path / "here", b"\0" * (2 << 20))
    history = git_history.GitHistory(
        root=url, git_dir=f"{url}/.git", mode="branch", ref="", author=("Sam", "sam@example.org"), scratch=str(tmp_path)
    )
    with pytest.raises(TooLargeError, match="more than 1 MiB"):
        content(history, "MEMORY.md", at=commit)
