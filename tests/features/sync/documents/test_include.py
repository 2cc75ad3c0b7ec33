"""Which files go along is said on each machine: what another one adds to that waits for a person."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from agentws.core.formats.travel import conflict
from agentws.core.formats.travel.conflict import Record, Side
from agentws.features.daily.config import settings
from agentws.features.sync.join import join
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines

GLOB = "knowledge/**"
SECRET = "ghp_" + "a8F3kQ9zL2mX7vB4nC6tR1yW5uJ0hD8sEqPo"


def write(workspace: Workspace, path: str, said: str) -> None:
    at = Path(workspace.root, path)
    at.parent.mkdir(exist_ok=True)
    at.write_text(said)


def allows(machines: Machines, name: str, said: str) -> Workspace:
    settings.set_setting(machines.opened(name).stores, "sync.include", said)
    return machines.opened(name)


def two(machines: Machines) -> tuple[Workspace, Workspace]:
    desk = machines.first()
    desk.sync(str(machines.stick))
    lap = machines.another("lap")
    desk.sync()
    return desk, lap


def test_a_wider_include_from_elsewhere_sends_nothing_from_here(machines: Machines) -> None:
    desk, lap = two(machines)
    write(lap, "taxes.txt", "what nobody else should read\n")
    desk = allows(machines, "desk", "**")
    desk.sync()

    for _ in range(3):
        lap = machines.opened("lap")
        done = lap.sync()[0]
        desk.sync()
        assert sum("agentws config sync.include" in notice for notice in done.notices) == 1

    assert "taxes.txt" not in machines.files("desk")


def test_a_secret_that_another_machine_lets_into_history_stays_out_of_it_here(machines: Machines) -> None:
    desk, lap = two(machines)
    subprocess.run(("git", "init", "-q", lap.root), check=True)
    lap.config.set("history.commits", "ref")
    write(lap, "MEMORY.md", f"# Memory\n\n- token {SECRET}\n")
    settings.set_setting(desk.stores, "history.include", "MEMORY.md")
    desk.sync()
    lap.sync()
    lap = machines.opened("lap")
    lap.config.set("boot.budget", "3000")

    def is_kept() -> bool:
        found = subprocess.run(("git", "log", "--all", "-p"), cwd=lap.root, check=True, capture_output=True).stdout
        return SECRET.encode() in found

    assert not is_kept()
    settings.set_setting(lap.stores, "history.include", "MEMORY.md")
    lap.config.set("boot.budget", "4000")
    assert is_kept()


def test_a_record_that_offers_a_wider_include_does_not_open_it(machines: Machines) -> None:
    _desk, lap = two(machines)
    write(lap, "taxes.txt", "what nobody else should read\n")
    told = Path(lap.root, "agentws.toml").read_text()
    sides = (Side(told), Side(f'{told}\n[sync]\ninclude = ["**"]\n'))
    forged = Record("0a1b2c3d", "agentws.toml", "file", "", base=Side(), sides=sides, at="", between=())
    Path(lap.root, "conflicts").mkdir()
    Path(lap.root, conflict.path("0a1b2c3d")).write_bytes(conflict.encode(forged))

    lap.sync.resolve("0a1b2c3d", take="2")
    for name in ("lap", "desk"):
        machines.opened(name).sync()

    assert '"**"' in Path(lap.root, "agentws.toml").read_text()
    assert "taxes.txt" not in machines.files("desk")


def test_what_does_not_travel_from_here_does_not_come_here(machines: Machines) -> None:
    desk, _lap = two(machines)
    desk = allows(machines, "desk", "**")
    write(desk, "Makefile", "all:\n")
    desk.sync()

    for _ in range(2):
        machines.opened("lap").sync()
    desk.sync()

    assert "Makefile" not in machines.files("lap")
    assert "Makefile" in machines.files("desk")


def test_once_it_is_set_here_too_both_have_the_files_of_both(machines: Machines) -> None:
    desk, lap = two(machines)
    desk = allows(machines, "desk", GLOB)
    write(desk, "knowledge/tides.md", "High at noon\n")
    write(desk, "knowledge/both.md", "The same\n")
    write(lap, "knowledge/both.md", "The same\n")
    write(lap, "knowledge/birds.md", "Herons\n")
    desk.sync()
    lap = machines.opened("lap")
    lap.sync()
    machines.opened("lap").sync()
    desk.sync()
    assert "knowledge/tides.md" not in machines.files("lap")

    lap = allows(machines, "lap", GLOB)
    for workspace in (lap, desk, lap, desk):
        workspace.sync()

    for name in ("desk", "lap"):
        assert {"knowledge/tides.md", "knowledge/both.md", "knowledge/birds.md"} <= set(machines.files(name))
    assert machines.files("desk") == machines.files("lap")


def test_a_machine_that_joins_has_what_the_manifest_names_and_is_told(machines: Machines) -> None:
    desk, _lap = two(machines)
    desk = allows(machines, "desk", "**")
    write(desk, "Makefile", "all:\n")
    write(desk, "knowledge/x.md", "Herons\n")
    desk.sync()
    allows(machines, "desk", GLOB).sync()

    joined = join(str(machines.stick), str(machines.root("pi")), machines.environment("pi"))

    assert "knowledge/x.md" in machines.files("pi")
    assert "Makefile" not in machines.files("pi")
    assert any(GLOB in notice for notice in joined.notices)
    machines.introduce(joined.writer, "pi", to="desk")
    machines.opened("pi").sync()
    desk.sync()
    assert "Makefile" in machines.files("desk")


def test_what_a_machine_that_joined_has_never_had_is_not_removed_by_it_later(machines: Machines) -> None:
    desk, _lap = two(machines)
    desk = allows(machines, "desk", "**")
    write(desk, "Makefile", "all:\n")
    desk.sync()
    allows(machines, "desk", "").sync()
    machines.another("pi")
    allows(machines, "desk", "**").sync()

    allows(machines, "pi", "**")
    for name in ("pi", "desk", "pi"):
        machines.opened(name).sync()

    assert machines.files("desk")["Makefile"] == b"all:\n"
    assert "Makefile" in machines.files("pi")


def test_a_word_that_went_from_the_manifest_counts_once_a_person_writes_it_there(machines: Machines) -> None:
    _desk, lap = two(machines)
    plain = Path(lap.root, "agentws.toml").read_text()
    write(lap, "knowledge/birds.md", "Herons\n")
    allows(machines, "desk", GLOB).sync()
    machines.opened("lap").sync()
    asked = Path(lap.root, "agentws.toml").read_text()
    assert GLOB in asked
    Path(lap.root, "agentws.toml").write_text(plain)
    machines.opened("lap").sync()
    machines.opened("desk").sync()

    Path(lap.root, "agentws.toml").write_text(asked)
    for name in ("lap", "desk", "desk"):
        done = machines.opened(name).sync()[0]

    assert "knowledge/birds.md" in machines.files("lap")
    assert "knowledge/birds.md" not in machines.files("desk")  # there it waits, for lap has brought it anew
    assert any("config sync.include" in notice for notice in done.notices)


@pytest.mark.parametrize("said", ["x\u001b[2J", "x'; rm -rf ~; '"])
def test_what_is_told_of_it_is_one_line_that_a_shell_takes_as_a_word(machines: Machines, said: str) -> None:
    two(machines)
    told = machines.root("desk") / "agentws.toml"
    told.write_text(f"{told.read_text()}\n[sync]\ninclude = [{json.dumps(said)}]\n")
    machines.opened("desk").sync()
    machines.opened("lap").sync()

    notices = [each for each in machines.opened("lap").sync()[0].notices if "sync.include" in each]

    assert len(notices) == 1
    assert notices[0].isprintable()
    if said.isprintable():
        assert shlex.split(notices[0].partition("agentws config ")[2])[1] == said


def test_a_file_of_both_that_begins_to_travel_stops_no_sync(machines: Machines) -> None:
    desk, lap = two(machines)
    write(desk, "knowledge/x.md", "One\n")
    write(lap, "knowledge/x.md", "Two\n")
    desk = allows(machines, "desk", GLOB)
    for _ in range(2):
        for name in ("desk", "lap"):
            machines.opened(name).sync()
    assert machines.files("lap")["knowledge/x.md"] == b"Two\n"

    allows(machines, "lap", GLOB)
    for _ in range(2):
        for name in ("lap", "desk"):
            machines.opened(name).sync()

    assert machines.files("desk") == machines.files("lap")
    assert {b"One", b"Two"} <= set(machines.files("lap")["knowledge/x.md"].split())


def test_what_does_not_travel_any_more_is_removed_nowhere(machines: Machines) -> None:
    desk, _lap = two(machines)
    write(desk, "knowledge/x.md", "Herons\n")
    desk = allows(machines, "desk", GLOB)
    desk.sync()
    machines.opened("lap").sync()
    allows(machines, "lap", GLOB).sync()
    assert "knowledge/x.md" in machines.files("lap")

    allows(machines, "desk", "")
    for _ in range(2):
        for name in ("desk", "lap"):
            machines.opened(name).sync()

    for name in ("desk", "lap"):
        assert machines.files(name)["knowledge/x.md"] == b"Herons\n"


def test_a_remote_that_is_detached_and_named_again_sends_nothing_more(machines: Machines) -> None:
    desk, lap = two(machines)
    write(lap, "taxes.txt", "what nobody else should read\n")
    desk = allows(machines, "desk", "**")
    desk.sync()
    lap.sync()

    lap.sync.detach(str(machines.stick))
    lap = machines.opened("lap")
    (done,) = lap.sync(str(machines.stick))
    desk.sync()

    assert any("agentws config sync.include" in notice for notice in done.notices)
    assert "taxes.txt" not in machines.files("desk")


@pytest.mark.parametrize("keeps_stick", [True, False], ids=["", "a-new-remote"])
def test_a_copy_that_was_restored_sends_what_was_set_on_it_alone(machines: Machines, keeps_stick: bool) -> None:
    desk, lap = two(machines)
    write(lap, "taxes.txt", "what nobody else should read\n")
    desk = allows(machines, "desk", "**")
    desk.sync()
    lap.sync()
    shutil.copytree(lap.root, machines.root("back"), ignore=shutil.ignore_patterns(".agentws"))
    stick = machines.stick if keeps_stick else machines.root("other")
    stick.mkdir(exist_ok=True)

    back = machines.opened("back")
    (done,) = back.sync(str(stick))
    held = back.sync()[0].outward.paths
    back = allows(machines, "back", "**")
    freed = back.sync()[0].outward.paths

    assert any("agentws config sync.include" in notice for notice in done.notices)
    assert ("taxes.txt" in (*done.outward.paths, *held), "taxes.txt" in freed) == (False, True)


def test_the_first_machine_sends_what_its_manifest_says(machines: Machines) -> None:
    desk = machines.first()
    write(desk, "notes/plan.txt", "a plan\n")
    told = Path(desk.root, "agentws.toml")
    told.write_text(f'{told.read_text()}\n[sync]\ninclude = ["notes/**"]\n')
    (done,) = machines.opened("desk").sync(str(machines.stick))

    assert "notes/plan.txt" in done.outward.paths
