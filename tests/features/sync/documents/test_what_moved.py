"""What a sync says of its changes: removals are called removals, and what was archived is none."""

from __future__ import annotations

from typing import Any

import pytest

from agentws.core.terminal import output
from agentws.errors import NeedsYouError
from agentws.features.sync import outcome
from agentws.features.sync.command import SYNCED, synced_lines
from agentws.features.sync.outcome import Moved
from tests.features.sync.conftest import Machines

DAY, ARCHIVED = "memory/2026-11-20.md", "memory/archive/2026/2026-11-20.md"
LINES = [f"- 08:0{number} Line {number}" for number in range(5)]


def log(*lines: str) -> str:
    return "\n".join(["# 2026-11-20", "", *lines, ""])


def moved(before: dict[str, str], after: dict[str, str]) -> Moved:
    return outcome.moved(before, after, lambda text: text.encode())


@pytest.mark.parametrize(
    ("lines", "entries", "removed"),
    [
        (LINES[:2], 0, 3),
        ([*LINES, "- 09:00 New"], 1, 0),
        ([*LINES[1:], "- 09:00 New"], 1, 1),
        ([LINES[0], "- 08:01 Line one", *LINES[2:]], 1, 0),
        ([], 0, 5),
    ],
    ids=["removed", "added", "one of each", "edited", "all removed"],
)
def test_entries_of_a_log_are_added_changed_or_removed(lines: list[str], entries: int, removed: int) -> None:
    made = moved({DAY: log(*LINES)}, {DAY: log(*lines)})

    assert (made.entries, made.removed.entries) == (entries, removed)


def test_in_a_long_log_they_are_counted_in_any_order() -> None:
    lines = [f"- 08:00 Line {number}" for number in range(2_000)]

    made = moved({DAY: log(*lines)}, {DAY: log(*lines[3:], "- 09:00 New")})

    assert (made.entries, made.removed.entries) == (1, 3)


def test_what_is_archived_is_neither_new_nor_removed() -> None:
    before = {DAY: log(*LINES), "tasks/rake.md": "# Rake\n"}

    made = moved(before, {ARCHIVED: log(*LINES), "tasks/archive/2026/rake.md": "# Rake\n"})

    assert (made.entries, made.tasks, made.files) == (0, 1, ())
    assert made.removed == outcome.Removed()


def test_tasks_files_and_logs_that_go_are_removed() -> None:
    made = moved({DAY: log(*LINES), "tasks/rake.md": "# Rake\n", "notes.md": "Notes\n"}, {})

    assert (made.entries, made.tasks, made.files) == (0, 0, ())
    assert made.removed == outcome.Removed(5, 1, ("notes.md",))
    assert moved({ARCHIVED: log(*LINES)}, {ARCHIVED: log(*LINES[1:])}).removed.entries == 1


def test_both_machines_are_told_of_what_goes(machines: Machines) -> None:
    desk = machines.first()
    for line in ("The post came", "The zebra came", "The zebra left"):
        desk.log(line)
    desk.sync(str(machines.stick))
    attic = machines.another("attic")
    desk.sync()
    desk.memory.forget(matching=["zebra"], confirm=True)

    out = desk.sync()
    came = attic.sync()

    assert next(iter(synced_lines(out))).startswith("out: 2 entries removed, ")
    assert next(iter(synced_lines(came))).startswith("in: 2 entries removed, ")
    fields: Any = output.fields(came[0], SYNCED)
    assert fields["in"]["entries"] == 0
    assert fields["in"]["removed"] == {"entries": 2, "tasks": 0, "files": []}


def test_status_does_not_say_that_all_is_out_after_a_refused_sync(machines: Machines) -> None:
    desk = machines.first()
    days = [machines.root("desk") / "memory" / f"2026-09-{number:02}.md" for number in range(1, 21)]
    for day in days:
        day.write_text(f"# {day.stem}\n\n- 08:00 Fed the cat\n")
    desk.sync(str(machines.stick))
    for day in days:
        day.unlink()
    with pytest.raises(NeedsYouError):
        desk.sync()

    assert said(machines) == "the newest sync failed"
    machines.opened("desk").sync(accept_removals=True)
    assert said(machines) == "all is out"


def test_status_does_not_say_that_all_is_out_while_a_log_is_held_back(machines: Machines) -> None:
    desk = machines.first()
    desk.log("The post came")
    desk.log("The zebra came")
    desk.sync(str(machines.stick))
    (day,) = machines.root("desk").glob("memory/2*.md")
    whole = day.read_text()
    day.write_text(whole.replace("- 07:15 The post came\n", ""))
    desk = machines.opened("desk")

    (done,) = desk.sync()

    assert any("stays here" in notice for notice in done.notices)
    assert said(machines) == "1 file stays here (agentws sync names what and why)"
    day.write_text(whole)
    machines.opened("desk").sync()
    assert said(machines) == "all is out"


def said(machines: Machines) -> str:
    """The last part of what the check of sync says."""
    says = next(check.says for check in machines.opened("desk", minutes=5).status().checks if check.name == "sync")
    return says.rpartition("; ")[2]
