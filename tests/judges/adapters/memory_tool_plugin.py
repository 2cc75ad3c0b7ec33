"""A plugin of pytest: the tests of Anthropic's own memory tools run with ours, and count the calls of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import anthropic.lib.tools._beta_builtin_memory_tool as theirs
import anyio

from agentws.adapters.anthropic_memory import AsyncMemoryTool, MemoryTool
from agentws.workspace import Workspace

calls: list[str] = []


class Judged(MemoryTool):
    """Our tool on a new workspace, with the attributes by which the tests look at the files."""

    def __init__(self, base_path: str) -> None:
        workspace = Workspace.init(os.path.join(base_path, "robin"), name="Robin", git=False)
        super().__init__(workspace, folder="memory/judged/memories")
        self.base_path = Path(workspace.root) / "memory/judged"
        self.memory_root = self.base_path / "memories"
        self.memory_root.mkdir(parents=True)

    def _place(self, path: Any) -> str:
        calls.append(path)
        return super()._place(path)


class AsyncJudged(AsyncMemoryTool):
    """As Judged, for the asynchronous tests."""

    def __init__(self, base_path: str) -> None:
        self._tool = Judged(base_path)
        self.base_path, self.memory_root = self._tool.base_path, anyio.Path(self._tool.memory_root)

    async def _ensure_memory_root(self) -> None:
        """The tests want the folder made."""


theirs.BetaLocalFilesystemMemoryTool = Judged
theirs.BetaAsyncLocalFilesystemMemoryTool = AsyncJudged


def pytest_sessionfinish() -> None:
    """Print how many paths our tools were given."""
    print(f"\npaths given to our tools: {len(calls)}")
