"""Fifty thousand task files: a verb costs little more than reading each once, and a new task reads none of them."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import weakref
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentws.cli import main
from agentws.core.disk.files import Files
from agentws.features.tasks import store
from agentws.workspace import Workspace

COUNT = 50_000
MOST_READINGS = 5
"""So many times what it takes to read each of the files, in the plainest way there is, a verb may take."""
RUNAWAY_S = 30
# One in ten is not over; what is over was so in several ways.
STATES = (*["done"] * 6, "cancelled", "canceled", '"done"', "open", *["done"] * 9, "waiting")
LIVE = ("open", "active", "waiting", "someday", "blocked")
PROGRAM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({limit}, {limit}))
from agentws.cli.main import main
sys.argv = ["agentws", *sys.argv[1:]]
sys.exit(main())
"""
PLAINLY = """
import os, resource, sys
folder = os.open(sys.argv[1], os.O_RDONLY)
for name in sorted(os.listdir(folder)):
    os.stat(name, dir_fd=folder, follow_symlinks=False)
    file = os.open(name, os.O_RDONLY, dir_fd=folder)
    os.read(file, os.fstat(file).st_size + 1).find(b"status")
    os.close(file)
"""


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A workspace of that many tasks."""
    root = Workspace.init(str(tmp_path_factory.mktemp("crowded") / "robin"), name="Robin", git=False).root
    fill(root, COUNT)
    return root


def fill(root: str, count: int, *, states: Sequence[str] = STATES) -> None:
    os.makedirs(f"{root}/tasks", exist_ok=True)
    for number in range(count):
        head = f"---\nstatus: {states[number % len(states)]}\nupdated: 2026-11-0{number % 9 + 1}T08:15:00+01:00\n---\n"
        fd = os.open(f"{root}/tasks/shelf-{number}.md", os.O_WRONLY | os.O_CREAT)
        os.write(fd, f"{head}# Tidy shelf {number}\n\n- [x] empty it\n- [ ] fill it\n".encode())
        os.close(fd)


@pytest.mark.parametrize(
    "words", [("status",), ("task", "list"), ("compact", "--dry-run"), ("task", "add", "Paint the fence"), ("boot",)]
)
def test_a_verb_takes_few_times_the_processor_that_reading_the_files_takes(
    words: tuple[str, ...], crowded: str
) -> None:
    limit_s = MOST_READINGS * min(processor_s("-c", PLAINLY, f"{crowded}/tasks")[0] for _ in range(2))
    took_s, code = processor_s("-c", PROGRAM.format(limit=RUNAWAY_S), "-C", crowded, *words)
    assert (code in (0, 3), took_s < limit_s) == (True, True), (code, took_s, limit_s)


def processor_s(*words: str) -> tuple[float, int]:
    """How much of the processor a Python with these words takes, in seconds, and with which code it ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *words], capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.returncode


CALLS_PER_TASK = {("task", "list"): 160, ("compact", "--dry-run"): 115, ("status",): 100}
OPENS_NONE = ("compact", "--dry-run")


@pytest.mark.parametrize("words", CALLS_PER_TASK)
def test_a_task_that_is_open_is_opened_once_and_takes_few_calls(
    words: tuple[str, ...], workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted, since the time that fifty thousand of them take depends on the machine."""
    main.run(["-C", workspace.root, *words])  # what is imported is not counted
    counted = []
    for count in (500, 1_500):
        fill(workspace.root, count, states=LIVE)
        counted.append(work(monkeypatch, "-C", workspace.root, *words))
    (opened, calls), (more_opened, more_calls) = counted
    assert more_opened - opened == (0 if words == OPENS_NONE else 1_000)
    assert more_calls - calls < CALLS_PER_TASK[words] * 1_000


def work(monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, int]:
    """How many tasks were opened, and how many functions were called, for these words."""
    opened = calls = 0
    real_opened = Files._opened

    def noted(files: Files, path: str, flags: int, mode: int) -> object:
        nonlocal opened
        opened += path.startswith("tasks/")
        return real_opened(files, path, flags, mode)

    def called(_frame: object, event: str, _about: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    with monkeypatch.context() as patched:
        patched.setattr(Files, "_opened", noted)
        sys.setprofile(called)
        try:
            main.run(list(words))
        finally:
            sys.setprofile(None)
    return opened, calls


def test_a_new_task_reads_no_other_and_takes_no_name_that_is_taken(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(workspace.root, 40)
    opened: list[str] = []

    def noted(files: Files, path: str, flags: int, mode: int) -> object:
        opened.append(path)
        return real_opened(files, path, flags, mode)

    real_opened = Files._opened
    monkeypatch.setattr(Files, "_opened", noted)
    added = workspace.tasks.add("Shelf 7")
    assert added.slug == "shelf-7-2"
    assert [path for path in opened if path.startswith("tasks/") and path != added.path] == []


def test_a_file_that_was_edited_is_still_told_by_the_next_verb(workspace: Workspace) -> None:
    workspace.tasks.add("Paint the fence")
    workspace.tasks.add("Mow the lawn")
    path = Path(workspace.root, "tasks/paint-the-fence.md")
    path.write_text(path.read_text().replace("status: open", "status: done"))
    assert workspace.tasks.add("Sweep the yard").noticed == []
    assert workspace.tasks.start("mow-the-lawn").noticed == ["paint-the-fence"]
    assert workspace.tasks.list().over == 1


def test_a_task_that_was_removed_is_told_before_another_takes_its_name(workspace: Workspace) -> None:
    added = workspace.tasks.add("Paint the fence")
    Path(workspace.root, added.path).unlink()
    again = workspace.tasks.add("Paint the fence")
    assert (again.slug, again.noticed) == ("paint-the-fence", ["paint-the-fence"])


MOST_HELD = 4


def test_growth_a_verb_holds_few_of_the_task_files_in_memory(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(workspace.root, 50, states=LIVE)
    workspace.tasks.add("Paint the fence")
    held: weakref.WeakSet[Held] = weakref.WeakSet()
    counts: list[int] = []

    class Held(store.TaskFile):
        __slots__ = ("__weakref__",)

        def __init__(self, slug: str, data: bytes) -> None:
            super().__init__(slug, data)
            held.add(self)
            counts.append(len(held))

    monkeypatch.setattr(store, "TaskFile", Held)
    assert len(workspace.tasks.due().noticed) == 50
    workspace.tasks.start("paint-the-fence")
    workspace.tasks.show("paint-the-fence")
    assert (len(counts) > 100, max(counts) <= MOST_HELD) == (True, True), max(counts)
