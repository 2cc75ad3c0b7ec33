"""A conflict that two machines decide before they hear of each other: what either kept stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import UsageError
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines
from tests.features.sync.documents.test_conflicts import MEMORY, agree, both, disagree, write

__all__ = ["both"]

COCOA, COFFEE = "- Anna drinks cocoa\n", "- Anna drinks coffee\n"


def decide(both: tuple[Workspace, Workspace], desk: str, laptop: str) -> None:
    (record,) = both[0].sync.conflicts().records
    both[0].sync.resolve(record.id, take=desk)
    both[1].sync.resolve(record.id, take=laptop)


@pytest.mark.parametrize(
    ("desk", "laptop", "left", "waiting"),
    [
        ("1", "2", COCOA + COFFEE, 1),
        ("2", "both", COCOA + COFFEE, 1),
        ("both", "both", COCOA + COFFEE, 0),
        ("1", "1", COCOA, 0),
        ("neither", "2", COFFEE, 0),
        ("neither", "neither", "", 0),
    ],
)
def test_what_either_kept_stays_and_is_decided_again(
    machines: Machines, both: tuple[Workspace, Workspace], desk: str, laptop: str, left: str, waiting: int
) -> None:
    id = disagree(machines, both)

    decide(both, desk, laptop)
    agree(machines, *both)

    told = (machines.root("desk") / "MEMORY.md").read_text().split("\n")
    assert [line for line in told if line.startswith("- ")] == [*left.split("\n")[:-1], "- Sam sings"]
    assert [one.id for one in both[1].sync.conflicts().records] == [id] * waiting


def test_a_decision_about_what_was_opened_again_holds(machines: Machines, both: tuple[Workspace, Workspace]) -> None:
    id = disagree(machines, both)
    decide(both, "1", "2")
    agree(machines, *both)

    both[1].sync.resolve(id, take="2")
    agree(machines, *both)

    assert (machines.root("desk") / "MEMORY.md").read_text() == MEMORY.replace("tea", "coffee")
    assert not both[0].sync.conflicts().records


def test_a_third_decision_of_before_decides_nothing_that_was_opened_again(
    machines: Machines, both: tuple[Workspace, Workspace]
) -> None:
    phone = machines.another("phone")
    id = disagree(machines, both)
    phone.sync()
    decide(both, "1", "2")
    phone.sync.resolve(id, take="1")

    agree(machines, *both)
    phone.sync()
    agree(machines, *both)

    assert machines.files("phone") == machines.files("desk")
    assert (machines.root("phone") / "MEMORY.md").read_text() == MEMORY.replace("- Anna drinks tea\n", COCOA + COFFEE)
    assert [one.id for one in phone.sync.conflicts().records] == [id]


def test_a_line_of_a_log_that_one_kept_with_the_other_stays(
    machines: Machines, both: tuple[Workspace, Workspace]
) -> None:
    both[0].log("Anna drinks tea in the garden")
    agree(machines, *both)
    day = next(machines.root("desk").glob("memory/2026-*.md")).relative_to(machines.root("desk"))
    text = (machines.root("desk") / day).read_text()
    write(machines, str(day), text.replace("tea", "cocoa"), text.replace("tea", "coffee"))
    agree(machines, *both)

    decide(both, "both", "1")
    agree(machines, *both)

    told = (machines.root("laptop") / day).read_text()
    assert (told.count("cocoa"), told.count("coffee")) == (1, 1)
    assert both[0].sync.conflicts().records


def test_two_values_of_a_field_are_asked_about_again(machines: Machines, both: tuple[Workspace, Workspace]) -> None:
    path = next(machines.root("desk").glob("tasks/*.md")).relative_to(machines.root("desk"))
    text = (machines.root("desk") / path).read_text()
    first, rest = text.split("---\n", 2)[1:]
    desk, laptop = (f"---\n{first}owner: {name}\n---\n{rest}" for name in ("anna", "sam"))
    write(machines, str(path), desk, laptop)
    agree(machines, *both)
    (record,) = both[0].sync.conflicts().records
    with pytest.raises(UsageError, match="one value"):
        both[0].sync.resolve(record.id, take="both")

    decide(both, "1", "2")
    agree(machines, *both)

    (record,) = both[0].sync.conflicts().records
    assert {side.text.strip() for side in record.sides if side.text} == {"owner: anna", "owner: sam"}


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("sides", [(None, b"# Trip\n\nThe big tent.\n"), (b"\0one", b"\0two")])
def test_a_whole_file_that_one_kept_stays(
    machines: Machines, both: tuple[Workspace, Workspace], sides: tuple[bytes | None, bytes], *, swap: bool
) -> None:
    page = Path("contexts/trip.md")
    (machines.root("desk") / "contexts").mkdir(exist_ok=True)
    (machines.root("desk") / page).write_bytes(b"\0base" if sides[0] else b"# Trip\n\nThe tent.\n")
    agree(machines, *both)
    for name, side in zip(("desk", "laptop"), sides, strict=True):
        at = machines.root(name) / page
        at.unlink() if side is None else at.write_bytes(side)
    agree(machines, *both)

    decide(both, *(("2", "1") if swap else ("1", "2")))
    agree(machines, *both)

    (record,) = both[0].sync.conflicts().records
    root = machines.root("laptop")
    assert tuple((root / one.file).read_bytes() if one.file else None for one in record.sides) == sides
    assert (machines.root("laptop") / page).read_bytes() in sides


def test_an_entry_below_no_heading_that_one_removed_is_not_the_whole_file(
    machines: Machines, both: tuple[Workspace, Workspace]
) -> None:
    page = "contexts/list.md"
    (machines.root("desk") / "contexts").mkdir(exist_ok=True)
    (machines.root("desk") / page).write_text("- Anna drinks tea in the garden\n- Sam sings\n")
    agree(machines, *both)
    write(machines, page, "- Sam sings\n", "- Anna drinks tea in the big garden\n- Sam sings\n")
    agree(machines, *both)
    (record,) = both[0].sync.conflicts().records

    both[0].sync.resolve(record.id, take="2")

    assert (machines.root("desk") / page).read_text() == "- Anna drinks tea in the big garden\n- Sam sings\n"


@pytest.mark.parametrize("by", [0, 1])
def test_what_either_kept_stays_where_something_else_is_forgotten_meanwhile(
    machines: Machines, both: tuple[Workspace, Workspace], by: int
) -> None:
    both[0].log("The zebra came")
    id = disagree(machines, both)

    decide(both, "1", "2")
    both[by].memory.forget(matching=["zebra"], confirm=True)
    agree(machines, *both)

    told = (machines.root("desk") / "MEMORY.md").read_text()
    assert told == MEMORY.replace("- Anna drinks tea\n", COCOA + COFFEE)
    assert [one.id for one in both[1].sync.conflicts().records] == [id]
    assert not [path for path, data in machines.files("laptop").items() if b"zebra" in data]


@pytest.mark.parametrize("by", [0, 1])
@pytest.mark.parametrize("is_open", [False, True])
def test_a_side_that_one_machine_forgot_does_not_come_back_by_the_decision_of_another(
    machines: Machines, both: tuple[Workspace, Workspace], by: int, *, is_open: bool
) -> None:
    disagree(machines, both)

    (record,) = both[0].sync.conflicts().records
    both[1 - by].sync.resolve(record.id, take="both")
    if not is_open:
        both[by].sync.resolve(record.id, take="both")
    both[by].memory.forget(matching=["cocoa"], confirm=True)
    agree(machines, *both)

    assert (machines.root("desk") / "MEMORY.md").read_text().split() == MEMORY.replace("tea", "coffee").split()
    assert not [path for path, data in machines.files("laptop").items() if b"cocoa" in data]


def test_a_conflict_edited_on_two_machines_that_forget_something_else_is_no_decision(
    machines: Machines, both: tuple[Workspace, Workspace]
) -> None:
    desk, laptop = both
    memory, other = {name: machines.root(name) / "MEMORY.md" for name in ("desk", "laptop")}, machines.root("stick-2")
    memory["desk"].write_text(f"{MEMORY}- The zebra came\n- The yak came\n")
    other.mkdir()
    agree(machines, *both)
    for each in both:
        each.sync(str(other))
    memory["desk"].write_text(memory["desk"].read_text().replace("tea", "cocoa"))
    memory["laptop"].write_text(memory["laptop"].read_text().replace("tea", "coffee"))
    agree(machines, *both)
    desk.memory.forget(matching=["zebra"], confirm=True)
    desk.sync(str(machines.stick))
    laptop.sync(str(machines.stick))

    memory["desk"].write_text(memory["desk"].read_text().replace(COFFEE, ""))
    desk.sync(str(other))
    memory["laptop"].write_text(memory["laptop"].read_text().replace("cocoa", "milk"))
    laptop.memory.forget(matching=["yak"], confirm=True)
    laptop.sync(str(machines.stick))
    laptop.sync(str(other))
    agree(machines, *both)

    assert "coffee" not in memory["desk"].read_text()
