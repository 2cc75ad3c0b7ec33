"""An index that is killed at any step, or for which there is no room: the answers are those of the files (P12)."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agentws.features.search.store import database
from agentws.workspace import Environment, Workspace
from tests.features.search.worlds import opened, put
from tests.thorough import some

KILLED = """
import os, signal, sys
from agentws.features.search.store import database
from tests.features.search.worlds import opened
root, cache, fatal = sys.argv[1], sys.argv[2], int(sys.argv[3])
steps, connect = 0, database.connect
def counted():
    global steps
    steps += 1
    if steps == fatal: os.kill(os.getpid(), signal.SIGKILL)
def watched(*words, **more):
    found = connect(*words, **more)
    found.set_progress_handler(counted, 400)
    found.set_trace_callback(lambda _: counted())
    return found
database.connect = watched
workspace = opened(root, cache=cache)
workspace.log("a heron of a process that is killed")
workspace.search("heron owl")
print(steps)
"""
"""Searches, and is killed at a step of SQLite, the first being 1; with 0 it is not, and says how many there are."""
FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from tests.features.search.worlds import opened
workspace = opened(sys.argv[1], cache=sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
for question in ("heron owl", "wren"):
    print([(hit.unit.path, hit.unit.line, hit.text) for hit in workspace.search(question, k=20).hits])
"""
"""Searches where no file of its own grows beyond so many bytes."""
SIZES = (0, 1, 100, 4_096, 8_192, 20_000, 40_960, 49_152, 65_536, 80_000, 98_304, 120_000, 163_840)


@pytest.mark.parametrize("is_new", [True, False], ids=["made", "changed"])
def test_killed_at_any_step_of_making_or_changing_it(workspace: Workspace, tmp_path: Path, is_new: bool) -> None:
    prepare(workspace, 0, is_new=is_new)
    most = int(ran(KILLED, workspace, "0").stdout)
    logged, ends = 1, []
    for fatal in some(range(1, most + 1, 1 + most // 150), 6):
        prepare(workspace, fatal, is_new=is_new)

        killed = ran(KILLED, workspace, str(fatal))

        logged += 1
        ends.append(killed.returncode)
        assert killed.returncode in (-signal.SIGKILL, 0), killed.stderr
        assert answers(workspace) == answers(opened(workspace.root, cache=None))
    day = Path(workspace.root, "memory/2026-11-20.md").read_text()
    assert day.count("that is killed") == logged
    assert ends.count(-signal.SIGKILL) > len(ends) / 2


@pytest.mark.parametrize("size", some(SIZES, 5))
def test_where_there_is_no_room_the_files_answer(workspace: Workspace, size: int) -> None:
    for is_new in (True, False):
        prepare(workspace, size, is_new=is_new)

        full = ran(FULL, workspace, str(size))

        assert full.returncode == 0, full.stderr
        assert full.stdout.splitlines() == [str(found) for found in answers(opened(workspace.root, cache=None))]
        assert answers(workspace) == answers(opened(workspace.root, cache=None))


def prepare(workspace: Workspace, number: int, *, is_new: bool) -> None:
    """No index, or one that does not know a file yet."""
    if is_new:
        database.forget(workspace.stores.cache.folder)
    else:
        answers(workspace)
    birds = "".join(f"- heron wren {number} {at}\n" for at in range(40))
    put(workspace, "memory/2026-11-08.md", f"# Birds\n\n{birds}")


def ran(program: str, workspace: Workspace, number: str) -> subprocess.CompletedProcess[str]:
    assert workspace.stores.cache.folder is not None
    cache = str(Path(workspace.root).parent / "cache")
    words = [sys.executable, "-c", program, workspace.root, cache, number]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def answers(workspace: Workspace) -> list[list[tuple[str, int, str]]]:
    return [
        [(hit.unit.path, hit.unit.line, hit.text) for hit in workspace.search(question, k=20).hits]
        for question in ("heron owl", "wren")
    ]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A workspace of a week."""
    Workspace.init(str(tmp_path / "w"), environment=Environment(cache=None), name="Robin", git=False)
    found = opened(str(tmp_path / "w"), cache=str(tmp_path / "cache"))
    for day in range(1, 8):
        birds = "".join(f"- heron {day} {'owl' if at % 2 else 'wren'} {at}\n" for at in range(60))
        put(found, f"memory/2026-11-{day:02d}.md", f"# Day {day}\n\n## Birds\n\n{birds}")
    return found
