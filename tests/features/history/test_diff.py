"""diff: what has changed in the documents since a state."""

from __future__ import annotations

import pytest

from agentws.core.formats import layout
from agentws.errors import MissingFileError, UsageError
from tests.features.history.worlds import NEEDS_GIT, World, at

pytestmark = NEEDS_GIT
TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


def test_nothing_differs_right_after_a_state(world: World) -> None:
    found = world.open(1).history.diff()

    assert (found.differs, found.at, found.notices) == ([], at(0), [])


def test_each_document_says_what_became_of_it(world: World) -> None:
    world.write("SOUL.md", world.text("SOUL.md") + "- calm\n")
    world.write("tasks/a.md", "# A\n")
    (world.root / "USER.md").unlink()

    found = world.open(1).history.diff()

    assert [(one.path, one.status, one.was) for one in found.differs] == [
        ("SOUL.md", "changed", "SOUL.md"), ("USER.md", "removed", "USER.md"), ("tasks/a.md", "added", ""),
    ]  # fmt: skip
    assert (found.differs[0].added, found.differs[0].removed) == (1, 0)
    assert found.differs[0].patch[:2] == ["--- a/SOUL.md", "+++ b/SOUL.md"]
    assert found.differs[1].patch[:2] == ["--- a/USER.md", "+++ /dev/null"]
    assert found.differs[2].patch == ["--- /dev/null", "+++ b/tasks/a.md", "@@ -0,0 +1 @@", "+# A"]


def test_a_document_that_lies_elsewhere_is_moved_not_gone_and_new(world: World) -> None:
    world.record(1, lambda: world.write("tasks/a.md", "# A\n"))
    (world.root / "tasks/a.md").rename(world.root / "tasks/b.md")

    (only,) = world.open(2).history.diff().differs

    assert (only.status, only.was, only.path, only.added, only.removed, only.patch) == (
        "moved", "tasks/a.md", "tasks/b.md", 0, 0, [],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("since", "added"),
    [
        (None, 0),
        ("1h", 1),
        ("2h", 2),
        ("2026-11-16T10:30", 1),
        ("2026-11-16T09:30", 2),
        ("2026-11-16T08:30", 4 + 2),  # and who writes, told with the first fact
        ("today", None),
    ],
)
def test_a_time_means_the_state_in_force_then(world: World, since: str | None, added: int | None) -> None:
    for hour in (1, 2, 3):
        world.open(hour).remember(f"fact {hour}")
    opened = world.open(3.5)

    if added is None:
        early = opened.history.diff(since=since)
        assert early.state.id == opened.history.diff(since="2026-11-16T08:00").state.id
        assert [each for each in early.notices if each.startswith("History begins on 2026-11-16 08:00")]
    else:
        differs = opened.history.diff(since=since).differs
        # What is known of each fact stands in a row of its own.
        assert sum(one.added for one in differs if one.path != layout.SOURCES) == added


def test_an_id_or_its_beginning_means_that_state(world: World) -> None:
    first = world.newest()
    world.open(1).remember("fact")

    for word in (first, first[:7]):
        assert world.open(2).history.diff(since=word).state.id == first
    with pytest.raises(UsageError, match="neither a time nor a state id"):
        world.open(2).history.diff(since="0" * 40)


def test_one_file_alone_may_be_asked_for(world: World) -> None:
    world.write("SOUL.md", "# Soul\n")
    world.write("USER.md", "# User\n")

    assert [one.path for one in world.open(1).history.diff("SOUL.md").differs] == ["SOUL.md"]
    assert world.open(1).history.diff("AGENTS.md").differs == []


def test_one_file_is_found_under_the_name_that_it_had(world: World) -> None:
    world.record(1, lambda: world.write("tasks/a.md", "# A\n"))
    world.record(2, lambda: (world.root / "tasks/a.md").rename(world.root / "tasks/b.md"))

    (only,) = world.open(3).history.diff("tasks/b.md", since="2026-11-16T09:00").differs

    assert (only.status, only.was) == ("moved", "tasks/a.md")


def test_a_file_that_was_never_there_is_missing(world: World) -> None:
    with pytest.raises(MissingFileError, match="does not exist, now or on 2026-11-16 08:00"):
        world.open(1).history.diff("tasks/none.md")


def test_what_was_held_back_for_a_secret_is_not_shown_as_new(world: World) -> None:
    world.record(1, lambda: world.write("tasks/key.md", f"# Key\n\n{TOKEN}\n"))

    found = world.open(2).history.diff()

    assert found.differs == []
    assert any("tasks/key.md" in notice for notice in found.notices)


def test_what_no_state_keeps_is_not_compared(world: World) -> None:
    world.write("notes.txt", "x\n")
    world.write("journal/w/00000001.jsonl", "{}\n")

    assert world.open(1).history.diff().differs == []


def test_a_document_that_cannot_be_read_is_a_notice(world: World) -> None:
    (world.root / "USER.md").unlink()
    (world.root / "USER.md").mkdir()
    (world.root / "TOOLS.md").write_bytes(b"")
    with (world.root / "TOOLS.md").open("r+b") as file:
        file.truncate(33 << 20)

    found = world.open(1).history.diff()

    assert [one.path for one in found.differs] == ["USER.md"]
    assert [notice for notice in found.notices if notice.startswith("Not compared: TOOLS.md")]


def test_looking_back_writes_nothing(world: World) -> None:
    world.write("SOUL.md", "# Soul\n")
    before = {path: path.stat().st_mtime_ns for path in world.root.rglob("*")}

    opened = world.open(1)
    opened.history.diff()
    opened.history("SOUL.md")
    opened.history.restore("SOUL.md", dry_run=True)

    assert {path: path.stat().st_mtime_ns for path in world.root.rglob("*")} == before


def test_two_states_are_compared_without_the_present_files(world: World) -> None:
    world.record(1, lambda: world.write("tasks/a.md", "# A\n"))
    world.record(2, lambda: world.write("tasks/a.md", "# A\n\nMore.\n"))
    world.write("tasks/a.md", "# Other\n")
    history = world.open(3).history
    newest, middle, first = (state.id for state in history.states().states[:3])

    (changed,) = history.diff(since=middle, until=newest).differs
    (added,) = history.diff("tasks/a.md", since=first, until=middle).differs

    assert (changed.status, changed.added, changed.removed) == ("changed", 2, 0)
    assert (added.status, added.patch[-1]) == ("added", "+# A")
    assert history.diff(since=newest, until=newest).differs == []
