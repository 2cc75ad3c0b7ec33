"""Boot shows what a waiting task no longer waits for, also from a remembered answer, and writes nothing."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW


def test_boot_says_which_tasks_are_ready_and_writes_nothing(workspace: Workspace, tmp_path: Path) -> None:
    def at(minutes: int) -> Workspace:
        here = Environment(now=NOW + timedelta(minutes=minutes), timezone="UTC", cache=str(tmp_path / "cache"))
        return Workspace.open(workspace.root, environment=here)

    workspace.tasks.add("Roof", steps=["ask"])
    workspace.tasks.wait("roof", until="2h")
    workspace.tasks.add("Wall")
    workspace.tasks.wait("wall", path="inbox.txt")
    before = {path: path.read_bytes() for path in Path(workspace.root).rglob("*") if path.is_file()}

    assert "- Roof · waiting · next: ask · waiting until 2026-11-20 09:15 · 0 of 1 done" in at(0).boot().text
    assert "- Roof · waiting" in at(119).boot().text
    assert "- Roof · ready · next: ask · waited until 2026-11-20 09:15 · 0 of 1 done" in at(120).boot().text
    assert "- Wall · waiting · waiting for inbox.txt" in at(120).boot().text
    assert before == {path: path.read_bytes() for path in Path(workspace.root).rglob("*") if path.is_file()}
    Path(workspace.root, "inbox.txt").touch()
    assert "- Wall · ready · waited for inbox.txt" in at(120).boot().text


def test_the_tasks_are_one_section_with_a_line_each_and_overdue_ones_first(workspace: Workspace) -> None:
    workspace.tasks.add("Mend the gate", start=True)
    workspace.tasks.add("Paint the shed", due="2026-11-25")
    Path(workspace.root, "tasks/paint-the-shed.md").write_text(
        "---\nstatus: open\ndue: 2026-11-18\n---\n# Paint the shed\n\n- [ ] buy the paint\n"
    )

    lines = workspace.boot().text.partition("## Tasks [")[2].split("\n")[1:3]

    assert lines == [
        "- Paint the shed · open · next: buy the paint · was due 2026-11-18 · 0 of 1 done · tasks/paint-the-shed.md",
        "- Mend the gate · active · tasks/mend-the-gate.md",
    ]


# Many tasks


def put(workspace: Workspace, slug: str, status: str, more: str = "", body: str = "") -> None:
    path = Path(workspace.root, f"tasks/{slug}.md")
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"---\nstatus: {status}\n{more}---\n# {slug.capitalize()}\n{body}")


def test_what_is_over_takes_no_place_from_what_is_not(workspace: Workspace) -> None:
    for number in range(45):
        put(workspace, f"finished-{number:02}", "done")
    put(workspace, "zebra", "active")

    booted = workspace.boot()

    assert "- Zebra · active" in booted.text
    assert not [one for one in booted.context.omitted if one.source == "tasks/"]


def test_what_is_over_is_not_read_whole(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(45):
        put(workspace, f"finished-{number:02}", "done", body="It is done.\n" * 1000)
    put(workspace, "zebra", "active", body="Stripes.\n" * 1000)
    read: dict[str, int] = {}
    part = Files.part

    def watched(self: Files, path: str, limit_bytes: int, *, from_end: bool = False) -> tuple[bytes, int]:
        found = part(self, path, limit_bytes, from_end=from_end)
        read[path] = read.get(path, 0) + len(found[0])
        return found

    monkeypatch.setattr(Files, "part", watched)
    workspace.boot(budget=20_000)

    assert {size for path, size in read.items() if path.startswith("tasks/finished-")} == {1024}


def test_the_live_ones_beyond_the_limit_are_counted_and_the_active_ones_come_first(workspace: Workspace) -> None:
    for number in range(50):
        put(workspace, f"idea-{number:02}", "open")
        put(workspace, f"finished-{number:02}", "done")
    put(workspace, "zebra", "active")

    booted = workspace.boot()

    (left,) = [one for one in booted.context.omitted if one.source == "tasks/"]
    assert "- Zebra · active" in booted.text
    assert (left.why, left.read_with) == ("11 more open tasks", "agentws task list")


def test_a_context_names_a_task_wherever_it_lies_and_what_is_not_looked_at_is_counted(workspace: Workspace) -> None:
    for number in range(405):
        put(workspace, f"finished-{number:03}", "done")
    put(workspace, "zebra", "paused")
    Path(workspace.root, "contexts").mkdir(exist_ok=True)
    Path(workspace.root, "contexts/zoo.md").write_text("---\ntasks: [zebra]\n---\n# Zoo\n")

    booted = workspace.boot(context_name="zoo")

    assert "- Zebra · paused" in booted.text
    assert [one.why for one in booted.context.omitted if one.source == "tasks/"] == ["6 more tasks"]


def test_a_header_of_any_length_and_a_damaged_one_are_understood_among_many(workspace: Workspace) -> None:
    for number in range(45):
        put(workspace, f"finished-{number:02}", "done", more=f"note: |\n  {'x' * 2000}\n")
    put(workspace, "zebra", "[")

    booted = workspace.boot()

    assert "finished" not in booted.text
    assert "Zebra" in booted.text
    assert sum("tasks/zebra.md" in notice for notice in booted.notices) == 1


def test_one_that_is_not_shown_wakes_in_its_time(workspace: Workspace, tmp_path: Path) -> None:
    def at(minutes: int) -> Workspace:
        here = Environment(now=NOW + timedelta(minutes=minutes), timezone="UTC", cache=str(tmp_path / "cache"))
        return Workspace.open(workspace.root, environment=here)

    for number in range(45):
        put(workspace, f"busy-{number:02}", "waiting", more="waiting_on: Sam\n")
    put(workspace, "zebra", "waiting", more=f"waiting_on: {(NOW + timedelta(hours=2)).isoformat()}\n")

    assert "Zebra" not in at(0).boot().text
    assert "Zebra" not in at(119).boot().text
    assert "- Zebra · ready" in at(120).boot().text
