"""What stands in place of a file that travels is no removal of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines


def linked(at: Path) -> None:
    away = at.parent.with_name(f"away-{at.name}")
    shutil.move(at, away)
    at.symlink_to(away.resolve())


def a_repository(at: Path) -> None:
    (at / ".git").mkdir()


def a_pipe(at: Path) -> None:
    at.unlink()
    os.mkfifo(at)


def a_folder(at: Path) -> None:
    at.unlink()
    at.mkdir()


def a_file(at: Path) -> None:
    shutil.rmtree(at)
    at.write_text("x\n")


def two(machines: Machines) -> tuple[Workspace, Workspace]:
    desk = machines.first()
    desk.log("Tea at four")
    desk.remember("Ada likes herons")
    desk.tasks.add("Pay the rent")
    desk.sync(str(machines.stick))
    lap = machines.another("lap")
    desk.sync()
    return desk, lap


PLACES = {
    "a link to a page": ("MEMORY.md", linked, "a link"),
    "a link to a folder": ("tasks", linked, "a link"),
    "a repository": ("memory", a_repository, "a repository"),
    "a pipe": ("MEMORY.md", a_pipe, "a device"),
    "a folder for a page": ("MEMORY.md", a_folder, "a folder"),
    "a file for a folder": ("tasks", a_file, "a file"),
}


@pytest.mark.parametrize(("path", "put", "what"), PLACES.values(), ids=PLACES)
def test_it_removes_nothing_elsewhere_and_is_named_once(
    machines: Machines, path: str, put: Callable[[Path], None], what: str
) -> None:
    desk, lap = two(machines)
    before = machines.files("lap")
    put(Path(desk.root, path))

    done = desk.sync()[0]
    lap.sync()

    left = machines.files("lap")
    assert {each for each in before if not each.startswith("journal/")} <= set(left)
    assert all(left[each] == before[each] for each in before if each.startswith(path))
    assert [each for each in done.notices if each.startswith(f"{path} is ")] == [
        f"{path} is {what} here. Elsewhere its files stay as they are."
    ]


def test_what_others_write_there_meanwhile_waits_and_is_merged_once_the_folder_is_back(machines: Machines) -> None:
    desk, lap = two(machines)
    tasks = Path(desk.root, "tasks")
    linked(tasks)
    desk.sync()
    lap.tasks.add("Oil the hinge")
    lap.sync()
    desk.sync()
    assert tasks.is_symlink()
    assert not any("hinge" in path.name for path in tasks.iterdir())
    away = tasks.resolve()
    tasks.unlink()
    shutil.move(away, tasks)

    for workspace in (desk, lap, desk):
        workspace.sync()

    for name in ("desk", "lap"):
        assert {"pay-the-rent", "oil-the-hinge"} <= {
            part for path in machines.files(name) for part in ("pay-the-rent", "oil-the-hinge") if part in path
        }
    assert {path: data for path, data in machines.files("desk").items() if path.startswith("tasks/")} == {
        path: data for path, data in machines.files("lap").items() if path.startswith("tasks/")
    }


def test_a_first_contact_with_something_in_the_way_loses_no_words_later(machines: Machines) -> None:
    desk, lap = two(machines)
    lap.sync.detach(str(machines.stick))
    linked(Path(lap.root, "MEMORY.md"))
    desk.remember("Ben reads the tide tables")
    desk.sync()
    lap.sync(str(machines.stick))
    page = Path(lap.root, "MEMORY.md")
    linked_to = page.resolve()
    page.unlink()
    shutil.move(linked_to, page)

    for workspace in (lap, desk):
        workspace.sync()

    for workspace in (lap, desk):
        told = Path(workspace.root, "MEMORY.md").read_text()
        assert "herons" in told
        assert "tide tables" in told
