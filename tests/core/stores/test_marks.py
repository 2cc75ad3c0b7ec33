"""What a verb leaves for the next one: many may do so at once, and none fails for it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.core.stores import marks

PATH = ".agentws/history-failure"
THREADS, ROUNDS = 8, 40


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(str(tmp_path))


def test_what_was_left_is_found_until_it_is_taken_away(files: Files) -> None:
    found = []
    for text in ("", "git is locked", "git is gone\n", ""):
        marks.leave(files, PATH, text)
        found.append((marks.of(files, PATH), files.exists(PATH)))

    assert found == [("", False), ("git is locked", True), ("git is gone", True), ("", False)]


def test_many_leave_and_take_away_at_once_and_none_fails(files: Files) -> None:
    failed: list[Exception] = []

    def work(thread: int) -> None:
        try:
            for number in range(ROUNDS):
                marks.leave(files, PATH, f"failure {thread} {number}" if number % 2 else "")
        except Exception as error:
            failed.append(error)

    running = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()

    assert failed == []
    assert marks.of(files, PATH).startswith("failure "), "each left one at the end"
    assert [path.name for path in Path(files.root, ".agentws").iterdir() if ".agentws-" in path.name] == []


def test_where_nothing_can_be_left_nothing_fails(files: Files) -> None:
    Path(files.root, ".agentws").write_text("not a folder")

    marks.leave(files, PATH, "git is locked")

    assert marks.of(files, PATH) == ""
