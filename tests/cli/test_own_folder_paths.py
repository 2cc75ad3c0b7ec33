"""Paths that a person sees lead from the present folder into `.agentmem/`; in JSON they are those of the workspace."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests import forked, table

PATH = re.compile(
    r"(?<![\w/.])(?:\.\./)*(?:\.agentmem/)?(?:memory|tasks|handoffs|contexts|approvals)/[\w.-]+\.md|[./\w]*MEMORY\.md"
)
VERBS: dict[str, tuple[str, ...]] = {
    "log": ("log", "the pelican is back"),
    "remember": ("remember", "Pelicans nest in the oak"),
    "todo": ("todo", "feed the pelican"),
    "todo, listed": ("todo",),
    "search": ("search", "heron"),
    "task add": ("task", "add", "Pond"),
    "task show": ("task", "show", "fence"),
    "why": ("why",),
    "handoff": ("handoff", "--next", "mend the gate"),
    "done": ("done", "gate"),
    "context new": ("context", "new", "garden"),
    "ask": ("ask", "Sell the boat?"),
    "undo, listed": ("undo", "--list"),
    "diff": ("diff", "--stat", "--since", "2026-01-01"),
    "restore": ("restore", "MEMORY.md", "--dry-run"),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with code whose memory is in `.agentmem/`."""
    (tmp_path / "src").mkdir()
    for words in (
        ("init", "--own-folder", "--name", "Robin"),
        ("log", "the heron is shy: see memory/2026-01-02.md"),
        ("log", "the stork left"),
        ("remember", "Herons nest here"),
        ("todo", "mend the gate"),
        ("task", "add", "Fence"),
    ):
        done = forked.run_text(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    (tmp_path / ".agentmem/MEMORY.md.orig").write_text("- an older one\n")
    return tmp_path


@pytest.mark.parametrize("below", ["", "src", ".agentmem/memory"])
def test_each_path_in_what_a_person_reads_exists_from_the_present_folder(project: Path, below: str) -> None:
    here = project / below

    def check(verb: str) -> None:
        done = forked.run_text(*VERBS[verb], cwd=here)
        paths = [path for path in PATH.findall(done.stdout) if "2026-01-02" not in path]
        assert paths, (done.stdout, done.stderr)
        assert [path for path in paths if not (here / path).exists()] == []

    table.holds(check, VERBS)


def test_status_and_forget_begin_their_lines_with_such_a_path(project: Path) -> None:
    status = forked.run_text("status", cwd=project).stdout
    matches = forked.run_text("forget", "--matching", "stork", "--dry-run", cwd=project).stdout

    assert "✗ .agentmem/MEMORY.md.orig: is another version of" in status
    assert re.match(r"\.agentmem/memory/\d{4}-\d\d-\d\d\.md:\d+  ", matches)


def test_json_and_the_text_of_documents_keep_the_paths_of_the_workspace(project: Path) -> None:
    found = forked.run_text("search", "heron", cwd=project)
    logged = json.loads(forked.run_text("log", "the heron left", "--json", cwd=project).stdout)

    assert "the heron is shy: see memory/2026-01-02.md" in found.stdout
    assert logged["path"].startswith("memory/")


def test_a_printed_path_is_understood_by_the_verbs_that_take_one(project: Path) -> None:
    for here in (project, project / "src"):
        path = "../" * (here != project) + ".agentmem/MEMORY.md"
        for words in (("history", path), ("diff", path), ("restore", path, "--dry-run"), ("why", f"{path}:1")):
            done = forked.run_text(*words, cwd=here)
            assert done.returncode == 0, (words, done.stderr)
