"""agentws why."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agentws.cli import run
from agentws.cli import why_render as render
from agentws.formats import layout

EXAMPLES = run.examples(
    "agentws why MEMORY.md:12               the lines that a memory was made of",
    "agentws why memory/2026-11-02.md:31    what became of a line, or who wrote it",
    "agentws why                            all memories, with how many sources each has",
)


def why(
    context: typer.Context,
    place: Annotated[str, typer.Argument(metavar="[FILE:LINE]", help="A line; without one: all memories.")] = (
        layout.MEMORY
    ),
) -> None:
    """Show where a line comes from: of a memory, the lines of the logs that it was made of."""
    asked = run.of(context)
    workspace = asked.workspace()
    resolved = _resolved(place, workspace.root)
    if resolved in (layout.MEMORY, f"./{layout.MEMORY}"):
        listed = workspace.memories()
        asked.done("why-list", render.list_fields(listed), render.list_lines(listed), listed.notices)
    else:
        found = workspace.why(resolved)
        asked.done("why", render.fields(found), render.lines(found), found.notices)


def _resolved(place: str, root: str) -> str:
    """The place as the present folder means it, where such a file is there within the workspace; else as it is."""
    name, colon, line = place.rpartition(":")
    path = name if colon and line.isdigit() else place
    full = os.path.realpath(os.path.expanduser(path))
    inside = os.path.exists(full) and full.startswith(f"{os.path.realpath(root)}/")
    if not inside:
        return place
    within = os.path.relpath(full, os.path.realpath(root))
    return f"{within}:{line}" if path is name else within
