"""What a killed change has left beside MEMORY.md is swept by the next line or event, unless somebody is at it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentws.core.disk import lock
from agentws.workspace import Workspace
from tests.thorough import THOROUGH

if TYPE_CHECKING:
    from collections.abc import Callable

KILLED = 9
MOST_STEPS = 400
NEXT: dict[str, Callable[[Workspace], object]] = {
    "log": lambda robin: robin.log("and on"),
    "event": lambda robin: robin.event("note", "and on"),
}
STEPS = ("link", "rename", "unlink", "fsync")


@pytest.fixture
def robin(workspace: Workspace) -> Workspace:
    """A workspace that has written before."""
    workspace.log("the first line")
    workspace.event("note", "the first event")
    workspace.remember("Sam likes tea")
    return workspace


def again(workspace: Workspace) -> Workspace:
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


def killed_at(robin: Workspace, step: int) -> bool:
    """Carry out `remember` in a child that is killed before this step; False where it ended before that."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED
    done = 0

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **more: object) -> object:
            nonlocal done
            done += 1
            if done == step:
                os._exit(KILLED)
            return real(*args, **more)

        return call

    try:
        for name in STEPS:
            setattr(os, name, counted(getattr(os, name)))
        again(robin).remember(f"Kim likes coffee number {step}")
    finally:
        os._exit(0)


def left(robin: Workspace) -> list[str]:
    """The temporary files of ours beside documents, and changes that wait to be finished or put back."""
    root = Path(robin.root)
    beside = [path.name for path in root.iterdir() if ".agentws-" in path.name]
    return beside + [path.name for path in (root / ".agentws/undo").glob("*.pending")]


@pytest.mark.parametrize("verb", NEXT)
def test_the_next_line_or_event_sweeps_what_any_kill_has_left(verb: str, robin: Workspace) -> None:
    seen: set[str] = set()
    memory = Path(robin.root, "MEMORY.md")
    for step in range(1, MOST_STEPS, 1 if THOROUGH else 2):
        before = memory.read_text()
        if not killed_at(robin, step):
            break
        seen.update(name.lstrip(".0123456789") for name in left(robin))
        NEXT[verb](again(robin))
        assert left(robin) == [], step
        added = memory.read_text().replace(f"- Kim likes coffee number {step}\n", "")
        assert added == before, step
    else:
        raise AssertionError("it never came to its end")
    assert {"MEMORY.md.agentws-new", "MEMORY.md.agentws-old", "pending"} <= seen


@pytest.mark.parametrize("verb", NEXT)
def test_what_somebody_wrote_into_the_old_file_is_kept(verb: str, robin: Workspace) -> None:
    for step in range(1, MOST_STEPS):
        assert killed_at(robin, step)
        old = Path(robin.root, ".MEMORY.md.agentws-old")
        if old.exists() and old.stat().st_nlink == 1:
            break
        NEXT[verb](again(robin))
    old.write_text(old.read_text() + "- Written by hand\n")
    NEXT[verb](again(robin))
    kept = [
        path for path in Path(robin.root).iterdir() if "Written by hand" in (path.read_text() if path.is_file() else "")
    ]
    assert [path.name for path in kept] == ["MEMORY.md.edited-meanwhile-1"]


@pytest.mark.parametrize("verb", NEXT)
def test_nothing_is_swept_while_somebody_holds_the_lock(verb: str, robin: Workspace) -> None:
    step = next(step for step in range(1, MOST_STEPS) if killed_at(robin, step) and "pending" in "".join(left(robin)))
    there = left(robin)
    assert step
    with lock.Lock(robin.stores.files, lock.TRANSACTION, timeout_s=0.0, note="another"):
        NEXT[verb](again(robin))
        assert left(robin) == there
    NEXT[verb](again(robin))
    assert left(robin) == []


def test_where_nothing_is_left_it_costs_one_look(robin: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    robin.remember("Kim likes coffee")
    calls: list[str] = []
    for name in ("open", "stat", "fsync", "fdatasync", "unlink", "rename", "link", "listdir", "scandir"):
        real = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda *args, _name=name, _real=real, **more: (calls.append(_name), _real(*args, **more))[1]
        )
    robin.stores.sweep()
    assert calls == ["stat"]
