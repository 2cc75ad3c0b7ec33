"""People who ask and answer, for tests."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

ACTION = {"tool": "pay", "to": "Lena", "amount": 250}


def at(workspace: Workspace, *, typed: bool = True, by_agent: bool = False, **later: float) -> Workspace:
    """The same workspace at a later moment, for a person whose settings accept what is typed, or not."""
    config, settings = Path(workspace.root).parent / f"config-{typed}.toml", f"[ask]\ntyped = {str(typed).lower()}\n"
    if not config.exists():  # who does this at the same time must not find it empty
        config.write_text(settings)
    now = NOW + timedelta(**later)
    return Workspace.open(
        workspace.root,
        environment=Environment(now=now, timezone="UTC", config=str(config), by_agent=by_agent),
    )


def told(workspace: Workspace) -> list[tuple[str, dict[str, Any]]]:
    """The `approval.*` events of the workspace in order: the kind without `approval.`, and the body."""
    files = sorted(Path(workspace.root, "journal").glob("*/*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [
        (event["kind"].removeprefix("approval."), event["body"] or {})
        for event in lines
        if event["kind"].startswith("approval.")
    ]


def kinds(workspace: Workspace) -> list[str]:
    """The kinds of these events."""
    return [kind for kind, _ in told(workspace)]


def file_of(workspace: Workspace, id: str) -> Path:
    """The file of an approval."""
    return Path(workspace.root, "approvals", f"{id}.md")
