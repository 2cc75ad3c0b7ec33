"""An agent's file that is a link to a document of the workspace: `AGENTS.md -> CLAUDE.md`, as in many repositories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines

RULE, NEW = "Lamps are lit at dusk.", "Boats come in at noon."


def linked(machines: Machines, name: str, target: str) -> tuple[Workspace, Path]:
    """The workspace of the first machine, whose file `name` is a link to `target`, and the target."""
    desk = machines.first()
    root = machines.root("desk")
    (root / name).unlink(missing_ok=True)
    (root / target).parent.mkdir(exist_ok=True)
    (root / target).write_text(f"# Rules\n\n- {RULE}\n")
    os.symlink(target, root / name)
    if "/" in target:
        desk.config.set("sync.include", target)
    return desk, root / target


@pytest.mark.parametrize(
    ("name", "target"),
    [("AGENTS.md", "CLAUDE.md"), ("AGENTS.md", "docs/guide.md"), ("USER.md", "about-sam.md"), ("SOUL.md", "GEMINI.md")],
)
def test_lost_link_the_other_machine_reads_the_same_file_once_and_changes_go_both_ways(
    machines: Machines, name: str, target: str
) -> None:
    desk, at = linked(machines, name, target)
    desk.sync(str(machines.stick))
    lap = machines.another("lap")
    assert desk.boot().text.count(RULE) == lap.boot().text.count(RULE) == 1
    assert [str(hit.path) for hit in lap.search("dusk").hits] == [target]

    there = machines.root("lap") / target
    there.write_text(f"{there.read_text()}- {NEW}\n")
    lap.sync()
    assert not [each for each in desk.sync() if each.notices or each.conflicts]

    assert at.read_text().count(NEW) == 1
    assert (machines.root("desk") / name).is_symlink()
    assert desk.boot().text.count(NEW) == lap.boot().text.count(NEW) == 1
    assert not lap.sync()[0].outward.paths
    assert not desk.sync()[0].outward.paths


@pytest.mark.parametrize("text", ["# Rules of the laptop\n", None])
def test_overwritten_target_a_file_that_another_machine_puts_in_its_place_stays_there(
    machines: Machines, text: str | None
) -> None:
    desk, at = linked(machines, "AGENTS.md", "CLAUDE.md")
    desk.sync(str(machines.stick))
    lap = machines.another("lap")
    there = machines.root("lap") / "AGENTS.md"
    there.write_text(text) if text else there.unlink()
    lap.sync()

    told = desk.sync()[0].notices

    assert [each for each in told if "AGENTS.md is a link here" in each]
    assert (machines.root("desk") / "AGENTS.md").is_symlink()
    assert RULE in at.read_text()
    lap.sync()
    assert (there.read_text() if there.exists() else None) == text


@pytest.mark.parametrize(
    ("name", "target"), [("AGENTS.md", "CLAUDE.md"), ("CLAUDE.md", "AGENTS.md"), ("AGENTS.md", "docs/guide.md")]
)
def test_unsearched_link_forgotten_text_is_gone_in_the_target_and_nothing_is_left_to_search(
    machines: Machines, name: str, target: str
) -> None:
    desk, at = linked(machines, name, target)

    done = desk.memory.forget(matching=["dusk"])

    assert "dusk" not in at.read_text()
    assert (machines.root("desk") / name).is_symlink()
    assert not done.unread
