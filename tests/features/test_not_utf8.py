"""Bytes that are not UTF-8 are refused where a person or an agent writes, and found where they stand already."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentws.core.text import utf8
from agentws.errors import UsageError
from agentws.features.memory.compact import command as compact
from agentws.workspace import Environment, Workspace

CAFE = "one\ncaf\udce9 x"
SAYS = "The text is not UTF-8: byte 4 of line 2 is 0xE9. Nothing was written."
DOORS: dict[str, Callable[[Workspace], object]] = {
    "log": lambda one: one.log(CAFE),
    "todo": lambda one: one.todo(CAFE),
    "todo, for whom": lambda one: one.todo("Call", for_whom=CAFE),
    "done": lambda one: one.done("car", note=CAFE),
    "drop": lambda one: one.drop("car", note=CAFE),
    "remember": lambda one: one.remember(CAFE),
    "handoff from a text": lambda one: one.handoff(text=CAFE),
    "handoff from words": lambda one: one.handoff(doing="all", pending=[CAFE]),
    "task": lambda one: one.tasks.add(CAFE),
    "step of a task": lambda one: one.tasks.add("Roof", steps=[CAFE]),
    "goal of a task": lambda one: one.tasks.add("Roof", goal=CAFE),
    "context": lambda one: one.contexts.new("work", text=CAFE),
}


@pytest.mark.parametrize("write", DOORS.values(), ids=DOORS)
def test_nothing_is_written_and_the_place_is_named(workspace: Workspace, write: Callable[[Workspace], object]) -> None:
    workspace.todo("Sell the car")
    before = documents(workspace)

    with pytest.raises(UsageError) as caught:
        write(workspace)

    assert caught.value.message == SAYS
    assert "iconv" in (caught.value.hint or "")
    assert documents(workspace) == before


def documents(workspace: Workspace) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path(workspace.root).rglob("*.md")}


def test_utf8_is_well_in_a_locale_that_knows_none() -> None:
    utf8.check("ö".encode().decode("ascii", "surrogateescape"), "ö", None)
    with pytest.raises(UsageError, match="unpaired surrogate"):
        utf8.check("\ud83e")


def test_events_keep_what_a_host_says(workspace: Workspace) -> None:
    assert workspace.event("note", "caf\udce9").seq is not None


def test_an_item_of_a_log_that_is_not_utf8_can_be_closed(workspace: Workspace) -> None:
    Path(workspace.root, "memory/2026-10-02.md").write_bytes(b"- [ ] Paint the caf\xe9 door\n")

    closed = workspace.done("paint", "door")

    assert workspace.todos().rows == workspace.todos(stale=True).rows == []
    assert Path(workspace.root, closed.closed[0].logged.path).read_text().count("�") == 1


@pytest.mark.parametrize("path", ["memory/2026-10-02.md", "MEMORY.md"])
def test_status_and_doctor_find_it(workspace: Workspace, path: str) -> None:
    Path(workspace.root, path).write_bytes(b"# Title\n\n- caf\xe9\n")

    assert not workspace.status().well
    found = [one for one in workspace.doctor().findings if one.name == "encoding"]
    assert [(one.path, one.line) for one in found] == [(path, 3)]
    assert ("compact skips this day" in found[0].says) == path.startswith("memory/")


def test_half_a_character_at_the_end_of_what_was_read_is_no_fault() -> None:
    data = "- ok\n- caf\u00e9".encode()
    assert utf8.bad_line(data) == utf8.bad_line(data[:-1], is_cut=True) == 0
    assert utf8.bad_line(data[:-1]) == 2
    assert utf8.bad_line(b"- \xff" + data, is_cut=True) == 1


def test_compact_says_that_a_day_waits(workspace: Workspace) -> None:
    Path(workspace.root, "memory/2026-10-02.md").write_bytes(b"# Title\n\n- caf\xe9\n")
    late = Workspace.open(workspace.root, environment=Environment(now=datetime(2026, 12, 1, tzinfo=UTC)))

    done = late.memory.compact()

    assert list(compact.compacted_lines(done, explain=False)) == [
        "Nothing to compact: 1 file cannot be compacted: memory/2026-10-02.md (line 3 is not UTF-8)."
    ]
