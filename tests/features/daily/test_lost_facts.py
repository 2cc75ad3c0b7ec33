"""Facts of MEMORY.md that another program took away: reported, put back or given up. Edits of a person are no loss."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.stores import lost_facts
from agentws.errors import NeedsYouError
from agentws.workspace import Environment, Workspace

FACTS = (
    "Alex pays the rent on the first of each month",
    "The blue paint for the gate is in the shed",
    "Trains to Hamburg leave from platform seven",
    "Mira is allergic to peanuts",
    "The dentist is closed on Fridays",
    "买了新的画笔和白色油漆",
    "Passwords are kept in the family vault",
    "Grandmother turns eighty in October",
)


@pytest.fixture
def robin(workspace: Workspace) -> Workspace:
    for number, fact in enumerate(FACTS):
        workspace.remember(fact, section="House" if number % 2 else None)
    return workspace


def memory(workspace: Workspace) -> Path:
    return Path(workspace.root, "MEMORY.md")


def again(workspace: Workspace) -> Workspace:
    known = workspace.stores.environment
    return Workspace.open(workspace.root, environment=Environment(now=known.now, timezone="UTC", state=known.state))


def reported(workspace: Workspace) -> list[str]:
    """What doctor, status, boot and log say; they must agree."""
    workspace = again(workspace)
    said = [f"{one.path}: {one.says}" for one in workspace.doctor().findings if one.name == "lost-facts"]
    assert [f"{one.path}: {one.says}" for one in workspace.status().findings if one.name == "lost-facts"] == said
    shown = workspace.boot().text
    assert all(f"{each}: agentws doctor --fix" in shown for each in said)
    assert ("acknowledged fact" in shown) == bool(said)
    assert [one for one in workspace.log("a line").notices if "acknowledged" in one] == [
        f"{each}: agentws doctor --fix" for each in said
    ]
    return said


def says(count: int) -> list[str]:
    return [f"MEMORY.md: {count} acknowledged facts are missing, as if another program had overwritten the file"]


def shrink(workspace: Workspace) -> None:
    """Leave one fact of eight."""
    memory(workspace).write_text(f"# Memory\n\n- {FACTS[0]}\n")


def cut(text: str) -> str:
    """Return the text up to the middle of its second entry."""
    return text[: text.index("\n- ", text.index("\n- ") + 3) + 9]


LOSSES: dict[str, tuple[int, Callable[[Path], object]]] = {
    "eight facts to one": (7, lambda path: path.write_text(f"# Memory\n\n- {FACTS[0]}\n")),
    "emptied": (8, lambda path: path.write_text("")),
    "blank": (8, lambda path: path.write_bytes(b"\n \n")),
    "deleted": (8, lambda path: path.unlink()),
    "cut in the middle of a line": (7, lambda path: path.write_text(cut(path.read_text()))),
    "another text": (8, lambda path: path.write_text("# Notes\n\n- buy milk\n- call Bob\n- water plants\n" * 5)),
    "zeros of a power cut": (8, lambda path: path.write_bytes(bytes(path.stat().st_size))),
    "a template": (8, lambda path: path.write_text("# Memory\n")),
    "line ends of Windows, and half of it": (5, lambda path: path.write_text(
        "# Memory\r\n\r\n" + "".join(f"- {fact}\r\n" for fact in FACTS[:3]), newline="")),
}  # fmt: skip


@pytest.mark.parametrize("way", LOSSES)
def test_each_loss_is_told_and_put_back(robin: Workspace, way: str) -> None:
    count, lose = LOSSES[way]
    lose(memory(robin))

    assert reported(robin) == says(count)
    done = again(robin).doctor(fix=True)

    assert [one.mended for one in done.mended if one.name == "lost-facts"]
    restored = memory(robin).read_text()
    assert all(restored.count(f"- {fact}") == 1 for fact in FACTS)
    assert reported(robin) == []


def test_a_file_in_which_nothing_is_new_is_put_back_as_it_was(robin: Workspace) -> None:
    before = memory(robin).read_bytes()
    shrink(robin)

    again(robin).doctor(fix=True)

    assert memory(robin).read_bytes() == before
    robin.undo()
    assert memory(robin).read_text().count("\n- ") == 1


@pytest.mark.parametrize("way", LOSSES)
def test_nothing_of_it_goes_to_another_machine(robin: Workspace, tmp_path: Path, way: str) -> None:
    """Neither by a sync, nor by a move, which would leave behind what it is put back from."""
    remote = tmp_path / "stick"
    remote.mkdir()
    again(robin).sync(str(remote))
    count, lose = LOSSES[way]
    lose(memory(robin))
    lost = memory(robin).read_bytes() if memory(robin).exists() else None

    (done,) = again(robin).sync()
    with pytest.raises(NeedsYouError, match=says(count)[0]):
        again(robin).copies.migrate(str(tmp_path / "elsewhere"))

    assert any(f"MEMORY.md stays here: {says(count)[0].partition(': ')[2]}" in notice for notice in done.notices)
    assert "MEMORY.md" not in done.outward.paths
    assert (memory(robin).read_bytes() if memory(robin).exists() else None) == lost
    again(robin).doctor(fix=True)
    assert all(memory(robin).read_text().count(f"- {fact}") == 1 for fact in FACTS)
    (done,) = again(robin).sync()
    assert not any("MEMORY.md" in notice for notice in done.notices)


def test_a_person_gives_them_up_and_a_later_loss_is_told(robin: Workspace) -> None:
    shrink(robin)

    done = again(robin).doctor(accept_loss=True)

    assert "MEMORY.md: 7 given up." in done.notices
    assert reported(robin) == []
    memory(robin).write_text("")
    assert reported(robin) == [says(1)[0].replace("1 acknowledged facts are", "1 acknowledged fact is")]
    again(robin).doctor(accept_loss=True)
    assert reported(robin) == []


def test_a_dry_run_changes_nothing(robin: Workspace) -> None:
    shrink(robin)
    before = memory(robin).read_bytes()

    again(robin).doctor(fix=True, dry_run=True)
    again(robin).doctor(accept_loss=True, dry_run=True)

    assert memory(robin).read_bytes() == before
    assert reported(robin) == says(7)


def test_facts_remembered_after_the_loss_hide_nothing(robin: Workspace) -> None:
    shrink(robin)
    again(robin).remember("The gate squeaks")
    again(robin).remember("The hinge is new")

    assert reported(robin) == says(7)
    again(robin).doctor(fix=True)
    text = memory(robin).read_text()
    assert all(fact in text for fact in (*FACTS, "The gate squeaks", "The hinge is new"))


def test_a_killed_change_that_was_not_kept_hides_what_it_removed(robin: Workspace) -> None:
    kept = Path(robin.root, ".agentws/memory").read_bytes()
    for _ in FACTS:
        robin.undo()
    Path(robin.root, ".agentws/memory").write_bytes(kept)

    assert reported(robin) == []


def test_a_torn_copy_counts_for_nothing(robin: Workspace) -> None:
    kept = Path(robin.root, ".agentws/memory")
    kept.write_bytes(kept.read_bytes()[:-5])
    memory(robin).write_text("")

    assert reported(robin) == []


def test_forgotten_words_are_in_no_copy(robin: Workspace) -> None:
    memory(robin).write_text(memory(robin).read_text().replace(FACTS[3], "Mira eats everything"))
    robin.memory.forget(matching=["peanuts"], confirm=True)

    assert b"peanuts" not in Path(robin.root, ".agentws/memory").read_bytes()
    assert reported(robin) == []


def edit(workspace: Workspace, *pairs: tuple[str, str]) -> None:
    text = memory(workspace).read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    memory(workspace).write_text(text)


def without(workspace: Workspace, *facts: str) -> None:
    edit(workspace, *((f"- {fact}\n", "") for fact in facts))


def move(workspace: Workspace) -> None:
    """Move six facts to a document of their own."""
    Path(workspace.root, "memory/house.md").write_text("".join(f"* {fact}\n" for fact in FACTS[2:]))
    without(workspace, *FACTS[2:])


def merge_facts(workspace: Workspace) -> None:
    """State eight facts in three lines."""
    lines = (f"- {', and '.join(FACTS[start : start + 3])}\n" for start in (0, 3, 6))
    memory(workspace).write_text("# Memory\n\n" + "".join(lines))


EDITS: dict[str, Callable[[Workspace], object]] = {
    "a word": lambda one: edit(one, ("blue paint", "green paint")),
    "most lines in other words": lambda one: edit(
        one,
        ("Alex pays the rent on the first of each month", "On the first of each month the rent is paid by Alex"),
        ("Trains to Hamburg leave from platform seven", "From platform seven leave the trains to Hamburg"),
        ("The dentist is closed on Fridays", "On Fridays the dentist is closed"),
        ("The blue paint for the gate is in the shed", "In the shed is the blue paint for the gate"),
        ("Grandmother turns eighty in October", "In October grandmother turns eighty years old"),
    ),
    "three deleted by hand": lambda one: without(one, *FACTS[:3]),
    "half deleted by hand": lambda one: without(one, *FACTS[:4]),
    "moved to another document": move,
    "three lines for all": merge_facts,
    "sorted": lambda one: memory(one).write_text("\n".join(sorted(memory(one).read_text().split("\n")))),
    "other bullets": lambda one: edit(one, ("- ", "* ")),
    "numbers": lambda one: edit(one, ("- ", "1. ")),
    "prose": lambda one: memory(one).write_text("# Memory\n\n" + ". ".join(FACTS) + ".\n"),
    "line ends of Windows": lambda one: memory(one).write_bytes(memory(one).read_bytes().replace(b"\n", b"\r\n")),
    "another encoding": lambda one: memory(one).write_bytes(memory(one).read_text().encode("utf-16")),
    "another name": lambda one: memory(one).rename(Path(one.root, "memory.md")),
    "another folder": lambda one: memory(one).rename(Path(one.root, "memory/facts.md")),
    "struck": lambda one: edit(one, *((fact, f"~~{fact}~~") for fact in FACTS)),
    "headings between": lambda one: edit(one, *((f"- {fact}", f"## Part\n\n- {fact}") for fact in FACTS)),
    "undo": lambda one: [one.undo() for _ in range(7)],
    "forget": lambda one: one.memory.forget(matching=[*FACTS[1:]]),
}


@pytest.mark.parametrize("way", EDITS)
def test_an_edit_and_what_agentws_removes_is_no_loss(robin: Workspace, way: str) -> None:
    EDITS[way](robin)

    assert reported(robin) == []
    if way not in ("another encoding", "another name", "another folder"):
        again(robin).remember("Later")
        assert reported(robin) == []


def test_the_only_facts_may_be_deleted_by_hand(workspace: Workspace) -> None:
    workspace.remember(FACTS[0])
    workspace.remember(FACTS[1])
    without(workspace, *FACTS[:2])

    assert lost_facts.missing(workspace.stores.files) is None
