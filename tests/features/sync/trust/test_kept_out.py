"""What one machine forgot is kept out on every machine that syncs; a stranger can neither add nor end an entry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentws.core.formats import layout
from agentws.errors import ForgottenError
from agentws.workspace import Workspace
from tests import table
from tests.features.forget.test_kept_out import NAMES
from tests.features.forget.test_left_out import text_of
from tests.features.forget.test_rejected_and_replaced import NEW, OLD
from tests.features.sync.conftest import Machines
from tests.features.sync.trust.test_forgotten import two
from tests.features.sync.trust.test_new_writers import writer

NAME = "Zebulon Quark"


def known(machines: Machines) -> tuple[Workspace, Workspace]:
    """Two machines that know each other."""
    desk, attic = two(machines)
    desk.identity.vouch(writer(attic))
    desk.sync()
    attic.sync()
    return desk, attic


def ids(workspace: Workspace) -> set[str]:
    return {entry.id for entry in workspace.memory.kept_out()}


def holding(machines: Machines, name: str, word: str) -> list[str]:
    return [path for path, data in machines.files(name).items() if word.encode() in data and path.endswith(".md")]


def refuses(workspace: Workspace, text: str) -> bool:
    try:
        workspace.log(text)
    except ForgottenError:
        return True
    return False


def test_what_was_forgotten_on_one_machine_is_refused_on_the_other_in_every_script(machines: Machines) -> None:
    desk, attic = known(machines)
    for name, _ in NAMES.values():
        desk.log(f"met {name}")
    desk.memory.forget(subjects=[name for name, _ in NAMES.values()], confirm=True)
    desk.sync()
    attic.sync()

    def check(script: str) -> None:
        assert refuses(attic, NAMES[script][1])

    table.holds(check, NAMES)
    assert ids(attic) == ids(desk)
    assert len(ids(desk)) == len(NAMES)


def test_lines_that_the_other_machine_wrote_meanwhile_are_left_out_and_named_once(machines: Machines) -> None:
    desk, attic = known(machines)
    desk.log(f"{NAME} called")
    desk.memory.forget(subjects=[NAME])
    attic.log(f"Met {NAME.upper()} at the fair")
    attic.log("the roof has 300 tiles")
    attic.remember(f"{NAME} likes tea")

    desk.sync()
    (done,) = attic.sync()
    (again,) = attic.sync()
    desk.sync()

    assert sum("left out" in notice for notice in done.notices) == 1, done.notices
    assert not any("left out" in notice for notice in again.notices)
    for machine in ("desk", "attic"):
        assert holding(machines, machine, "ZEBULON") == holding(machines, machine, NAME) == []
        assert holding(machines, machine, "300 tiles")
    assert machines.files("desk") == machines.files("attic")


def test_both_machines_forget_and_one_lifts(machines: Machines) -> None:
    desk, attic = known(machines)
    for machine, name in ((desk, NAME), (attic, "Anna Lind")):
        machine.log(f"{name} called")
        machine.memory.forget(subjects=[name], confirm=True)
    for machine in (desk, attic, desk):
        machine.sync()
    assert ids(desk) == ids(attic)
    assert len(ids(desk)) == 2
    assert refuses(desk, "Anna Lind")
    assert refuses(attic, NAME)

    later = machines.opened("desk", minutes=5)
    later.memory.lift(*ids(desk))
    later.sync()
    attic.sync()

    assert not ids(attic)
    assert not refuses(attic, NAME)


def test_a_stranger_neither_adds_nor_removes_an_entry(machines: Machines) -> None:
    desk, attic = two(machines)  # nobody vouched for the attic
    desk.log(f"{NAME} called")
    desk.memory.forget(subjects=[NAME])
    desk.sync()
    attic.sync()
    before = ids(desk)
    attic.log("the roof has tiles of clay")
    attic.memory.forget(matching=["tiles of clay"])
    Path(attic.root, layout.KEPT_OUT).write_text(
        "".join(
            line for line in Path(attic.root, layout.KEPT_OUT).read_text().splitlines(keepends=True) if NAME in line
        )
    )
    attic.sync()
    desk.sync()

    assert ids(desk) == before
    assert refuses(desk, NAME)
    assert not refuses(desk, "tiles of clay")


def test_an_entry_with_the_name_of_a_known_writer_needs_its_signature(machines: Machines) -> None:
    desk, attic = known(machines)
    desk.log(f"{NAME} called")
    desk.memory.forget(subjects=[NAME])
    desk.sync()
    attic.sync()
    file = Path(attic.root, layout.KEPT_OUT)
    entry = next(row for row in map(json.loads, file.read_text().splitlines()) if "id" in row)
    forged = {**entry, "at": "2027-01-01T00:00:00.000000Z", "reason": "lifted"}
    bare = {name: value for name, value in forged.items() if name != "signature"}
    file.write_text(file.read_text() + "".join(f"{json.dumps(each)}\n" for each in (forged, bare)))
    attic.sync()
    desk.sync()

    assert ids(desk) == {entry["id"]}


@pytest.mark.parametrize("way", ["update", "remember"])
def test_the_other_machine_does_not_show_the_old_fact_beside_the_new_one(machines: Machines, way: str) -> None:
    desk, attic = known(machines)
    desk.remember(OLD)
    desk.sync()
    attic.sync()
    desk.remember(NEW, replaces=OLD)
    memory = Path(attic.root, "MEMORY.md")
    memory.write_text(memory.read_text().replace(f"- {OLD}\n", f"- {OLD}\n\n" if way == "update" else ""))
    attic.remember(OLD)

    desk.sync()
    attic.sync()
    desk.sync()

    for machine in (desk, attic):
        text = text_of(machine, "MEMORY.md")
        assert f"- {OLD}\n" not in text or NEW not in text
