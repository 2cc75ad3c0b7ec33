"""watch: what others change is told and recorded, what is lost is warned of, and nothing goes round in circles."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk import watcher
from agentws.core.disk.cache import Cache
from agentws.core.disk.watcher import CHANGED, NOTHING, STOPPED
from agentws.errors import AgentwsError, DiskError, MayNotWriteError, NoWorkspaceError, UsageError
from agentws.features.automation.watch import poll, versions, watch, watch as verb
from agentws.features.automation.watch.poll import EVENT
from agentws.features.search import index
from agentws.features.tasks import edit as task_edit
from tests.features.history.worlds import NEEDS_GIT, World

pytestmark = NEEDS_GIT
FACTS = "".join(
    f"- Ada keeps the {word} in a drawer of their own\n" for word in ["keys", "figs", "nuts", "maps", "pens", "tags"]
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    found = World(tmp_path)
    found.open(1).remember("Leo likes tea")
    look(found)
    return found


def look(world: World, hours: float = 2) -> list[dict[str, Any]]:
    """What one look tells."""
    return [told(seen) for seen in world.open(hours).history.watch(once=True)]


def told(seen: Any) -> dict[str, Any]:
    return {"kind": seen.kind, **seen.facts}


def kinds(seen: Iterable[dict[str, Any]]) -> list[str]:
    return [one["kind"] for one in seen]


def add(world: World, words: str) -> None:
    """An edit by hand."""
    world.write("SOUL.md", f"{world.text('SOUL.md')}\n{words}\n")


def events(world: World, kind: str = EVENT) -> list[Any]:
    return list(world.open(3).journal.list(kinds=[kind], whole=True))


# One look


def test_where_nothing_changed_there_is_nothing_to_tell(world: World) -> None:
    before = world.newest()

    assert (look(world), world.newest(), events(world)) == ([], before, [])


def test_lines_of_agentws_are_recorded_and_not_told_as_others(world: World) -> None:
    world.open(2).log("Swept the roof")
    world.open(2).log("Fixed the gutter")
    before = world.newest()

    assert kinds(look(world)) == ["recorded"]
    assert world.newest() != before
    assert not events(world)


def test_an_edit_is_told_recorded_and_in_the_journal(world: World) -> None:
    before = world.newest()
    world.write("MEMORY.md", world.text("MEMORY.md").replace("tea", "coffee"))
    world.open(2).log("Swept the roof")

    edited, recorded = look(world)

    assert edited == {
        "kind": "edited", "path": "MEMORY.md", "status": "changed", "added": 1, "removed": 1, "lost": 0,
    }  # fmt: skip
    assert recorded == {"kind": "recorded", "state": world.newest()}
    (event,) = events(world)
    assert (event.src, event.session, event.body["count"]) == ("tool:watch", None, 1)
    assert (event.body["since"], event.body["state"]) == (before, world.newest())
    assert event.body["text"] == "Edited outside agentws: MEMORY.md +1 -1"
    assert "coffee" not in str(event.body), "what people write is theirs"
    assert look(world) == []


def test_what_a_verb_changed_meanwhile_is_not_taken_for_an_edit(world: World) -> None:
    world.open(2).remember("Leo has a boat")
    world.open(2).tasks.add("Paint the fence")
    world.open(2).undo()

    assert "edited" not in kinds(look(world))


def test_an_edit_before_a_verb_that_recorded_both_is_found(world: World) -> None:
    world.write("MEMORY.md", world.text("MEMORY.md") + FACTS)
    look(world)
    world.write("MEMORY.md", world.text("MEMORY.md").replace(FACTS, ""))
    world.open(2).remember("Leo has a boat")

    found = look(world)

    assert kinds(found) == ["edited", "warning"]
    assert (found[1]["lost"], found[1]["why"]) == (6, "lost") or found[1]["why"] == "shrank"


def test_who_loses_entries_is_warned_and_restore_brings_them_back(world: World) -> None:
    world.write("MEMORY.md", world.text("MEMORY.md") + FACTS)
    look(world)
    before = world.text("MEMORY.md")
    world.write("MEMORY.md", "# Memory\n\n[Rest unchanged]\n")

    (warning,) = [one for one in look(world) if one["kind"] == "warning"]
    world.open(4).history.restore("MEMORY.md", at=warning["state"][:10])

    assert (warning["path"], warning["why"]) == ("MEMORY.md", "shrank")
    assert world.text("MEMORY.md") == before
    assert "warning" not in kinds(look(world, 5))


def test_a_document_that_is_removed_is_warned_of_once(world: World) -> None:
    (world.root / "MEMORY.md").unlink()

    assert kinds(look(world)) == ["edited", "warning", "recorded"]
    assert look(world) == []


def test_what_is_moved_to_another_file_is_not_lost(world: World) -> None:
    world.write("MEMORY.md", world.text("MEMORY.md") + FACTS)
    look(world)
    world.write("MEMORY.md", world.text("MEMORY.md").replace(FACTS, ""))
    world.write("memory/drawers.md", f"# Drawers\n\n{FACTS}")
    (world.root / "USER.md").rename(world.root / "PEOPLE.md")

    found = look(world)

    assert "warning" not in kinds(found)
    assert {"kind": "edited", "path": "PEOPLE.md", "was": "USER.md", "status": "moved"}.items() <= found[1].items()


def test_ten_thousand_files_are_a_few_lines(world: World) -> None:
    for number in range(300):
        world.write(f"memory/notes-{number}.md", f"- note {number}\n")

    found = look(world)

    assert (len(found), found[-2]) == (12, {"kind": "edited", "more": 290})
    (event,) = events(world)
    assert (event.body["count"], len(event.body["files"])) == (300, 10)


def test_an_edit_of_a_task_is_told_to_the_journal_as_every_task_verb_does(world: World) -> None:
    world.open(2).tasks.add("Paint the fence")
    look(world)
    world.write("tasks/paint-the-fence.md", world.text("tasks/paint-the-fence.md") + "\n- [ ] sand\n")

    look(world)

    assert len(events(world, "task.edited")) == 1
    assert world.open(4).plumbing.pause_task("paint-the-fence").noticed == []


def test_an_edit_right_after_a_verb_is_told_without_what_the_verb_did(world: World) -> None:
    world.open(2).tasks.add("Paint the fence", goal="White.", steps=("sand", "paint"))
    world.write("tasks/paint-the-fence.md", world.text("tasks/paint-the-fence.md").replace("sand", "sand twice"))

    edited, *_ = look(world)

    assert (edited["path"], edited["status"]) == ("tasks/paint-the-fence.md", "changed")
    assert (edited["added"], edited["removed"]) == (1, 1)


def test_a_document_with_a_secret_is_not_in_history_and_told_once(world: World) -> None:
    world.write("memory/keys.md", "token: ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi\n" * 8)

    found = look(world)

    assert kinds(found) == ["edited", "notice"]
    assert kinds(look(world)) == ["notice"], "another process says it again"
    world.write("memory/keys.md", "")
    assert "warning" in kinds(look(world)), "its size tells"


def test_without_history_sizes_are_compared(tmp_path: Path) -> None:
    world = World(tmp_path, git=False)
    assert look(world) == []
    world.write("MEMORY.md", FACTS * 3)
    assert kinds(look(world)) == ["edited"]
    world.open(2).log("Swept the roof")
    assert look(world) == []
    world.write("MEMORY.md", "gone\n")

    found = look(world)

    assert kinds(found) == ["edited", "warning"]
    assert (found[1]["why"], found[1]["state"]) == ("shrank", None)


def test_growth_few_contents_that_no_state_holds_are_in_memory_and_the_others_are_compared_by_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first look at fifty thousand files finds none of them in history."""
    world = World(tmp_path, git=False)
    for number in range(20):
        world.write(f"memory/notes-{number:02}.md", FACTS)
    monkeypatch.setattr(versions, "_MOST_HELD_BYTES", 3 * len(FACTS))
    seen, _ = versions.present(world.open(2).stores)

    assert len(seen.contents(seen.documents)) <= 3
    assert {path for path, one in seen.documents.items() if one.size} >= {f"memory/notes-{n:02}.md" for n in range(20)}
    assert look(world) == []
    world.write("memory/notes-19.md", "gone\n")
    assert kinds(look(world)) == ["edited", "warning"]


def test_the_first_look_reports_no_document_that_history_did_not_hold_as_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    monkeypatch.setattr(versions, "_MOST_HELD_BYTES", 0)
    (world.root / poll.PATH).unlink(missing_ok=True)
    for number in range(5):
        world.write(f"memory/notes-{number}.md", FACTS)

    assert kinds(look(world)) == ["recorded"]
    assert look(world) == []


def test_a_place_that_is_lost_begins_with_the_newest_state(world: World) -> None:
    world.open(2).log("Swept the roof")
    add(world, "Grace, calm.")
    (world.root / poll.PATH).unlink()

    assert kinds(look(world)) == ["edited", "recorded"]
    (world.root / poll.PATH).write_text('{"agentws":1,"state":"%s","change":0,"apart":{}}' % ("0" * 40))
    assert look(world) == []


def test_killed_before_it_was_remembered_an_edit_is_told_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    add(world, "Grace, calm.")
    with monkeypatch.context() as patched:
        patched.setattr(poll, "write", _killed)
        with pytest.raises(KeyboardInterrupt):
            look(world)

    assert kinds(look(world)) == ["edited"]


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


# The loop


class FakeSignals:
    """Signals that arrive as scripted, each step at its moment; `waits` are those that were asked for."""

    kind = "events"

    def __init__(self, *steps: tuple[str, Callable[[], object]]) -> None:
        self.steps = list(steps)
        self.now = 1_000.0
        self.waits: list[float | None] = []
        self.is_closed = False

    def wait(self, timeout_s: float | None) -> str:
        self.waits.append(timeout_s)
        if timeout_s is None or timeout_s > watch.REFRESH_S:
            if not self.steps:
                return STOPPED
            found, act = self.steps.pop(0)
            act()
            self.now += (timeout_s or 0.0) if found == NOTHING else 0.1
            return found
        self.now += timeout_s
        return NOTHING

    def stop(self) -> None:
        self.steps.clear()

    def close(self) -> None:
        self.is_closed = True


def run(
    world: World, monkeypatch: pytest.MonkeyPatch, *steps: tuple[str, Callable[[], object]]
) -> tuple[list[dict[str, Any]], FakeSignals]:
    """What a watcher tells of these steps, until it is stopped behind the last."""
    signals = FakeSignals(*steps)
    monkeypatch.setattr(verb, "open_source", lambda *_: signals)
    workspace = world.open(2)
    workspace.stores.cache = Cache(str(world.root.parent / "cache"), str(world.root))
    watcher = workspace.history.watch(clock=lambda: signals.now)
    try:
        return [told(seen) for seen in watcher], signals
    finally:
        assert signals.is_closed


def nothing() -> None:
    return None


def test_a_quiet_workspace_is_looked_at_four_times_an_hour(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    found, signals = run(world, monkeypatch, *[(NOTHING, nothing)] * 4)

    assert kinds(found) == ["watching", "stopped"]
    assert signals.waits == [0.0, *[watch.ANYWAY_S] * 5]
    assert signals.now == 1_000 + 4 * watch.ANYWAY_S


def test_it_holds_no_lock_while_it_waits(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def are_free() -> None:
        for name in os.listdir(world.root / ".agentws"):
            if name.endswith(".lock"):
                with open(world.root / ".agentws" / name) as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    run(world, monkeypatch, (CHANGED, are_free), (NOTHING, are_free), (NOTHING, are_free))

    assert (world.root / ".agentws" / "watch.lock").exists()


def test_a_change_is_indexed_soon_and_recorded_when_it_is_quiet(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    refreshed: list[str] = []
    monkeypatch.setattr(index, "refresh", lambda _: refreshed.append(world.text("SOUL.md").split()[-1]))

    found, signals = run(
        world,
        monkeypatch,
        (CHANGED, lambda: add(world, "one")),
        (CHANGED, lambda: add(world, "two")),
        (NOTHING, nothing),
    )

    assert kinds(found) == ["watching", "edited", "recorded", "stopped"]
    assert refreshed == ["yes.", "one", "two", "two"]  # also behind each look
    assert len(signals.waits) == 7


def test_its_own_writes_wake_it_for_one_look_that_finds_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    states: list[str] = []

    found, _ = run(
        world,
        monkeypatch,
        (CHANGED, lambda: add(world, "one")),
        (NOTHING, nothing),
        (CHANGED, lambda: states.append(world.newest())),
        (NOTHING, lambda: states.append(world.newest())),
        (NOTHING, lambda: states.append(world.newest())),
    )

    assert kinds(found).count("recorded") == 1
    assert len({*states[1:]}) == 1


def test_without_history_each_edit_is_told_though_it_looks_like_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, git=False)
    steps = [(CHANGED, lambda: add(world, "one")), (NOTHING, nothing)]

    found, _ = run(world, monkeypatch, (NOTHING, nothing), *steps, *steps)

    assert kinds(found) == ["watching", "edited", "edited", "stopped"]


def test_tasks_that_cannot_be_told_of_are_no_reason_to_tell_of_all_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise AgentwsError("A task is odd.")

    world.open(2).tasks.add("Paint the fence")
    look(world)
    monkeypatch.setattr(task_edit, "note_edits", fail)
    world.write("tasks/paint-the-fence.md", world.text("tasks/paint-the-fence.md") + "\nMore.\n")

    assert kinds(look(world)) == ["edited", "recorded", "notice"]
    assert look(world) == []


def test_who_stops_it_gets_a_last_look(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = run(world, monkeypatch, (CHANGED, lambda: add(world, "one")))

    assert kinds(found) == ["watching", "edited", "recorded", "stopped"]


def test_two_watchers_tell_the_journal_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    other = world.open(2)

    run(
        world,
        monkeypatch,
        (CHANGED, lambda: add(world, "one")),
        (CHANGED, lambda: list(other.history.watch(once=True))),
        (NOTHING, nothing),
    )

    assert len(events(world)) == 1


@pytest.mark.parametrize("act", [shutil.rmtree, lambda root: root.rename(root.with_name("wren"))])
def test_a_workspace_that_is_moved_or_deleted_beneath_it_ends_it(
    world: World, monkeypatch: pytest.MonkeyPatch, act: Callable[[Path], object]
) -> None:
    with pytest.raises(NoWorkspaceError, match="moved or deleted"):
        run(world, monkeypatch, (CHANGED, lambda: act(world.root)))


def test_an_agent_that_has_moved_away_ends_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MayNotWriteError):
        run(world, monkeypatch, (CHANGED, lambda: world.open(2).identity.retire()), (NOTHING, nothing))


def test_a_full_disk_is_said_once_and_tried_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    full = [True]

    def write(*given: object) -> None:
        if full[0]:
            raise DiskError("The disk is full.", hint="Free some space.")
        written(*given)

    written: Callable[..., None] = poll.write
    monkeypatch.setattr(poll, "write", write)

    found, signals = run(
        world,
        monkeypatch,
        (CHANGED, lambda: add(world, "one")),
        *[(NOTHING, nothing)] * 3,
        (NOTHING, lambda: full.__setitem__(0, False)),
        (NOTHING, nothing),
    )

    assert kinds(found) == ["watching", "edited", "recorded", "failed", "stopped"]
    assert [wait for wait in signals.waits if wait and wait >= 60.0][:3] == [watch.ANYWAY_S, 60.0, 120.0]
    assert poll.read(world.open(3).stores.files) is not None


def test_a_torn_manifest_is_said_and_mended_later(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = world.text("agentws.toml")

    found, _ = run(
        world,
        monkeypatch,
        (CHANGED, lambda: world.write("agentws.toml", "")),
        (NOTHING, nothing),
        (CHANGED, lambda: world.write("agentws.toml", whole)),
        (NOTHING, nothing),
    )

    assert "failed" in kinds(found)
    assert kinds(found)[-1] == "stopped"


def test_no_time_is_less_than_nothing(world: World) -> None:
    for given in ({"settle_s": -1}, {"poll_s": 0}):
        with pytest.raises(UsageError):
            world.open(2).history.watch(**given)


# Signals of its own


def test_on_a_disk_of_this_machine_it_is_told_and_elsewhere_it_looks(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kind_of_source(kind: str, poll_s: float | None = None) -> str:
        monkeypatch.setattr(watcher.mounts, "kind_of", lambda _: (kind, "/"))
        found = verb.open_source(world.open(2).stores, poll_s)
        found.close()
        return found.kind

    assert (kind_of_source("ext4"), kind_of_source("nfs4"), kind_of_source("ext4", 1.0)) == (
        "events",
        "polling",
        "polling",
    )


def test_where_no_more_can_be_watched_it_looks(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from watchdog import observers

    class Refusing(observers.Observer):  # type: ignore[misc]
        def schedule(self, *_: object, **__: object) -> None:
            raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(watcher.mounts, "kind_of", lambda _: ("ext4", "/"))
    monkeypatch.setattr(observers, "Observer", Refusing)

    signals = verb.open_source(world.open(2).stores, None)
    signals.close()
    assert signals.kind == "polling"


def test_a_poller_sees_an_edit_and_a_folder_that_is_gone(world: World) -> None:
    signals = verb.open_source(world.open(2).stores, 0.01)
    while signals.wait(0.1) != NOTHING:
        pass

    add(world, "one")
    assert signals.wait(None) == CHANGED
    while signals.wait(0.1) != NOTHING:
        pass
    shutil.rmtree(world.root)
    assert signals.wait(None) == CHANGED
    signals.close()


def test_what_cannot_be_looked_at_is_no_reason_to_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise AgentwsError("The index is odd.")

    monkeypatch.setattr(index, "refresh", fail)

    found, _ = run(world, monkeypatch, (CHANGED, nothing), (NOTHING, nothing))

    assert kinds(found) == ["watching", "notice", "stopped"]


# What is known of our own changes


def test_where_the_record_of_our_changes_is_cut_nobody_is_blamed(world: World) -> None:
    for number in range(4):
        world.open(2).log(f"line {number}")
    lines = (world.root / ".agentws/changes.jsonl").read_text().splitlines(keepends=True)
    (world.root / ".agentws/changes.jsonl").write_text("".join(lines[-2:]))

    assert kinds(look(world)) == ["recorded"]
    add(world, "one")
    assert kinds(look(world)) == ["edited", "recorded"], "from then on it is known again"


def test_documents_too_large_to_compare_are_told_all_the_same(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from agentws.core.states import past

    monkeypatch.setattr(past, "_MOST_BYTES", 4_000)
    world.write("memory/a.md", "- one\n" * 1_000)
    world.write("memory/b.md", FACTS)
    look(world)
    world.write("memory/a.md", "- two\n" * 1_000)
    world.write("memory/b.md", "gone\n")

    found = look(world)

    assert [one.get("path") for one in found[:-1]] == ["memory/a.md", "memory/b.md", "memory/b.md"]
    assert [one["kind"] for one in found] == ["edited", "edited", "warning", "recorded"]
