"""import beside forgotten text and beside another import: what is left out is counted, the rest is added once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.errors import LockHeldError
from agentws.features.transfer import importer
from agentws.workspace import Workspace
from tests.features.transfer.material import notes, read, session

PAGE = "memory/imported/markdown.md"


def test_forgotten_text_stays_out(workspace: Workspace, tmp_path: Path) -> None:
    workspace.log("Zebulon Quark called")
    workspace.memory.forget(matching=["Zebulon Quark"])
    path = notes(tmp_path / "vault", "Zebulon Quark likes tea", "The gate is green")
    talk = session(tmp_path / "s.jsonl", ("2026-11-18T07:00:00Z", "Write to Zebulon Quark\nand buy paint", "Done."))

    done = workspace.memory.import_from("markdown", path)
    said = workspace.memory.import_from("claude-code", talk)

    assert (done.memories, done.forgotten, dict(done.reasons)) == (1, 1, {"forgotten": 1})
    assert (said.sessions, said.forgotten) == (1, 1)
    assert "Asked: and buy paint" in read(workspace, said.paths[0])
    for file in Path(workspace.root, "memory").rglob("*.md"):
        assert "Zebulon" not in file.read_text()


def test_only_requests_that_bring_in_forgotten_text_are_left_out(workspace: Workspace, tmp_path: Path) -> None:
    workspace.log("Zebulon Quark called")
    workspace.memory.forget(matching=["Zebulon Quark"])
    requests = ("Fix the engine", "Write to Zebulon\n\nQuark about rent", "Order paint", "Call Zebulon", "Quark waits")
    path = session(
        tmp_path / "s.jsonl", *((f"2026-11-18T07:0{minute}:00Z", each, "") for minute, each in enumerate(requests))
    )

    planned = workspace.memory.import_from("claude-code", path, dry_run=True)
    done = workspace.memory.import_from("claude-code", path)
    again = workspace.memory.import_from("claude-code", path)

    assert (done.sessions, done.forgotten, dict(done.reasons)) == (3, 2, {"forgotten": 2})
    assert (planned.sessions, planned.reasons) == (done.sessions, done.reasons)
    assert (again.known, again.sessions) == (3, 1)
    text = read(workspace, done.paths[0])
    assert "Asked: Fix the engine (via" in text
    assert "Then asked: Order paint; Call Zebulon\n" in text


def test_two_imports_at_once_add_nothing_twice(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = notes(tmp_path / "vault", "The gate is green")
    monkeypatch.setattr(importer, "_LOCK_TIMEOUT_S", 0)
    refusals = []

    def import_too(done: int, size: int) -> None:
        with pytest.raises(LockHeldError, match=f"process {os.getpid()}: import markdown") as refused:
            Workspace.open(workspace.root).memory.import_from("markdown", path)
        refusals.append(refused)

    done = workspace.memory.import_from("markdown", path, progress=import_too)

    assert refusals
    assert (done.memories, read(workspace, PAGE).count("The gate is green")) == (1, 1)
    assert workspace.memory.import_from("markdown", path).known == 1
