"""An agent's files in other letters, or behind a link, are read and written where they are."""

from __future__ import annotations

import os
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.changes import ABSENT, ChangeSet, Move, Remove, Write
from agentws.core.disk.files import Files
from agentws.workspace import Environment, Workspace, initialise
from tests import table
from tests.conftest import NOW
from tests.features.init.test_init_private import code, staged

__all__ = ["code"]

FILES = {
    "soul.md": "# Soul\n\nI look after the lighthouse.\n",
    "Identity.md": "- **Name:** Heron\n",
    "User.md": "# User\n\n- Time zone: Europe/Lisbon\n- Maren keeps the keys.\n",
    "agents.md": "# How\n\n- Lamps first.\n",
    "memory.md": "# Memory\n\n- The lens came from Genoa.\n",
}


def written(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def adopted(root: Path, environment: Environment, **options: object) -> Workspace:
    initialise(str(root), environment, **options)  # type: ignore[arg-type]
    return Workspace.open(str(root), environment=environment)


def markdown(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob("*.md"))


@pytest.mark.parametrize("git", [True, False])
def test_files_in_other_letters_are_read_and_get_no_twins(tmp_path: Path, environment: Environment, git: bool) -> None:
    root = written(tmp_path / "a", FILES)

    agent = adopted(root, environment, git=git)

    assert markdown(root) == sorted(FILES)
    text = agent.boot().text
    for line in ("lighthouse", "Maren keeps", "Lamps first", "Genoa", "## memory.md", "## User.md"):
        assert text.count(line) == 1, line
    assert "# Heron" in text
    assert "Europe/Lisbon" in (root / "agentws.toml").read_text()
    assert not [finding for finding in agent.doctor().findings if finding.path in FILES]


def test_each_verb_that_writes_memory_writes_that_file(tmp_path: Path, environment: Environment) -> None:
    root = written(tmp_path / "a", FILES)
    agent = adopted(root, environment)

    done = agent.remember("The fog horn is on the pier")
    agent.remember("The fog horn is in the cellar", replaces="memory.md:4")
    agent.log("Small lamps last longer", kind="lesson")
    agent = Workspace.open(str(root), environment=Environment(now=NOW + timedelta(days=20)))
    agent.memory.compact(agreed=True)

    assert (done.path, done.line) == ("memory.md", 4)
    assert "cellar" in (root / "memory.md").read_text()
    assert "pier" not in (root / "memory.md").read_text()
    assert [str(hit.path) for hit in agent.search("Genoa").hits] == ["memory.md"]
    for name in ("memory.md", "MEMORY.md"):
        assert (agent.memory.why(f"{name}:4").path, agent.memory.why(f"{name}:4").verb) == ("memory.md", "remember")
        assert agent.history(name).path == "memory.md"
        assert not agent.history.diff(name).differs
    assert "Small lamps" in (root / "memory.md").read_text()
    agent.undo()
    assert "Small lamps" not in (root / "memory.md").read_text()
    agent.memory.forget(matching=["cellar"], confirm=True)
    assert "cellar" not in (root / "memory.md").read_text()
    assert markdown(root) == sorted(FILES)
    names = subprocess.run(["git", "ls-files", "*.md"], cwd=root, capture_output=True, text=True, check=True).stdout
    assert {"memory.md", "User.md"} <= set(names.split())
    assert not {"MEMORY.md", "USER.md"} & set(names.split())


def test_of_two_the_exact_name_is_read_and_the_other_is_named(tmp_path: Path, environment: Environment) -> None:
    root = written(tmp_path / "a", FILES | {"MEMORY.md": "- Exact.\n", "Memory.md": "- Third.\n"})

    done = initialise(str(root), environment)
    agent = Workspace.open(str(root), environment=environment)
    boot = agent.boot()

    for notices in (done.notices, boot.notices):
        for name in ("Memory.md", "memory.md"):
            assert any(each.startswith(f"{name}: not read, because MEMORY.md") for each in notices), notices
    assert "Exact" in boot.text
    assert "Genoa" not in boot.text
    assert {finding.path for finding in agent.doctor().findings} >= {"Memory.md", "memory.md"}


def test_a_link_inside_the_workspace_is_read_once(tmp_path: Path, environment: Environment) -> None:
    def check(row: tuple[str, str, str]) -> None:
        name, target, real = row
        root = written(tmp_path / f"{name}-{target.replace('/', '-')}"[:-3], {real: "- Lamps first.\n"})
        os.symlink(target, root / name)

        agent = adopted(root, environment)

        assert markdown(root).count("AGENTS.md") <= 1
        boot = agent.boot()
        assert boot.text.count("Lamps first") == 1
        assert not [each for each in boot.notices if name in each or "CLAUDE" in each]
        assert not [each for each in boot.text.split("\n") if "CLAUDE.md" in each and not each.startswith("#")]
        assert not [each for each in agent.doctor().findings if each.path == name]

    table.holds(
        check,
        [
            ("AGENTS.md", "CLAUDE.md", "CLAUDE.md"),
            ("AGENTS.md", "./CLAUDE.md", "CLAUDE.md"),
            ("agents.md", "docs/guide.md", "docs/guide.md"),
            ("CLAUDE.md", "AGENTS.md", "AGENTS.md"),
        ],
    )


def test_a_link_out_of_the_workspace_or_to_another_file_of_the_agent_is_not_followed(
    tmp_path: Path, environment: Environment
) -> None:
    (tmp_path / "outside.md").write_text("- Secret of others.\n")

    def check(target: str) -> None:
        root = written(tmp_path / target.replace("/", "-"), {"USER.md": "- For Maren alone.\n", "memory/a.md": "- a\n"})
        os.symlink(target, root / "AGENTS.md")

        boot = adopted(root, environment).boot()

        assert boot.text.count("For Maren alone") == 1
        assert "Secret of others" not in boot.text
        assert any("AGENTS.md: a symbolic link" in each for each in boot.notices)

    inside = ["USER.md", "memory/a.md", ".agentws/x.md", "AGENTS.md", "gone.md"]
    table.holds(check, ["../outside.md", str(tmp_path / "outside.md"), *inside])


def test_files_in_other_letters_are_private_where_the_usual_ones_are(tmp_path: Path, environment: Environment) -> None:
    root = written(tmp_path / "a", FILES)
    agent = adopted(root, environment)

    shared = agent.boot(audience="shared")

    assert "Maren" not in shared.text
    assert "Genoa" not in shared.text
    assert "Lamps first" in shared.text


def test_a_private_workspace_hides_them_from_git(code: Path, environment: Environment) -> None:
    written(code, FILES)

    initialise(str(code), environment, private=True)

    assert staged(code) == set()


def test_each_kind_of_change_is_made_at_the_file_that_is_there(tmp_path: Path) -> None:
    files = Files(str(written(tmp_path / "a", FILES)))
    changes = (
        Write("MEMORY.md", b"", expects=ABSENT),
        Remove("USER.md", expects=ABSENT),
        Move("SOUL.md", "notes.md", expects=ABSENT),
        Move("notes.md", "AGENTS.md", expects=ABSENT),
    )

    placed = ChangeSet("test", changes).at(files.real)

    assert placed.paths == ("User.md", "agents.md", "memory.md", "notes.md", "soul.md")
