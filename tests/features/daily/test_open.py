"""Which file a name means."""

from __future__ import annotations

import pytest

from agentws.errors import AmbiguousError, MissingFileError
from agentws.workspace import Workspace


def test_a_file_is_found_by_what_people_call_it(workspace: Workspace) -> None:
    workspace.log("Counted nine herons")
    workspace.add_task("Mend the roof")
    workspace.new_context("garden", text="x")

    said = ("", "today", "2026-11-20", "SOUL.md", "soul", "mend", "gard", "tasks/mend-the-roof.md")

    assert [workspace.locate(name) for name in said] == [
        *("memory/2026-11-20.md", "memory/2026-11-20.md", "memory/2026-11-20.md", "SOUL.md", "SOUL.md"),
        *("tasks/mend-the-roof.md", "contexts/garden.md", "tasks/mend-the-roof.md"),
    ]


def test_nothing_is_guessed(workspace: Workspace) -> None:
    workspace.add_task("Mend the roof")
    workspace.add_task("Mend the gate")

    with pytest.raises(AmbiguousError):
        workspace.locate("mend")
    for name in ("nothing", "today", "tasks/none.md"):
        with pytest.raises(MissingFileError):
            workspace.locate(name)
