"""An agent's file that is a link to a document of the workspace: `AGENTS.md -> CLAUDE.md`, as in many repositories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.changes import ChangeSet, Write
from agentws.core.disk.change import transaction
from agentws.core.disk.files import Exact, Files
from agentws.core.formats import digest
from agentws.errors import ChangedUnderneathError, UsageError
from agentws.workspace import Workspace
from tests.core.disk.change.test_transaction import pend
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

    done = desk.memory.forget(matching=["dusk"], confirm=True)

    assert "dusk" not in at.read_text()
    assert (machines.root("desk") / name).is_symlink()
    assert not done.unread


MOTTO = "Kites are mended on Mondays."


@pytest.mark.parametrize("becomes", ["another link", "a text", "nothing"])
def test_stuck_link_what_a_link_becomes_arrives_where_it_is_a_file_with_a_path(
    machines: Machines, becomes: str
) -> None:
    desk, at = linked(machines, "SOUL.md", "persona.md")
    (machines.root("desk") / "keeper.md").write_text(f"{MOTTO}\n")
    desk.sync(str(machines.stick))
    lap = machines.another("lap")
    there = machines.root("lap")
    assert not (there / "SOUL.md").is_symlink()
    soul = machines.root("desk") / "SOUL.md"
    soul.unlink()
    if becomes == "another link":
        os.symlink("keeper.md", soul)
    elif becomes == "a text":
        soul.write_text(f"{MOTTO}\n")
    desk.remember("The ferry bell is brass.")
    desk.sync()

    assert not [each for each in lap.sync() if each.notices or each.conflicts]

    assert "ferry bell" in (there / "MEMORY.md").read_text()
    assert (there / "persona.md").read_text() == at.read_text()
    assert (there / "keeper.md").read_text() == f"{MOTTO}\n"
    assert (there / "SOUL.md").exists() == (becomes != "nothing")
    shown = lap.boot().text
    assert RULE not in shown
    assert (MOTTO in shown) == (becomes != "nothing")
    assert not lap.sync()[0].outward.paths
    assert not desk.sync()[0].inward.paths


def test_stuck_link_a_killed_sync_is_reverted_in_the_file_itself(machines: Machines) -> None:
    desk, at = linked(machines, "SOUL.md", "persona.md")
    (machines.root("desk") / "keeper.md").write_text(f"{MOTTO}\n")
    desk.sync(str(machines.stick))
    machines.another("lap")
    root = machines.root("lap")
    files = Files(str(root))
    was, new = (root / "SOUL.md").read_bytes(), b"keeper.md"
    changes = (
        Write("SOUL.md", new, expects=digest.of(was)),
        Write("other.md", b"Not written.\n", expects=digest.ABSENT),
    )
    pend(Exact(str(root)), ChangeSet("sync", changes), applied=1)
    assert (root / "SOUL.md").read_bytes() == new

    assert transaction.settle(files) == ["SOUL.md"]

    assert (root / "SOUL.md").read_bytes() == was
    assert (root / "persona.md").read_text() == at.read_text()


def test_stuck_name_a_file_that_gets_its_usual_letters_arrives(machines: Machines) -> None:
    desk = machines.first()
    here, there = machines.root("desk"), machines.root("lap")
    (here / "USER.md").rename(here / "user.md")
    if (here / "USER.md").exists():
        pytest.skip("this file system has one file for both names")
    desk.sync(str(machines.stick))
    lap = machines.another("lap")
    assert (there / "user.md").exists()
    (here / "user.md").rename(here / "USER.md")
    desk.sync()

    assert not [each for each in lap.sync() if each.notices or each.conflicts]

    assert [each.name for each in there.iterdir() if each.name.lower() == "user.md"] == ["USER.md"]


def disputed(machines: Machines) -> tuple[str, dict[str, str]]:
    """The link SOUL.md leads to another file on two machines on which it is a file with a path; the conflict's id, and
    what each side says.
    """
    desk, _ = linked(machines, "SOUL.md", "persona.md")
    for name in ("keeper.md", "miller.md"):
        (machines.root("desk") / name).write_text(f"{MOTTO}\n")
    desk.sync(str(machines.stick))
    for name, target in {"lap": "keeper.md", "den": "miller.md"}.items():
        machines.another(name).sync()
        (machines.root(name) / "SOUL.md").write_text(target)
    for name in ("lap", "den", "lap", "desk"):
        machines.opened(name).sync()
    (record,) = machines.opened("lap").sync.conflicts().records
    root = machines.root("lap")
    return record.id, {str(n): (root / side.file).read_text() for n, side in enumerate(record.sides, 1)}


@pytest.mark.parametrize("take", ["1", "2"])
def test_two_targets_of_a_link_one_is_chosen_and_no_target_is_overwritten(machines: Machines, take: str) -> None:
    id, said = disputed(machines)
    assert {*said.values()} == {"keeper.md", "miller.md"}

    machines.opened("lap").sync.resolve(id, take=take)

    for name in ("lap", "den", "desk", "lap"):  # a link that is left alone stops no later sync either
        assert not machines.opened(name).sync()[0].failed
    assert [(machines.root(name) / "SOUL.md").read_text() for name in ("lap", "den")] == [said[take]] * 2
    assert all((machines.root("lap") / name).read_text() == f"{MOTTO}\n" for name in said.values())
    assert os.readlink(machines.root("desk") / "SOUL.md") == "persona.md"
    assert not machines.opened("desk").sync.conflicts().records


@pytest.mark.parametrize(
    ("where", "take", "error"),
    [("lap", "both", UsageError), ("lap", "neither", UsageError), ("desk", "1", ChangedUnderneathError)],
)
def test_two_targets_of_a_link_what_no_link_can_hold_changes_nothing(
    machines: Machines, where: str, take: str, error: type[Exception]
) -> None:
    id, _ = disputed(machines)
    before = machines.files(where)

    with pytest.raises(error):
        machines.opened(where).sync.resolve(id, take=take)

    assert machines.files(where) == before
