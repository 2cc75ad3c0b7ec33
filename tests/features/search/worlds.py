"""Workspaces for the tests of search."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from agentws.core.formats import layout
from agentws.workspace import Environment, Workspace

DAY = "2026-11-20"
NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)


def opened(root: str, *, cache: str | None) -> Workspace:
    """The workspace, with a folder for what can be made again."""
    state = (str(Path(root).parent / "state"), None)
    return Workspace.open(root, environment=Environment(now=NOW, cache=cache, state=state))


def without_templates(root: str) -> None:
    """Remove the files that `init` wrote, for tests that count what a workspace holds."""
    for name in layout.AGENT_FILES:
        Path(root, name).unlink(missing_ok=True)


def put(workspace: Workspace, path: str, text: str) -> Path:
    """Write a file of the workspace."""
    file = Path(workspace.root, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file
