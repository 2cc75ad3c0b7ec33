"""What has another name is never changed in place: a backup of hard links keeps what it held."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentws.errors import UnsafeFileError
from agentws.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

APPENDS: dict[str, Callable[[Workspace], object]] = {
    "log": lambda robin: robin.log("Watered the ferns"),
    "event": lambda robin: robin.event("note", "The kettle is on"),
    "seal": lambda robin: robin.journal.seal(),
}
REPLACES: dict[str, Callable[[Workspace], object]] = {
    "remember": lambda robin: robin.remember("Kim likes coffee"),
    "add_task": lambda robin: robin.tasks.add("Paint the fence"),
    "handoff": lambda robin: robin.handoff(doing="painting"),
    "undo": lambda robin: robin.undo(),
}
STATE = ".agentws/state/"
"""How far this installation has written. By it a backup that is put back is known to be older, so it may be shared."""


@pytest.fixture
def robin(workspace: Workspace) -> Workspace:
    """A workspace in which each kind of file stands already."""
    workspace.log("The first line")
    workspace.event("note", "the first event")
    workspace.remember("Sam likes tea")
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below `folder` but locks, which say who holds them, and the state."""
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if path.suffix != ".lock" and STATE not in name}


def backup(robin: Workspace, to: Path) -> Path:
    """As `cp -al` makes one: every file has a second name."""
    subprocess.run(["cp", "-al", robin.root, str(to)], check=True)
    return to


@pytest.mark.parametrize("verb", APPENDS)
def test_an_append_to_a_file_with_another_name_is_refused(verb: str, robin: Workspace, tmp_path: Path) -> None:
    kept = backup(robin, tmp_path / "backup")
    before = contents(kept)
    documents = {path: data for path, data in before.items() if not path.startswith(".agentws/")}
    with pytest.raises(UnsafeFileError, match=r"^(memory|journal)/.*hard link") as refused:
        APPENDS[verb](robin)
    assert contents(kept) == before
    now = contents(Path(robin.root))
    assert {path: data for path, data in now.items() if not path.startswith(".agentws/")} == documents
    assert refused.value.hint is not None
    subprocess.run(refused.value.hint.partition(": ")[2], shell=True, cwd=robin.root, check=True)
    APPENDS[verb](robin)
    assert contents(kept) == before
    assert robin.journal.verify().sound


@pytest.mark.parametrize("verb", REPLACES)
def test_whole_files_are_replaced_and_their_other_names_keep_what_they_held(
    verb: str, robin: Workspace, tmp_path: Path
) -> None:
    # The journal is copied: each of these verbs tells of itself there.
    kept = backup(robin, tmp_path / "backup")
    for path in Path(robin.root, "journal").rglob("*.jsonl"):
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data)
    before = contents(kept)
    REPLACES[verb](robin)
    assert contents(kept) == before
    assert contents(Path(robin.root)) != before


@pytest.mark.parametrize("ending", ["agentws-new", "agentws-old"])
@pytest.mark.parametrize("verb", APPENDS)
def test_what_a_killed_replace_has_left_is_no_other_name(verb: str, ending: str, robin: Workspace) -> None:
    for path in list(Path(robin.root).rglob("*")):
        if path.is_file() and ".agentws" not in str(path.relative_to(robin.root)):
            os.link(path, path.with_name(f".{path.name}.{ending}"))
    APPENDS[verb](robin)
    assert robin.journal.verify().sound
