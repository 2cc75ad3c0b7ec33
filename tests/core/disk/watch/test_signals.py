"""Eyes: what ends a wait. No test relies on a time: what must not wake anybody is followed by what must."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.core.disk import watcher
from agentws.core.disk.watcher import CHANGED, NOTHING, STOPPED, Notified, Signals

LONG_S = 30.0


class Watched:
    """A folder that is watched, and what was asked about."""

    def __init__(self, root: Path, *, flood: int = 1_000_000, poll_s: float | None = None) -> None:
        self.root = root
        self.asked: list[str] = []
        self.eyes = Notified(str(root), folders=watcher.FOLDERS, matters=self.matters, flood=flood, poll_s=poll_s)

    def matters(self, path: str, is_folder: bool) -> bool:
        self.asked.append(path)
        return watcher.matters(path, is_folder=is_folder)

    def drain(self) -> None:
        """Hear of all that was made so far: a mark comes last."""
        self.asked.clear()
        mark = self.root / "MARK.md"
        mark.write_text("x")
        while self.eyes.wait(LONG_S) != CHANGED or "MARK.md" not in self.asked:
            pass
        mark.unlink()
        while not mark.exists() and self.eyes.wait(0.05) != NOTHING:
            pass


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    root = tmp_path / "robin"
    (root / "memory").mkdir(parents=True)
    (root / ".agentws").mkdir()
    (root / ".git" / "objects").mkdir(parents=True)
    (root / "src").mkdir()
    found = Watched(root)
    yield found
    found.eyes.close()


@pytest.mark.parametrize("path", ["MEMORY.md", "memory/2026-11-20.md"])
def test_a_document_that_is_written_moved_or_removed_ends_the_wait(watched: Watched, path: str) -> None:
    watched.drain()
    file = watched.root / path
    for step in (
        lambda: file.write_text("one"),
        lambda: file.rename(file.with_name(".hidden")),
        lambda: file.with_name(".hidden").rename(file),
        lambda: file.unlink(),
    ):
        watched.asked.clear()
        step()
        while path not in watched.asked:
            assert watched.eyes.wait(LONG_S) == CHANGED
        watched.drain()


def test_what_git_agentws_and_other_folders_hold_is_never_even_heard_of(watched: Watched) -> None:
    for path in (".agentws/changes.jsonl", ".git/index", ".git/objects/a", "src/a.md"):
        (watched.root / path).write_text("x")

    watched.drain()

    assert not [path for path in watched.asked if path.startswith((".agentws/", ".git/", "src/"))]


def test_reading_a_document_wakes_nobody(watched: Watched) -> None:
    (watched.root / "memory" / "a.md").write_text("x")
    watched.drain()
    watched.asked.clear()

    (watched.root / "memory" / "a.md").read_text()
    os.listdir(watched.root / "memory")
    watched.drain()

    assert "memory/a.md" not in watched.asked


def test_a_folder_that_is_made_later_is_watched_and_so_is_another_one_in_its_place(watched: Watched) -> None:
    for _ in range(2):
        watched.drain()
        (watched.root / "tasks").mkdir()
        assert watched.eyes.wait(LONG_S) == CHANGED
        watched.drain()
        watched.asked.clear()
        (watched.root / "tasks" / "a.md").write_text("x")
        while "tasks/a.md" not in watched.asked:
            assert watched.eyes.wait(LONG_S) == CHANGED
        shutil.rmtree(watched.root / "tasks")


def test_a_flood_of_what_matters_to_nobody_is_a_reason_to_look(tmp_path: Path) -> None:
    found = Watched(tmp_path, flood=10)
    try:
        for number in range(20):
            (tmp_path / f"{number}.tmp").write_text("x")

        assert found.eyes.wait(LONG_S) == CHANGED
    finally:
        found.eyes.close()


def test_where_nothing_happens_no_thread_of_it_is_woken(watched: Watched) -> None:
    watched.drain()
    before = switches()

    assert watched.eyes.wait(1.0) == NOTHING

    assert before
    assert switches() == before


def switches() -> dict[str, str]:
    """How often each thread of this process but the one that asks has gone to sleep, as the system counts."""
    own = threading.get_native_id()
    found = {}
    for thread in threading.enumerate():
        if thread.daemon and thread.native_id not in (None, own):
            lines = Path(f"/proc/self/task/{thread.native_id}/status").read_text().splitlines()
            found[str(thread.native_id)] = next(line for line in lines if line.startswith("voluntary"))
    return found


def test_who_stops_is_heard_before_and_within_a_wait(watched: Watched) -> None:
    watched.drain()
    while watched.eyes.wait(0.0) != NOTHING:
        pass
    threading.Timer(0.05, watched.eyes.stop).start()

    assert watched.eyes.wait(None) == STOPPED
    assert watched.eyes.wait(None) == STOPPED


def test_a_root_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Watched(tmp_path / "nowhere")


@pytest.fixture
def polled(tmp_path: Path) -> Iterator[Watched]:
    root = tmp_path / "robin"
    (root / "memory" / "archive").mkdir(parents=True)
    (root / "memory" / "loop").symlink_to(root, target_is_directory=True)
    (root / "memory" / "old.md").write_text("x")
    found = Watched(root, poll_s=0.01)
    assert found.eyes.wait(0.0) == CHANGED, "what was there before it was watched"
    yield found
    found.eyes.close()


@pytest.mark.parametrize("path", ["MEMORY.md", "memory/a.md", "memory/archive/a.md"])
def test_where_the_system_tells_nothing_a_change_is_found_by_looking(polled: Watched, path: str) -> None:
    file = polled.root / path
    for step in (
        lambda: file.write_text("one"),
        lambda: file.write_text("more"),
        lambda: file.rename(file.with_name(".hidden")),
        lambda: file.with_name(".hidden").rename(file),
        lambda: file.unlink(),
    ):
        polled.asked.clear()
        step()
        while path not in polled.asked:
            assert polled.eyes.wait(LONG_S) == CHANGED

    assert not [path for path in polled.asked if path.startswith("memory/loop/")]


def test_a_poller_finds_a_new_folder_another_one_in_its_place_and_the_end_of_all(polled: Watched) -> None:
    for _ in range(2):
        (polled.root / "tasks").mkdir()
        (polled.root / "MEMORY.md").write_text("x")
        polled.asked.clear()
        number = 0
        while "tasks/a.md" not in polled.asked:
            number += 1
            (polled.root / "tasks" / "a.md").write_text("x" * number)
            polled.eyes.wait(0.05)
        shutil.rmtree(polled.root / "tasks")
        (polled.root / "MEMORY.md").unlink()
    while polled.eyes.wait(0.1) != NOTHING:
        pass

    shutil.rmtree(polled.root)

    assert polled.eyes.wait(LONG_S) == CHANGED


def test_a_poller_that_ended_when_a_folder_was_away_for_a_moment_begins_anew(polled: Watched) -> None:
    emitters = [*polled.eyes._observer.emitters]
    for emitter in emitters:
        emitter.stop()  # as it does where a look finds no folder
        emitter.join()

    assert polled.eyes.wait(0.0) == NOTHING
    while polled.eyes.wait(0.1) != NOTHING:
        pass
    polled.asked.clear()
    for path in ("MEMORY.md", "memory/a.md"):
        (polled.root / path).write_text("x")
        while path not in polled.asked:
            assert polled.eyes.wait(LONG_S) == CHANGED


def test_a_poller_stops_at_once(tmp_path: Path) -> None:
    found = Watched(tmp_path, poll_s=1_000.0).eyes

    assert (found.wait(0.0), found.wait(0.0)) == (CHANGED, NOTHING)
    found.stop()
    assert found.wait(None) == STOPPED
    found.close()


def test_many_changes_are_one_and_a_stop_comes_before_all() -> None:
    found = Signals()
    for _ in range(1_000):
        found.changed()

    assert (found.wait(0.0), found.wait(0.0)) == (CHANGED, NOTHING)
    found.changed()
    found.stop()
    assert (found.wait(None), found.wait(None)) == (STOPPED, STOPPED)


def test_a_folder_is_known_again_wherever_its_name_leads(tmp_path: Path) -> None:
    root = tmp_path / "robin"
    root.mkdir()
    known = watcher.folder_id(str(root))

    assert watcher.is_same_folder(str(root), known)
    root.rename(tmp_path / "wren")
    assert not watcher.is_same_folder(str(root), known)
    root.mkdir()
    assert not watcher.is_same_folder(str(root), known)
