"""agentws why."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import paths, typer_glue
from agentws.cli.render import why as render
from agentws.formats import layout

EXAMPLES = typer_glue.examples(
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
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    resolved = paths.resolved(place, workspace.root)
    if resolved in (layout.MEMORY, f"./{layout.MEMORY}"):
        listed = workspace.memories()
        asked.done("why-list", render.list_fields(listed), render.list_lines(listed), listed.notices)
    else:
        found = workspace.why(resolved)
        asked.done("why", render.fields(found), render.lines(found), found.notices)
