"""Lines of a log that agentws acknowledged and another program removed: reported, put back or given up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.stores import lost_lines
from agentws.errors import AgentwsError
from agentws.workspace import Workspace
from tests import table

DAY = "memory/2026-11-20.md"
SAYS = f"{DAY}: 2 acknowledged lines are missing, as if another program had overwritten the file."


@pytest.fixture
def overwritten(workspace: Workspace) -> Workspace:
    """A workspace in which an editor saved its old buffer over a log that had grown by two lines."""
    workspace.log("Painted the gate")
    old = log(workspace).read_text()
    workspace.log("The paint is in the shed")
    workspace.todo("Buy brushes")
    log(workspace).write_text(f"{old}- 07:16 a line of the editor\n")
    return workspace


def log(workspace: Workspace) -> Path:
    return Path(workspace.root, DAY)


def reported(workspace: Workspace) -> list[str]:
    """What doctor, status and boot say; they must agree."""
    said = [f"{one.path}: {one.says}." for one in workspace.doctor().findings if one.name == "lost-lines"]
    assert [f"{one.says}." for one in workspace.status().checks if one.name == "lost-lines"] == said
    shown = workspace.boot().text
    assert all(each in shown for each in said)
    assert ("acknowledged line" in shown) == bool(said)
    return said


def test_boot_and_status_say_how_many_lines_of_which_file_are_missing(overwritten: Workspace) -> None:
    assert reported(overwritten) == [SAYS]


def test_the_next_line_says_so_and_the_alarm_stays(overwritten: Workspace) -> None:
    first, second = overwritten.log("Still here"), overwritten.log("And here")

    assert [notice for notice in first.notices if notice.startswith(SAYS)]
    assert "agentws doctor --fix" in first.notices[0]
    assert not second.notices
    assert reported(overwritten) == [SAYS]


def test_fix_puts_them_back_behind_what_is_there_and_undo_takes_them_away_again(overwritten: Workspace) -> None:
    overwritten.log("Still here")
    before = log(overwritten).read_text()

    done = overwritten.doctor(fix=True)

    assert [one.mended for one in done.mended if one.name == "lost-lines"]
    after = log(overwritten).read_text()
    assert after.startswith(before)
    assert "The paint is in the shed" in after[len(before) :]
    assert "Buy brushes" in after[len(before) :]
    assert reported(overwritten) == []
    overwritten.undo()
    assert log(overwritten).read_text() == before


def test_a_person_can_give_them_up_and_later_losses_are_reported(overwritten: Workspace) -> None:
    overwritten.log("Still here")

    overwritten.doctor(accept_loss=True)

    assert reported(overwritten) == []
    old = log(overwritten).read_text()
    overwritten.log("Another one")
    log(overwritten).write_text(old)
    assert reported(overwritten) == [SAYS.replace("2 acknowledged lines are", "1 acknowledged line is")]


def test_a_dry_run_changes_nothing(overwritten: Workspace) -> None:
    before = log(overwritten).read_bytes()

    done = overwritten.doctor(fix=True, accept_loss=True, dry_run=True)

    assert [one.name for one in done.findings if one.mends].count("lost-lines") == 1
    assert log(overwritten).read_bytes() == before
    assert reported(overwritten) == [SAYS]


def test_lines_that_a_verb_changed_a_log_after_are_still_missing(overwritten: Workspace) -> None:
    """`done` rewrites a log to tick a box, and keeps all other lines: it does not hide that some are gone."""
    log(overwritten).write_text(log(overwritten).read_text() + "- [ ] Oil the hinge\n")
    overwritten.done("hinge")

    assert reported(overwritten) == [SAYS]


LOSSES: dict[str, Callable[[Path], object]] = {
    "emptied": lambda path: path.write_text(""),
    "deleted": lambda path: path.unlink(),
    "cut in the middle of a line": lambda path: path.write_bytes(path.read_bytes()[:40]),
    "another text": lambda path: path.write_text("# 2026-11-20\n\n- nothing of all this\n"),
    "line ends of Windows, and half of it": lambda path: path.write_bytes(b"# 2026-11-20\r\n\r\n- x\r\n"),
}


def test_each_way_to_lose_them_is_noticed(workspace: Workspace) -> None:
    workspace.log("Painted the gate with two coats\n\nand a third one")
    workspace.log("The paint is in the shed")
    whole = log(workspace).read_bytes()

    def check(way: str) -> None:
        LOSSES[way](log(workspace))
        try:
            assert [one.path for one in lost_lines.missing(workspace.files)] == [DAY]
            workspace.doctor(fix=True)
            assert b"and a third one" in log(workspace).read_bytes()
            assert b"The paint is in the shed" in log(workspace).read_bytes()
        finally:
            log(workspace).write_bytes(whole)

    table.holds(check, list(LOSSES))


EDITS: dict[str, Callable[[Workspace], object]] = {
    "a person corrects a word": lambda one: edit(one, "in the shed", "in the old shed"),
    "a person ticks a box": lambda one: edit(one, "[ ]", "[x]"),
    "a person writes above": lambda one: edit(one, "# 2026-11-20\n", "# 2026-11-20\n\nA fine day.\n"),
    "a person sorts the lines": lambda one: log(one).write_text(
        "\n".join(sorted(log(one).read_text().split("\n"))) + "\n"
    ),
    "undo": lambda one: one.undo(),
    "done": lambda one: one.done("brushes"),
    "forget": lambda one: one.forget(matching=["shed"]),
    "move to the archive": lambda one: archive(one),
}


def edit(workspace: Workspace, old: str, new: str) -> None:
    text = log(workspace).read_text()
    assert old in text or old == "[ ]"
    log(workspace).write_text(text.replace(old, new))


def archive(workspace: Workspace) -> None:
    target = Path(workspace.root, "memory/archive/2026/2026-11-20.md")
    target.parent.mkdir(parents=True)
    log(workspace).rename(target)


@pytest.mark.parametrize("way", EDITS)
def test_an_edit_and_what_agentws_itself_removes_is_no_loss(workspace: Workspace, way: str) -> None:
    workspace.log("Painted the gate")
    workspace.log("The paint is in the shed, on the left")
    workspace.todo("Buy brushes")
    try:
        EDITS[way](workspace)
    except AgentwsError as error:
        pytest.fail(error.message)

    assert reported(workspace) == []
    workspace.log("Later")
    assert reported(workspace) == []
