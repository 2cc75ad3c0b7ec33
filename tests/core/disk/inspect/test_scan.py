"""A look at a workspace: logs of days apart, and everything odd among the entries."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.core.disk.inspect import scan

PLAIN = ("2016-02-29.md", "2026-11-19.md", "2026-11-20.md")
ODD = (
    "2026-02-30.md", "2026-11-18 (1).md", "2026-11-18-conflict.md", "2026-11-18.md.orig", "2026-11-18.md~", ".x",
    "sources.jsonl", "2026-11-17.txt",
)  # fmt: skip


@pytest.fixture
def heron(tmp_path: Path) -> Path:
    memory = tmp_path / "memory"
    (memory / "2026-11-14.md").mkdir(parents=True)
    for at, name in enumerate((*PLAIN, *ODD, "2026-11-15.md")):
        (memory / name).write_text("x")
        (memory / name).chmod(0o644)
        os.utime(memory / name, (1_000 + at, 1_000 + at))
    (memory / "2026-11-15.md").chmod(0o664)
    (memory / "2026-11-16.md").symlink_to("2026-11-19.md")
    return tmp_path


def test_only_files_called_by_their_day_that_nobody_else_writes_to_are_told_as_logs(heron: Path) -> None:
    seen = scan.look(Files(str(heron)))

    assert sorted(seen.logs) == [f"memory/{name}" for name in PLAIN]
    there = {path: entry.kind for path, entry in seen.entries.items() if entry.folder == "memory"}
    kinds = {**dict.fromkeys((*ODD, "2026-11-15.md"), scan.FILE), "2026-11-14.md": scan.FOLDER}
    assert there == {f"memory/{name}": kind for name, kind in {**kinds, "2026-11-16.md": scan.OTHER}.items()}
    assert seen.entries["memory/2026-11-15.md"].mode == 0o664


def test_what_is_asked_of_all_files_is_told_of_logs_too(heron: Path) -> None:
    seen = scan.look(Files(str(heron)))

    files = sorted(f"memory/{name}" for name in (*PLAIN, *ODD, "2026-11-15.md"))
    assert seen.files("memory") == files == sorted(seen.every_file())
    assert sorted(seen.names("memory")) == sorted(os.listdir(heron / "memory"))
    newest = [f"memory/{name}" for name in ("2026-11-15.md", *reversed(ODD), *reversed(PLAIN))]
    assert [seen.modified_since(1_000), seen.modified_since(1_002)] == [newest, newest[:-2]]
    assert len(seen) == len(os.listdir(heron / "memory")) + 1


def test_logs_count_among_what_is_looked_at_at_most(heron: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "_MOST_ENTRIES", 8)

    seen = scan.look(Files(str(heron)))

    assert (len(seen), seen.cut) == (8, True)


def test_the_private_repository_of_syncs_is_not_looked_into(heron: Path) -> None:
    refs = heron / ".agentws" / "sync" / "repo.git" / "refs" / "agentws" / "sync" / "agent" / "deeper"
    refs.mkdir(parents=True)
    (refs / "00000001").write_text("x")

    seen = scan.look(Files(str(heron)))

    assert not seen.cut
    assert [path for path in seen.entries if path.startswith(".agentws/sync/")] == [".agentws/sync/repo.git"]
