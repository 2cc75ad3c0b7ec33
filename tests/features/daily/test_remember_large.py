"""What `remember` has just written is shown by boot, or somebody is told that it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.disk import lenient
from agentws.workspace import Workspace
from tests import table

FACT = "Ada keeps herons"
LINE = "- Shelf 17 holds jar 12 of plums\n"
SECTIONS = (None, "Garden", "House", "Pond", "New")


def memory(garden: int, house: int) -> str:
    return f"# Memory\n\n## Garden\n\n{LINE * garden}\n## House\n\n{LINE * house}\n## Pond\n\n- The gate is green\n"


@pytest.mark.parametrize("limit", ["bytes", "lines"])
def test_boot_shows_it_or_it_is_told(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(lenient, *(("LARGEST_READ_BYTES", 4_000) if limit == "bytes" else ("_LARGEST_READ_LINES", 120)))
    silent, told = [], []

    def check(row: tuple[int, int, str | None]) -> None:
        garden, house, section = row
        Path(workspace.root, "MEMORY.md").write_text(memory(garden, house))
        done = workspace.remember(FACT, section=section)
        booted = workspace.boot(budget=50_000)
        (told if any(f"MEMORY.md:{done.line}:" in notice for notice in done.notices) else silent).append(row)
        assert (FACT in booted.text) != (row in told)
        little = workspace.boot(budget=1_500).text
        assert FACT in little or "cat MEMORY.md]\n" in little or "MEMORY.md: cat " in little

    table.holds(check, [(one, other, where) for one in (0, 60, 200) for other in (0, 60, 200) for where in SECTIONS])
    assert len(told) > 3
    assert len(silent) > 20
