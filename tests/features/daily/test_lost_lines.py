"""Lines of a log that agentws acknowledged and another program removed: reported, put back or given up."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from agentws.core.disk.change import undo_record
from agentws.core.stores import lost_lines
from agentws.errors import AgentwsError, DiskError, UsageError
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

DAY = "memory/2026-11-20.md"
SAYS = f"{DAY}: 2 acknowledged lines are missing, as if another program had overwritten the file"


@pytest.fixture
def overwritten(workspace: Workspace) -> Workspace:
    """A workspace in which an editor saved its old buffer over a log that had grown by two lines."""
    workspace.log("Painted the gate")
    old = log(workspace).read_text()
    workspace.log("The paint is in the shed")
    workspace.todo("Buy brushes")
    log(workspace).write_text(f"{old}- 07:16 a line of the editor\n")
    return workspace


def again(workspace: Workspace, now: datetime | None = None) -> Workspace:
    """The workspace opened by another process, also at another time."""
    known = workspace.stores.environment
    return Workspace.open(
        workspace.root, environment=Environment(now=now or known.now, timezone="UTC", state=known.state)
    )


def log(workspace: Workspace) -> Path:
    return Path(workspace.root, DAY)


def reported(workspace: Workspace) -> list[str]:
    """What doctor, status and boot say; they must agree."""
    said = [f"{one.path}: {one.says}" for one in workspace.doctor().findings if one.name == "lost-lines"]
    assert [one.says for one in workspace.status().checks if one.name == "lost-lines"] == said
    shown = workspace.boot().text
    assert all(f"{each}: agentws doctor --fix" in shown for each in said)
    assert ("acknowledged line" in shown) == bool(said)
    return said


def test_boot_and_status_say_how_many_lines_of_which_file_are_missing(overwritten: Workspace) -> None:
    assert reported(overwritten) == [SAYS]


def test_the_next_line_says_so_and_the_alarm_stays(overwritten: Workspace) -> None:
    first, second = overwritten.log("Still here"), overwritten.log("And here")

    assert first.notices == [f"{SAYS}: agentws doctor --fix"]
    assert not second.notices
    assert reported(overwritten) == [SAYS]


def test_a_record_that_cannot_be_read_does_not_keep_a_line_from_being_written(overwritten: Workspace) -> None:
    Path(overwritten.root, ".agentws/accepted-loss").mkdir()

    overwritten.log("Still here")

    assert "Still here" in log(overwritten).read_text()


def test_processes_that_log_after_a_loss_all_write_their_lines(overwritten: Workspace) -> None:
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda number: again(overwritten).log(f"line {number}"), range(16)))

    assert len(done) == 16
    assert all(f"line {number}\n" in log(overwritten).read_text() for number in range(16))
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

    done = overwritten.doctor(accept_loss=True)

    assert f"{DAY}: 2 given up." in done.notices
    assert reported(overwritten) == []
    log(overwritten).write_text("# 2026-11-20\n\n- 07:15 Painted the gate\n")
    assert reported(overwritten) == [SAYS.replace("2 acknowledged lines are", "1 acknowledged line is")]


def test_giving_up_where_nothing_is_missing_gives_up_nothing(workspace: Workspace) -> None:
    workspace.log("Painted the gate")

    assert workspace.doctor(accept_loss=True).notices == [
        "Nothing was given up: no acknowledged line or fact is missing."
    ]
    log(workspace).write_text("")
    assert reported(workspace)


def test_to_put_back_and_to_give_up_at_once_is_refused(overwritten: Workspace) -> None:
    with pytest.raises(UsageError, match="fix puts missing lines back"):
        overwritten.doctor(fix=True, accept_loss=True)


@pytest.mark.parametrize("way", ["fix", "accept_loss"])
def test_a_dry_run_changes_nothing(overwritten: Workspace, way: str) -> None:
    before = log(overwritten).read_bytes()

    overwritten.doctor(fix=way == "fix", accept_loss=way == "accept_loss", dry_run=True)

    assert log(overwritten).read_bytes() == before
    assert reported(overwritten) == [SAYS]


def test_a_log_of_an_earlier_day_is_watched_too(overwritten: Workspace) -> None:
    tomorrow = again(overwritten, now=NOW + timedelta(days=1))

    done = tomorrow.log("Another day")

    assert done.notices == [f"{SAYS}: agentws doctor --fix"]
    assert reported(tomorrow) == [SAYS]


def test_equal_words_at_two_times_are_two_lines(workspace: Workspace) -> None:
    workspace.log("Fed the cat")
    again(workspace, now=NOW + timedelta(hours=3)).log("Fed the cat")
    log(workspace).write_text("")

    workspace.doctor(fix=True)

    assert log(workspace).read_text().count("Fed the cat") == 2


def test_all_logs_are_put_back_in_one_change(overwritten: Workspace) -> None:
    tomorrow = again(overwritten, now=NOW + timedelta(days=1))
    tomorrow.log("Another day")
    second = Path(overwritten.root, "memory/2026-11-21.md")
    second.write_text("")
    before = log(overwritten).read_text()

    tomorrow.doctor(fix=True)

    assert "Another day" in second.read_text()
    tomorrow.undo()
    assert (log(overwritten).read_text(), second.read_text()) == (before, "")


def test_a_change_that_failed_hides_nothing(overwritten: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object) -> None:
        raise DiskError(".agentws/undo: the disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(undo_record, "put", full)
        assert any(notice.startswith("Not fixed: ") for notice in overwritten.doctor(fix=True).notices)

    assert reported(overwritten) == [SAYS]
    assert [one.mended for one in overwritten.doctor(fix=True).mended]


def test_what_agentws_removed_is_not_missing_however_long_ago(workspace: Workspace) -> None:
    workspace.log("Painted the gate")
    workspace.log("By mistake")
    workspace.undo()
    workspace.tasks.add("Fence")
    for number in range(60):
        workspace.tasks.edit("fence", goal=f"goal {number}")

    assert reported(workspace) == []


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("verb", ["log", "todo", "done"])
def test_a_line_that_was_undone_and_redone_is_watched(workspace: Workspace, verb: str, times: int) -> None:
    workspace.log("Painted the gate")
    workspace.todo("Buy brushes")
    {"log": workspace.log, "todo": workspace.todo, "done": workspace.done}[verb]("Buy brushes")
    before = log(workspace).read_text()
    for _ in range(times):
        workspace.undo()
        undone = log(workspace).read_text()
        workspace.history.redo()
    assert log(workspace).read_text() == before
    assert reported(workspace) == []

    log(workspace).write_text(undone)

    assert reported(workspace) == [SAYS.replace("2 acknowledged lines are", "1 acknowledged line is")]
    workspace.doctor(fix=True)
    assert sorted(log(workspace).read_text().split("\n")) == sorted(before.split("\n"))
    workspace.undo()
    assert reported(workspace) == []


LOSSES: dict[str, Callable[[Path], object]] = {
    "emptied": lambda path: path.write_text(""),
    "deleted": lambda path: path.unlink(),
    "cut in the middle of a line": lambda path: path.write_bytes(path.read_bytes()[:40]),
    "another text": lambda path: path.write_text("# 2026-11-20\n\n- nothing of all this\n"),
    "line ends of Windows, and half of it": lambda path: path.write_bytes(b"# 2026-11-20\r\n\r\n- x\r\n"),
    "older lines that are alike": lambda path: path.write_text("- 06:00 The paint is in the shed\n"),
}


@pytest.mark.parametrize("way", LOSSES)
def test_each_way_to_lose_them_is_noticed(workspace: Workspace, way: str) -> None:
    workspace.log("Painted the gate with two coats\n\nand a third one")
    workspace.log("The paint is in the shed")
    LOSSES[way](log(workspace))

    assert [one.path for one in lost_lines.missing(workspace.stores.files)] == [DAY]
    workspace.doctor(fix=True)

    restored = log(workspace).read_bytes()
    assert restored.count(b"and a third one") == 1
    assert restored.count(b"07:15 The paint is in the shed") == 1
    assert reported(workspace) == []


PAINT = "买了新的画笔和白色油漆"
SHED = "The paint is in the shed, on the left"
EDITS: dict[str, Callable[[Workspace], object]] = {
    "a person corrects a character of Chinese": lambda one: edit(
        one, "买了新的画笔和白色油漆", "买了新的画刷和白色油漆"
    ),
    "a person corrects a word": lambda one: edit(one, "in the shed", "in the old shed"),
    "a person strikes a line": lambda one: edit(one, f"07:15 {SHED}", f"~~07:15 {SHED}~~"),
    "a person strikes its words": lambda one: edit(one, SHED, f"~~{SHED}~~"),
    "a formatter changes the bullets": lambda one: edit(one, "- ", "* "),
    "an editor changes the line ends": lambda one: log(one).write_bytes(log(one).read_bytes().replace(b"\n", b"\r\n")),
    "a person renames the log": lambda one: log(one).rename(Path(one.root, "memory/2026-11-20-garden.md")),
    "another encoding": lambda one: log(one).write_bytes(log(one).read_text().encode("utf-16")),
    "a person writes above": lambda one: edit(one, "# 2026-11-20\n", "# 2026-11-20\n\nA fine day.\n"),
    "a person sorts the lines": lambda one: log(one).write_text(
        "\n".join(sorted(log(one).read_text().split("\n"))) + "\n"
    ),
    "undo": lambda one: one.undo(),
    "done": lambda one: one.done("brushes"),
    "forget": lambda one: one.memory.forget(matching=["shed"], confirm=True),
    "move to the archive": lambda one: archive(one),
}


def edit(workspace: Workspace, old: str, new: str) -> None:
    text = log(workspace).read_text()
    assert old in text
    log(workspace).write_text(text.replace(old, new))


def archive(workspace: Workspace) -> None:
    target = Path(workspace.root, "memory/archive/2026/2026-11-20.md")
    target.parent.mkdir(parents=True)
    log(workspace).rename(target)


@pytest.mark.parametrize("way", EDITS)
def test_an_edit_and_what_agentws_itself_removes_is_no_loss(workspace: Workspace, way: str) -> None:
    workspace.log("Painted the gate")
    workspace.log(PAINT)
    workspace.log(SHED)
    workspace.todo("Buy brushes")
    try:
        EDITS[way](workspace)
    except AgentwsError as error:
        pytest.fail(error.message)

    assert reported(workspace) == []
    if way != "another encoding":
        workspace.log("Later")
    assert reported(workspace) == []
