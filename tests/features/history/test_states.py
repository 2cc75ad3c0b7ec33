"""history FILE: the states in which a file changed, under whatever name it had."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agentws.changes import ABSENT, ChangeSet, Move, Write
from agentws.core.formats import digest
from agentws.core.formats.documents import sources
from agentws.core.states.past import Past
from agentws.errors import AgentwsError, MissingFileError, UsageError
from agentws.workspace import Workspace
from tests.features.history.worlds import NEEDS_GIT, World, at

pytestmark = NEEDS_GIT
DAY, FOLDED = "memory/2026-03-02.md", "memory/archive/2026/2026-03-02.md"


def test_a_file_has_the_states_in_which_it_changed_newest_first(world: World) -> None:
    world.open(1).remember("Leo likes coffee")
    world.open(2).contexts.new("blog")
    world.open(3).remember("Leo likes tea")

    found = world.open(4).history("MEMORY.md")

    assert [(one.verb, one.at, one.change) for one in found.changes] == [
        ("remember", at(3), "changed"), ("remember", at(1), "changed"), ("init", at(0), "added"),
    ]  # fmt: skip
    assert [(one.added, one.removed) for one in found.changes[:2]] == [(1, 0), (2, 0)]
    assert (found.earlier, found.edited) == (0, None)


def test_a_limit_leaves_out_the_earlier_ones_and_counts_them(world: World) -> None:
    for hour in (1, 2, 3):
        world.open(hour).remember(f"fact {hour}")

    found = world.open(4).history("MEMORY.md", limit=2)

    assert ([one.at for one in found.changes], found.earlier) == ([at(3), at(2)], 2)
    with pytest.raises(UsageError, match="must be at least 1"):
        world.open(4).history("MEMORY.md", limit=0)


def test_at_every_limit_the_newest_ones_and_the_number_of_the_others_are_as_without_one(world: World) -> None:
    write, folder = world.write, world.root / "contexts"
    for hour in (1, 2, 3):
        world.record(hour, lambda hour=hour: write("contexts/old.md", f"{hour}\n"))
    world.record(4, lambda: (folder / "old.md").rename(folder / "new.md"))
    for hour in (5, 6, 7):
        world.record(hour, lambda hour=hour: write("contexts/new.md", f"{hour}\n"))

    for path in ("contexts/new.md", "contexts/old.md", "MEMORY.md"):
        every = world.open(9).history(path, limit=99).changes
        for limit in range(1, len(every) + 1):
            found = world.open(9).history(path, limit=limit)
            assert [one.id for one in found.changes] == [one.id for one in every[:limit]]
            assert found.earlier == len(every) - limit


def test_no_more_states_are_looked_into_than_are_shown(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for hour in range(1, 9):
        world.record(hour, lambda hour=hour: world.write("SOUL.md", f"# Soul\n\n{hour}\n"))
    asked: list[int] = []
    contents_of = Past.contents_of
    monkeypatch.setattr(
        Past, "contents_of", lambda past, places: (asked.append(len(places)), contents_of(past, places))[1]
    )

    assert world.open(9).history("SOUL.md", limit=2).earlier == 7
    assert asked == [2 * (2 + 1)]  # with the oldest, before and after


def test_what_was_edited_since_the_newest_state_is_told(world: World) -> None:
    world.write("SOUL.md", world.text("SOUL.md") + "- one\n- two\n")

    assert world.open(1).history("SOUL.md").edited == (2, 0)
    (world.root / "SOUL.md").unlink()
    assert world.open(1).history("SOUL.md").edited is None


def test_a_folded_day_is_followed_into_the_archive_and_back(world: World) -> None:
    world.record(1, lambda: world.write(DAY, "# 2026-03-02\n\n- 09:00 one\n"))
    world.record(2, lambda: world.write(DAY, "# 2026-03-02\n\n- 09:00 one\n- 10:00 two\n"))
    data = (world.root / DAY).read_bytes()
    row = sources.Folded(DAY, FOLDED, day="2026-03-02", size=len(data), digest=digest.of(data), lines="", run="r")
    told = Write(sources.month_path("2026-03-02"), sources.encode([row]).encode(), expects=ABSENT)
    world.open(3).stores.apply(ChangeSet("compact", (Move(DAY, FOLDED, expects=digest.of(data)), told)))
    world.record(4, lambda: world.write(FOLDED, "# 2026-03-02\n\n- 09:00 one\n"))

    for path in (DAY, FOLDED):
        found = world.open(5).history(path)

        told_of = [(one.verb, one.change, one.path, one.moved_from, one.added, one.removed) for one in found.changes]
        assert told_of == [
            ("remember", "changed", FOLDED, "", 0, 1), ("compact", "moved", FOLDED, DAY, 0, 0),
            ("remember", "changed", DAY, "", 1, 0), ("remember", "added", DAY, "", 3, 0),
        ]  # fmt: skip


def test_a_file_that_was_moved_as_it_was_is_followed_by_its_content(world: World) -> None:
    world.record(1, lambda: world.write("tasks/old.md", "---\nstatus: active\n---\n# Old\n"))
    world.record(2, lambda: (world.root / "tasks/old.md").rename(world.root / "tasks/new.md"))
    world.record(3, lambda: (world.root / "tasks/new.md").rename(world.root / "tasks/newest.md"))

    for path in ("tasks/newest.md", "tasks/old.md", "tasks/new.md"):
        assert [one.change for one in world.open(4).history(path).changes] == ["moved", "moved", "added"]


def test_a_renamed_task_is_followed_though_its_title_changed_with_its_name(world: World) -> None:
    world.open(1).tasks.add("Roof")
    world.open(2).tasks.step("roof", "slate")
    world.open(3).tasks.rename("roof", "Gutter")
    world.open(4).tasks.step("gutter", "tin")

    for path in ("tasks/gutter.md", "tasks/roof.md"):
        found = world.open(5).history(path).changes
        assert [(one.change, one.path, one.moved_from, one.at) for one in found] == [
            ("changed", "tasks/gutter.md", "", at(4)), ("moved", "tasks/gutter.md", "tasks/roof.md", at(3)),
            ("changed", "tasks/roof.md", "", at(2)), ("added", "tasks/roof.md", "", at(1)),
        ]  # fmt: skip
    assert world.open(5).history.restore("tasks/gutter.md", at="2026-11-16T10:30", dry_run=True).was == "tasks/roof.md"


def test_a_task_that_took_a_name_that_was_given_away_has_a_history_of_its_own(world: World) -> None:
    world.open(1).tasks.add("Roof")
    world.open(2).tasks.rename("roof", "Gutter")
    world.open(3).tasks.add("Roof")
    world.open(4).tasks.step("roof", "tin")
    world.open(5).tasks.rename("gutter", "Drain")
    world.open(6).tasks.rename("drain", "Gutter")

    def told(path: str) -> list[tuple[str, str]]:
        return [(one.change, one.path) for one in world.open(7).history(path).changes]

    assert told("tasks/roof.md") == [("changed", "tasks/roof.md"), ("added", "tasks/roof.md")]
    assert told("tasks/gutter.md") == [
        ("moved", "tasks/gutter.md"), ("moved", "tasks/drain.md"), ("moved", "tasks/gutter.md"),
        ("added", "tasks/roof.md"),
    ]  # fmt: skip


def test_a_rename_that_was_taken_back_is_followed_too(world: World) -> None:
    world.open(1).tasks.add("Roof")
    world.open(2).tasks.rename("roof", "Gutter")
    world.open(3).undo()

    found = [(one.change, one.path) for one in world.open(4).history("tasks/roof.md").changes]

    assert found == [("moved", "tasks/roof.md"), ("moved", "tasks/gutter.md"), ("added", "tasks/roof.md")]


def test_two_files_that_are_empty_are_not_one(world: World) -> None:
    world.record(1, lambda: world.write("tasks/a.md", ""))
    world.record(2, lambda: ((world.root / "tasks/a.md").unlink(), world.write("tasks/b.md", "")))

    assert [one.change for one in world.open(3).history("tasks/b.md").changes] == ["added"]


def test_a_file_that_is_gone_has_its_history(world: World) -> None:
    world.record(1, lambda: world.write("tasks/a.md", "# A\n"))
    world.record(2, lambda: (world.root / "tasks/a.md").unlink())

    assert [one.change for one in world.open(3).history("tasks/a.md").changes] == ["removed", "added"]


def test_a_state_that_a_person_recorded_is_told_by_their_words(world: World) -> None:
    world.write("SOUL.md", "# Soul\n")
    person = ("git", "-c", "user.name=P", "-c", "user.email=p@example.org")
    subprocess.run([*person, "commit", "-qam", "I am calm\n\nand more"], cwd=world.root, check=True)

    newest = world.open(1).history("SOUL.md").changes[0]

    assert (newest.verb, newest.subject) == ("", "I am calm")


@pytest.mark.parametrize(
    ("file", "near"),
    [("memory/2026-11-20.md", ""), ("2026-11-20.md", "memory"), ("../memory/2026-11-20.md", "tasks"),
     ("memory/2026-11-20.md", "tasks"), ("./memory//2026-11-20.md", "")],
)  # fmt: skip
def test_a_file_may_be_named_from_anywhere_in_the_workspace(world: World, file: str, near: str) -> None:
    world.record(1, lambda: world.write("memory/2026-11-20.md", "- x\n"))

    assert world.open(2).history(file, near=near).path == "memory/2026-11-20.md"
    (world.root / "memory/2026-11-20.md").unlink()
    assert world.open(2).history(file, near=near).path == "memory/2026-11-20.md"


def test_a_file_may_be_named_by_its_whole_path(world: World) -> None:
    assert world.open(1).history(f"{world.root}/SOUL.md").path == "SOUL.md"


@pytest.mark.parametrize("file", ["../SOUL.md", "/etc/passwd", "", ".", "memory/", "a\nb.md", "tasks/../../x.md"])
def test_what_is_no_file_of_the_workspace_is_refused(world: World, file: str) -> None:
    with pytest.raises(UsageError, match="is not a file of this workspace"):
        world.open(1).history(file)


@pytest.mark.parametrize("file", ["journal/x/1.jsonl", ".agentws/changes.jsonl", "notes.txt", ".git/config"])
def test_what_history_never_keeps_is_said_to_be_so(world: World, file: str) -> None:
    with pytest.raises(UsageError) as refused:
        world.open(1).history(file)

    assert refused.value.hint


def test_a_file_that_no_state_has_is_missing(world: World) -> None:
    with pytest.raises(MissingFileError, match=r"No state of history contains tasks/none\.md"):
        world.open(1).history("tasks/none.md")


def test_a_pattern_is_a_name_like_any_other(world: World) -> None:
    with pytest.raises(MissingFileError):
        world.open(1).history("*.md")
    with pytest.raises(MissingFileError):
        world.open(1).history(":(top)SOUL.md")


def test_without_history_undo_is_named_and_how_to_begin(workspace: Workspace) -> None:
    workspace.contexts.new("blog")

    with pytest.raises(AgentwsError) as said:
        workspace.history("contexts/blog.md")

    assert said.value.exit_code == 1
    assert "context new blog (.agentws/undo/000002)" in said.value.message
    assert said.value.hint is not None
    assert "git init, then set commits" in said.value.hint


def test_with_a_repository_around_it_only_the_setting_is_missing(workspace: Workspace) -> None:
    subprocess.run(["git", "init", "-q"], cwd=workspace.root, check=True)

    with pytest.raises(AgentwsError) as said:
        workspace.history.diff()

    assert said.value.hint is not None
    assert "git init" not in said.value.hint
    Path(workspace.root, "agentws.toml").write_text(
        Path(workspace.root, "agentws.toml").read_text().replace('commits = "off"', 'commits = "ref"')
    )
    workspace.stores.load()
    with pytest.raises(AgentwsError, match="History has no state yet"):
        workspace.history.diff()
    workspace.remember("Leo likes tea")
    assert [one.verb for one in workspace.history("MEMORY.md").changes] == ["remember"]
