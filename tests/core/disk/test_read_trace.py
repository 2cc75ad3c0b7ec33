"""A trace holds as long as every question it noted has the same answer, and no longer."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.disk import read_trace
from agentws.errors import AgentwsError

ASK: dict[str, Callable[[read_trace.Watched], object]] = {
    "the beginning of a file": lambda files: files.part("a.md", 4),
    "its end": lambda files: files.part("a.md", 4, from_end=True),
    "a piece of it": lambda files: files.piece("a.md", 2, 3),
    "what is behind its end": lambda files: files.piece("a.md", 8, 3),
    "a piece of a file that is not there": lambda files: files.piece("b.md", 2, 3),
    "all of it": lambda files: files.read("a.md"),
    "names and kinds": lambda files: files.names("memory"),
    "names": lambda files: files.listing("memory"),
    "whether it is there": lambda files: files.exists("memory/x.md"),
    "a file that is not there": lambda files: files.part("b.md", 4),
    "a folder that is not there": lambda files: files.listing("tasks"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/x.md").write_text("x")
    (tmp_path / "a.md").write_text("abcdefgh")
    return tmp_path


def asked(root: Path, *what: str) -> list[list[object]]:
    files = read_trace.Watched(str(root))
    for word in what:
        try:
            ASK[word](files)
        except AgentwsError:
            pass
    assert files.is_whole
    return files.steps


@pytest.mark.parametrize(
    ("what", "change", "holds"),
    [
        ("the beginning of a file", lambda root: (root / "a.md").write_text("abcdEFGH"), True),
        ("the beginning of a file", lambda root: (root / "a.md").write_text("Abcdefgh"), False),
        ("the beginning of a file", lambda root: (root / "a.md").write_text("abcdefghi"), False),
        ("its end", lambda root: (root / "a.md").write_text("Abcdefgh"), True),
        ("its end", lambda root: (root / "a.md").write_text("abcdefgH"), False),
        ("a piece of it", lambda root: (root / "a.md").write_text("ABcdeFGHI"), True),
        ("a piece of it", lambda root: (root / "a.md").write_text("abcdEfgh"), False),
        ("a piece of it", lambda root: (root / "a.md").write_text("abcd"), False),
        ("what is behind its end", lambda root: (root / "a.md").write_text("Abcdefgh"), True),
        ("what is behind its end", lambda root: (root / "a.md").write_text("abcdefghi"), False),
        ("a piece of a file that is not there", lambda root: (root / "b.md").write_text(""), False),
        ("all of it", lambda root: (root / "a.md").write_text("abcdefgH"), False),
        ("all of it", lambda root: (root / "a.md").unlink(), False),
        ("names and kinds", lambda root: ((root / "memory/x.md").unlink(), (root / "memory/x.md").mkdir()), False),
        ("names and kinds", lambda root: (root / "memory/y.md").write_text(""), False),
        ("names", lambda root: (root / "memory/y.md").write_text(""), False),
        ("names", lambda root: (root / "memory/x.md").rename(root / "memory/y.md"), False),
        ("names", lambda root: (root / "memory/x.md").write_text("other"), True),
        ("whether it is there", lambda root: (root / "memory/x.md").unlink(), False),
        ("whether it is there", lambda root: (root / "memory/x.md").write_text("other"), True),
        ("a file that is not there", lambda root: (root / "b.md").write_text(""), False),
        ("a file that is not there", lambda root: (root / "b.md").mkdir(), False),
        ("a folder that is not there", lambda root: (root / "tasks").mkdir(), True),
        ("a folder that is not there", lambda root: ((root / "tasks").mkdir(), (root / "tasks/a").mkdir()), False),
    ],
)
def test_it_holds_as_long_as_the_answers_are_the_same(
    root: Path, what: str, change: Callable[[Path], object], holds: bool
) -> None:
    steps = asked(root, what)
    assert read_trace.holds(str(root), steps)

    change(root)

    assert read_trace.holds(str(root), steps) is holds


def test_a_question_asked_twice_is_noted_once(root: Path) -> None:
    assert len(asked(root, "names", "names")) == 1


def test_a_file_that_changed_while_it_was_read_never_holds(root: Path) -> None:
    files = read_trace.Watched(str(root))
    files.part("a.md", 9)
    (root / "a.md").write_text("other")
    files.part("a.md", 9)

    assert not read_trace.holds(str(root), files.steps)


def test_what_is_read_without_a_trace_is_noticed(root: Path) -> None:
    for ask in (
        lambda files: os.close(files.open("a.md")),
        lambda files: files.size("a.md"),
        lambda files: files.sync_folder("memory"),
    ):
        files = read_trace.Watched(str(root))
        ask(files)
        assert not files.is_whole


def test_folders_are_not_left_open(root: Path) -> None:
    before = len(os.listdir("/dev/fd"))

    for _ in range(3):
        read_trace.holds(str(root), asked(root, *ASK))

    assert len(os.listdir("/dev/fd")) == before
