"""A request that only a writer made which this machine does not know: marked everywhere, and not to be used."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.errors import AgentwsError
from agentws.features.approvals import render
from agentws.workspace import Workspace
from tests.conftest import NOW
from tests.identity.machines import Machine, writers

ACTION = {"tool": "pay", "amount": 9_000}
LATER = NOW + timedelta(hours=3)


@pytest.fixture
def desk(tmp_path: Path) -> Machine:
    return Machine(tmp_path, "desk")


@pytest.fixture
def theirs(desk: Machine, tmp_path: Path) -> tuple[Path, str, str]:
    """A workspace with a request of another machine; its id, and the id of that writer."""
    root = tmp_path / "robin"
    desk.makes(root).log("The roof has 300 tiles")
    there, copy = Machine(tmp_path, "mallory"), tmp_path / "copy"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("journal", ".agentws", "identity"))
    id = there.opens(copy).ask("Pay Mallory?", action=ACTION).id
    (name,) = writers(copy)
    shutil.copytree(copy / "journal" / name, root / "journal" / name)
    shutil.copytree(copy / "approvals", root / "approvals")
    return root, id, name


def person(machine: Machine, root: Path) -> Workspace:
    """The workspace for a person whose settings accept what is typed."""
    config = root.parent / "config.toml"
    config.write_text("[ask]\ntyped = true\n")
    it = machine.opens(root, LATER)
    it.stores.environment.config = str(config)
    return it


READERS: dict[str, Callable[[Workspace, str], str]] = {
    "ask list": lambda it, id: next(line for line in render.list_lines(it.approvals.list()) if id in line),
    "ask show": lambda it, id: "\n".join(render.show_lines(it.approvals.show(id), LATER)),
    "boot": lambda it, _: next(line for line in it.boot().text.split("\n") if "approval waits" in line),
    "status": lambda it, _: next(check.says for check in it.status().checks if check.name == "approvals"),
    "todo": lambda it, _: str([row.src for row in (*it.todos().rows, *it.todos().outside)]),
}


@pytest.mark.parametrize("reader", READERS)
def test_it_is_marked(desk: Machine, theirs: tuple[Path, str, str], reader: str) -> None:
    root, id, name = theirs

    said = READERS[reader](person(desk, root), id)

    assert "vouched" in said or f"other:{name}" in said


@pytest.mark.parametrize("answered", [False, True])
def test_it_is_used_only_after_a_vouch(desk: Machine, theirs: tuple[Path, str, str], answered: bool) -> None:
    root, id, name = theirs
    if answered:
        person(desk, root).approvals.decide(id, approve=True, typed=True)

    with pytest.raises(AgentwsError, match="nobody vouched for"):
        person(desk, root).approvals.use(id, ACTION)
    assert not person(desk, root).approvals.show(id).is_usable
    assert person(desk, root).ask("Pay Mallory?", action=ACTION).id != id, "a request of our own is another one"

    person(desk, root).identity.vouch(name)
    if not answered:
        person(desk, root).approvals.decide(id, approve=True, typed=True)
    assert person(desk, root).approvals.use(id, ACTION).status == "used"


def test_no_verb_makes_it_a_request_of_ours(desk: Machine, theirs: tuple[Path, str, str]) -> None:
    root, id, name = theirs
    person(desk, root).ask("Buy tea?", action={"tool": "tea"})

    assert person(desk, root).approvals.show(id).src == f"other:{name}"
