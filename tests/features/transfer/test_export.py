"""export: every entry leaves with its time and origin, and an import elsewhere has the same entries."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Literal

import pytest

from agentws.errors import UsageError
from agentws.features.transfer import exporter
from agentws.features.transfer.plan import records
from agentws.workspace import Environment, Workspace
from tests import table
from tests.conftest import NOW

TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
LOG = """\
# 2026-11-18

- 07:15 [decision] Keep the green gate !8 #garden ^t3fk
- 07:20 The page says so (via tool:web)
- 07:30 Two lines:
  the second one, with [rule] in it.

## Later

A paragraph (via user) about the pier.

```sh
make gate
```

| tree | state |
|---|---|
| fig | asleep |
"""


@pytest.fixture
def full(workspace: Workspace) -> Workspace:
    """A workspace with memory, logs in several forms, a task and a secret."""
    root = Path(workspace.root)
    (root / "memory").mkdir(exist_ok=True)
    (root / "memory/2026-11-18.md").write_text(LOG)
    (root / "memory/archive/2026").mkdir(parents=True)
    (root / "memory/archive/2026/2026-01-02.md").write_text("- 09:00 Snow\n")
    (root / "memory/topics.md").write_text("# Topics\n\n## Boats\n\n- Otter\n  - green\n- Heron\n")
    workspace.remember("Leo likes coffee", section="People")
    workspace.remember(f"The token is on paper, not {TOKEN[:4]}")
    workspace.tasks.add("Paint the gate", steps=["sand"])
    return workspace


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def entries(path: Path) -> list[tuple[object, ...]]:
    """The entries of an export, marks as plain words."""
    plain = {"[decision] Keep the green gate !8 #garden ^t3fk": "decision: Keep the green gate #garden"}
    texts = ((row, str(row["text"])) for row in rows(path))
    return sorted((str(row["kind"]), str(row["at"]), plain.get(text, text)) for row, text in texts)


def test_an_export_that_is_imported_elsewhere_has_the_same_entries(full: Workspace, tmp_path: Path) -> None:
    full.memory.export(str(tmp_path / "a.jsonl"))
    other = Workspace.init(str(tmp_path / "other"), environment=Environment(now=NOW))
    for name in ("SOUL.md", "USER.md", "AGENTS.md", "MEMORY.md"):
        Path(other.root, name).write_text("")

    done = other.memory.import_from("agentws", str(tmp_path / "a.jsonl"))

    other.memory.export(str(tmp_path / "b.jsonl"))
    assert entries(tmp_path / "b.jsonl") == entries(tmp_path / "a.jsonl")
    assert done.read == done.lines + done.memories == len(rows(tmp_path / "a.jsonl"))
    assert {row["origin"] for row in rows(tmp_path / "b.jsonl")} == {"import:agentws", "tool:web"}


def test_a_record_has_its_time_its_origin_its_place_and_the_headings_above(full: Workspace, tmp_path: Path) -> None:
    full.memory.export(str(tmp_path / "a.jsonl"))

    found = {str(row["text"]): row for row in rows(tmp_path / "a.jsonl")}

    web = found["The page says so"]
    assert web == {
        "v": 1,
        "kind": "log",
        "at": "2026-11-18T07:20",
        "origin": "tool:web",
        "path": "memory/2026-11-18.md",
        "line": 4,
        "text": "The page says so",
    }
    assert found["Two lines:\nthe second one, with [rule] in it."]["at"] == "2026-11-18T07:30"
    assert found["Later: A paragraph (via user) about the pier."]["at"] == "2026-11-18"
    assert found["Later:\n```sh\nmake gate\n```"]["kind"] == "log"
    assert found["Later:\n| tree | state |\n|---|---|\n| fig | asleep |"]["line"] == 18
    assert found["People: Leo likes coffee"]["path"] == "MEMORY.md"
    assert found["Boats: Otter\n- green"]["kind"] == "memory"


@pytest.mark.parametrize(("name", "source"), [("all.md", "markdown"), ("all", "memfs")])
def test_what_leaves_as_markdown_comes_back_whole(full: Workspace, tmp_path: Path, name: str, source: str) -> None:
    full.memory.export(str(tmp_path / "a.jsonl"))

    full.memory.export(str(tmp_path / name))

    other = Workspace.init(str(tmp_path / "other"), environment=Environment(now=NOW))
    other.memory.import_from(source, str(tmp_path / name))
    page = Path(other.root, f"memory/imported/{source}.md").read_text().replace("\\", "")
    words = " ".join(page.split())
    missing = [row["text"] for row in rows(tmp_path / "a.jsonl") if " ".join(str(row["text"]).split()) not in words]
    assert not [text for text in missing if "\n" not in str(text)], missing
    assert all(str(text).split("\n")[-1] in page for text in missing)


def test_a_task_leaves_with_its_title_and_its_state(workspace: Workspace, tmp_path: Path) -> None:
    workspace.tasks.add("Rewrite the lids", priority="high", due="2026-12-01")
    workspace.tasks.add("Paint the gate", steps=["sand"])
    workspace.tasks.wait("paint-the-gate", on="Sam")

    for name in ("a.jsonl", "a.md", "a"):
        workspace.memory.export(str(tmp_path / name))

    files = (tmp_path / "a.jsonl", tmp_path / "a.md", tmp_path / "a/reference/tasks-rewrite-the-lids.md")
    for path in files:
        assert "Task Rewrite the lids (open; priority high; due 2026-12-01)" in path.read_text(), path
    assert "Task Paint the gate (waiting; waiting for: Sam)" in (tmp_path / "a.md").read_text()


def test_a_record_may_claim_an_origin_outside_and_no_other(workspace: Workspace, tmp_path: Path) -> None:
    def becomes(claim: tuple[str, str]) -> None:
        record = {"kind": "memory", "at": "", "origin": claim[0], "text": f"The gate of {claim[0]} is green"}
        (tmp_path / "a.jsonl").write_text(json.dumps(record))
        done = workspace.memory.import_from("agentws", str(tmp_path / "a.jsonl"))
        assert Path(workspace.root, done.paths[0]).read_text().endswith(f"is green (via {claim[1]})\n")

    own = "import:agentws"
    claims = (
        ("import:mem0", "tool:web", "net:mail"),
        ("user", "agent", "agent:Kim", "unknown", "", "tool:a b", "tool:)"),
    )
    table.holds(becomes, [*((word, word) for word in claims[0]), *((word, own) for word in claims[1])])


def test_memfs_has_the_pages_that_its_agents_always_read(full: Workspace, tmp_path: Path) -> None:
    full.memory.export(str(tmp_path / "all"))

    assert (tmp_path / "all/system/memory.md").read_text().startswith('---\ndescription: "Long-term facts."\n---\n- ')
    assert "- 07:20 The page says so (from tool:web)\n" in (tmp_path / "all/reference/2026-11-18.md").read_text()


def test_secrets_stay_here(workspace: Workspace, tmp_path: Path) -> None:
    Path(workspace.root, "memory/notes.md").write_text(f"- the token is {TOKEN}\n")

    for name in ("a.jsonl", "a.md", "a"):
        assert workspace.memory.export(str(tmp_path / name)).secrets == 1
    for path in (tmp_path / "a.jsonl", tmp_path / "a.md", tmp_path / "a/reference/notes.md"):
        assert TOKEN not in path.read_text()


def test_nothing_is_overwritten_and_a_file_is_complete_or_missing(
    full: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there.md").write_text("mine")
    with pytest.raises(UsageError, match="exists"):
        full.memory.export(str(tmp_path / "there.md"))
    with pytest.raises(UsageError, match="unknown format"):
        full.memory.export(str(tmp_path / "a.pdf"))

    def broken(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("agentws.features.transfer.plan.records.to_line", broken)
    with pytest.raises(KeyboardInterrupt):
        full.memory.export(str(tmp_path / "a.jsonl"))
    assert sorted(path.name for path in tmp_path.glob("a.jsonl*")) == []


@pytest.mark.parametrize(("name", "format"), [("memory/robin.md", None), ("memory/mfs", "memfs"), ("a.jsonl", None)])
def test_an_export_into_the_workspace_is_refused(
    full: Workspace, tmp_path: Path, name: str, format: Literal["memfs"] | None
) -> None:
    (tmp_path / "link").symlink_to(full.root)

    for root in (Path(full.root), tmp_path / "link"):
        with pytest.raises(UsageError, match="in the workspace"):
            full.memory.export(str(root / name), format=format)

    assert not Path(full.root, name).exists()


@pytest.mark.parametrize("name", ["a.jsonl", "a.md", "a"])
def test_a_killed_export_leaves_no_part_in_its_place_and_the_next_one_succeeds(
    full: Workspace, tmp_path: Path, name: str
) -> None:
    for _ in range(2):
        child = os.fork()
        if not child:
            records.of_document = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
            full.memory.export(str(tmp_path / name))
            os._exit(0)
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
        assert not (tmp_path / name).exists()

    full.memory.export(str(tmp_path / name))

    assert (tmp_path / name).exists()
    assert not list(tmp_path.glob(".*"))


def test_an_export_leaves_the_files_of_another_one_that_runs(
    full: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = exporter._put

    def also(aside: str, place: str) -> None:
        if place.endswith("first.md"):
            full.memory.export(str(tmp_path / "second.md"))
        put(aside, place)

    monkeypatch.setattr(exporter, "_put", also)

    full.memory.export(str(tmp_path / "first.md"))

    assert (tmp_path / "first.md").exists()


def test_memfs_keeps_each_file_apart(full: Workspace, tmp_path: Path) -> None:
    memory = Path(full.root, "memory")
    (memory / "a").mkdir()
    (memory / "a/b.md").write_text("- Otter\n")
    (memory / "a-b.md").write_text("- Heron\n")
    (memory / "A-b.md").write_text("- Crane\n")

    full.memory.export(str(tmp_path / "all"))

    texts = [path.read_text() for path in (tmp_path / "all/reference").glob("[aA]-b*.md")]
    ends = sorted(text.split("---\n")[-1] for text in texts)
    assert ends == ["- Crane\n", "- Heron\n", "- Otter\n"]


def test_equal_entries_are_imported_each_and_only_once(workspace: Workspace, tmp_path: Path) -> None:
    memory = Path(workspace.root, "memory")
    memory.mkdir(exist_ok=True)
    for name in ("topics.md", "boats.md"):
        (memory / name).write_text("- Otter\n")
    (memory / "2026-11-18.md").write_text("- 07:15 Snow\n- 07:15 Snow\n")
    workspace.memory.export(str(tmp_path / "a.jsonl"))
    other = Workspace.init(str(tmp_path / "other"), environment=Environment(now=NOW))

    done = other.memory.import_from("agentws", str(tmp_path / "a.jsonl"))
    again = other.memory.import_from("agentws", str(tmp_path / "a.jsonl"))

    assert (done.known, again.known) == (0, done.read)
    assert Path(other.root, "memory/2026-11-18-import-agentws.md").read_text().count("Snow") == 2
    assert Path(other.root, "memory/imported/agentws.md").read_text().count("Otter") == 2
