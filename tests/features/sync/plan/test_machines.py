"""Machines that log, compact, forget and merge: afterwards they are alike, and nothing is gone or there twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.workspace import Environment, Workspace
from tests.features.sync.plan.machines import NOON, Machine, Remote
from tests.features.sync.plan.trees import Files, merged

pytestmark = pytest.mark.slow
OLD = "memory/2026-09-01.md"
SHELF = "memory/archive/2026/2026-09-01.md"
SECOND = "memory/2026-09-01.2.md"
LOG = """# 2026-09-01

- 07:15 [decision] The fig tree stays in the yard !8
- 07:20 [fact] The hose is twelve metres long
- 08:00 Watered the beans
"""


@pytest.fixture
def two(tmp_path: Path) -> tuple[Machine, Machine, Remote]:
    """Two machines with an old day, in step."""
    remote, one = Remote(), Machine(tmp_path, "one")
    Workspace.init(str(one.root), environment=Environment(now=NOON, timezone="UTC"), name="Robin", git=False)
    one.put(OLD, LOG)
    one.put("memory/2026-09-02.md", LOG.replace("09-01", "09-02").replace("fig", "pear").replace("beans", "peas"))
    one.sync(remote)
    other = one.beside("other")
    return one, other, remote


def in_step(remote: Remote, *machines: Machine) -> None:
    for _ in range(4):  # who is vouched for is told in the next round
        for machine in machines:
            machine.sync(remote)
    first, *others = machines
    assert all(each.files == first.files for each in others)
    for machine in machines:
        assert machine.faults() == []
        assert machine.notices == []


def count(machine: Machine, words: str) -> int:
    """How often words stand in logs, archived or not."""
    logs = {path: data for path, data in machine.files.items() if "2026-" in path and path.endswith(".md")}
    return sum(data.count(words.encode()) for data in logs.values())


def test_lines_logged_on_both_stand_once_each(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, remote = two
    one.at().log("Pruned the roses")
    other.at(days=0.01).log("Called Ada")
    in_step(remote, one, other)
    assert count(one, "Pruned the roses") == count(one, "Called Ada") == 1
    assert len([*(one.root / "journal").glob("*/000001.jsonl")]) == 2


def test_a_day_archived_on_one_and_written_to_on_the_other(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, remote = two
    one.at().memory.compact()
    assert (one.root / SHELF).exists()
    other.put(OLD, LOG + "- 09:30 Sowed the cress\n  in two pots\n")
    in_step(remote, one, other)
    assert one.text(SHELF) == LOG
    assert one.text(SECOND) == "# 2026-09-01\n\n- 09:30 Sowed the cress\n  in two pots\n"
    assert not (one.root / OLD).exists()
    one.at(days=40).memory.compact()
    in_step(remote, other, one)
    assert count(one, "Sowed the cress") == 1


def test_a_line_forgotten_on_one_goes_from_the_archive_of_the_other(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, remote = two
    one.at().memory.compact()
    other.at().memory.forget(matching=["Watered the beans"])
    in_step(remote, one, other)
    assert count(one, "Watered the beans") == 0
    assert one.text(SHELF) == LOG.replace("- 08:00 Watered the beans", "")


def test_both_compact_the_same_days(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, remote = two
    one.put(OLD, LOG + "- 09:00 Tied up the peas\n")
    other.put(OLD, LOG + "- 09:30 [fact] The cress was sown in two pots !7\n")
    one.at().memory.compact()
    other.at(days=1).memory.compact()
    in_step(remote, one, other)
    assert count(one, "Tied up the peas") == 1
    assert (one.root / SHELF).read_text().count("- 0") == 5
    assert not (one.root / SECOND).exists()


def test_a_compaction_taken_back_on_one(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, remote = two
    one.at().memory.compact()
    in_step(remote, one, other)
    one.at().memory.undo()
    other.at().log("Called Ada")
    in_step(remote, one, other)
    assert one.text(OLD) == LOG
    assert not (one.root / SHELF).exists()


def test_a_compaction_taken_back_on_one_and_forgotten_lines_on_the_other(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, remote = two
    one.at().memory.compact()
    in_step(remote, one, other)
    one.at().memory.undo()
    other.at().memory.forget(matching=["Watered the beans"])
    in_step(remote, one, other)
    assert count(one, "Watered the beans") == 0
    assert not (one.root / SHELF).exists()


def test_three_machines(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, remote = two
    third = one.beside("third")
    one.at().memory.compact()
    other.put(OLD, LOG + "- 09:30 Sowed the cress\n")
    third.at().memory.forget(matching=["Watered the beans"])
    third.at().log("Called Ada")
    in_step(remote, third, one, other)
    assert count(other, "Watered the beans") == 0
    assert count(other, "Sowed the cress") == count(other, "Called Ada") == 1


def test_a_task_renamed_on_one_and_written_to_on_the_other(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, remote = two
    one.at().tasks.add("Build the shed")
    in_step(remote, one, other)
    one.at().tasks.rename("build-the-shed", "Build the barn")
    other.at().tasks.step("build-the-shed", "Order the timber")
    in_step(remote, one, other)
    assert [path.name for path in (one.root / "tasks").glob("*.md")] == ["build-the-barn.md"]
    assert "Order the timber" in one.text("tasks/build-the-barn.md")


def test_a_task_renamed_on_both(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, remote = two
    one.at().tasks.add("Build the shed")
    in_step(remote, one, other)
    one.at().tasks.rename("build-the-shed", "Build the barn")
    other.at().tasks.rename("build-the-shed", "Build the hut")
    in_step(remote, one, other)
    assert [path.name for path in (one.root / "tasks").glob("*.md")] == ["build-the-barn.md"]
    assert "build-the-hut" in one.text("tasks/build-the-barn.md")


def test_a_task_archived_on_one_and_opened_again_on_the_other(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, remote = two
    one.at().config.set("retention.tasks", "30d")
    one.at().tasks.add("Build the shed")
    one.at().tasks.done("build-the-shed")
    in_step(remote, one, other)
    one.at(days=60).memory.compact()
    assert not (one.root / "tasks/build-the-shed.md").exists()
    other.at(days=60).tasks.start("build-the-shed")
    in_step(remote, one, other)
    assert "status: active" in one.text("tasks/build-the-shed.md")
    assert not [*(one.root / "tasks").glob("archive/*/*.md")]


def test_a_day_that_a_rule_deleted_on_one_stays_away(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, remote = two
    one.at().config.set("retention.archive", "60d")
    one.at(days=-40).memory.compact()
    in_step(remote, one, other)
    assert (other.root / SHELF).exists()
    one.at(days=1).memory.compact()
    other.at().log("Called Ada")
    assert not (one.root / SHELF).exists()
    in_step(remote, one, other)
    assert not (other.root / SHELF).exists()


def test_what_was_made_of_a_forgotten_line_elsewhere_goes_too(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, remote = two
    one.at().memory.compact()
    assert "fig tree" in one.text("MEMORY.md")
    other.at().memory.forget(matching=["fig tree"])
    in_step(remote, one, other)
    assert not [path for path, data in one.files.items() if b"fig tree" in data]


def test_whichever_two_of_three_merge_first_the_same_comes_out(two: tuple[Machine, Machine, Remote]) -> None:
    one, other, _ = two
    third = one.beside("third")
    base = dict(one.base)
    one.at().memory.compact()
    one.at().log("Pruned the roses")
    other.put(OLD, LOG + "- 09:30 Sowed the cress\n")
    other.at(days=1).memory.compact()
    third.at().memory.forget(matching=["Watered the beans"])
    third.at().log("Called Ada")
    third.put("memory/2026-09-02.md", third.text("memory/2026-09-02.md") + "- 09:10 Slept\n")
    first, second, last = (machine.files for machine in (one, other, third))

    def both(ours: Files, theirs: Files) -> Files:
        return merged(base, ours, theirs)[0]

    assert both(both(first, second), last) == both(first, both(second, last)) == both(both(first, last), second)
