"""Which file a name means."""

from __future__ import annotations

import pytest

from agentws.errors import AmbiguousError, MissingFileError
from agentws.workspace import Workspace


def test_a_file_is_found_by_what_people_call_it(workspace: Workspace) -> None:
    workspace.log("Counted nine herons")
    workspace.tasks.add("Mend the roof")
    workspace.contexts.new("garden", text="x")

    said = ("", "today", "2026-11-20", "SOUL.md", "soul", "mend", "gard", "tasks/mend-the-roof.md")

    assert [workspace.plumbing.locate(name) for name in said] == [
        *("memory/2026-11-20.md", "memory/2026-11-20.md", "memory/2026-11-20.md", "SOUL.md", "SOUL.md"),
        *("tasks/mend-the-roof.md", "contexts/garden.md", "tasks/mend-the-roof.md"),
    ]


def test_nothing_is_guessed(workspace: Workspace) -> None:
    workspace.tasks.add("Mend the roof")
    workspace.tasks.add("Mend the gate")

    with pytest.raises(AmbiguousError):
        workspace.plumbing.locate("mend")
    for name in ("nothing", "today", "tasks/none.md"):
        with pytest.raises(MissingFileError):
            workspace.plumbing.locate(name)
