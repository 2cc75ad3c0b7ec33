"""The events of a workspace, for tests: each of its tasks as plain values."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from agentws.workspace import Environment, Workspace
from tests.conftest import NOW


def told(workspace: Workspace) -> list[dict[str, Any]]:
    """The `task.*` events of the workspace in order: the kind without `task.`, and the body."""
    files = sorted(Path(workspace.root, "journal").glob("*/*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [
        {"kind": event["kind"].removeprefix("task."), "session": event["session"], **(event["body"] or {})}
        for event in lines
        if event["kind"].startswith("task.")
    ]


def kinds(workspace: Workspace) -> list[str]:
    """`kind slug: before → after` of each."""
    return [f"{one['kind']} {one['task']}: {one['before']} → {one['after']}" for one in told(workspace)]


def text(workspace: Workspace, slug: str) -> str:
    """The file of a task."""
    return Path(workspace.root, "tasks", f"{slug}.md").read_text()


def put(workspace: Workspace, slug: str, content: str) -> None:
    """What a person's editor does."""
    path = Path(workspace.root, "tasks", f"{slug}.md")
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)


def later(workspace: Workspace, **ahead: int) -> Workspace:
    """The same workspace at a later moment."""
    now = NOW + timedelta(**ahead)
    return Workspace.open(workspace.root, environment=Environment(now=now, timezone="UTC"))
