"""What a verb that records a state costs, counted: fsyncs of ours, and processes of git (docs/adr/0024)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.disk import spawn
from agentws.workspace import Environment, Workspace
from tests import table
from tests.crash.scenarios import NOW

Verb = Callable[[Workspace, str], object]
COSTS: dict[str, tuple[Verb, int, int]] = {
    "remember": (lambda workspace, what: workspace.remember(f"Sam drinks {what}"), 9, 4),
    "task add": (lambda workspace, what: workspace.tasks.add(f"Mend the {what}"), 9, 4),
    "context new": (lambda workspace, what: workspace.contexts.new(what), 8, 4),
    "handoff": (lambda workspace, what: workspace.handoff(doing=f"painting the {what}"), 12, 4),
    "log": (lambda workspace, what: workspace.log(what), 4, 0),
}
"""Each verb, the fsyncs that it takes besides git's, and the processes of git. A log line stands here behind another
change, so that the name of its file is made durable too.
"""


def test_each_verb_syncs_each_thing_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    sync, run = os.fsync, spawn.run
    monkeypatch.setattr(os, "fsync", lambda fd: counted.append("fsync") or sync(fd))
    monkeypatch.setattr(os, "fdatasync", lambda fd: counted.append("fsync") or sync(fd))
    monkeypatch.setattr(spawn, "run", lambda argv, **more: counted.append(argv[0]) or run(argv, **more))
    here = Environment(now=NOW, timezone="UTC", cache=str(tmp_path / "cache"))
    workspace = Workspace.init(str(tmp_path / "robin"), environment=here)
    for verb, *_ in COSTS.values():  # the first of each makes folders
        verb(workspace, "gate")

    def check(name: str) -> None:
        verb, syncs, processes = COSTS[name]
        counted.clear()
        verb(Workspace.open(workspace.root, environment=here), "fence")

        assert (counted.count("fsync"), counted.count("git")) == (syncs, processes)

    table.holds(check, list(COSTS))
