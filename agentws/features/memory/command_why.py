"""The verb agentws why."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.terminal import output, paths
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, optional
from agentws.features.memory import render_why as render


def why(run: Run, *, place: str) -> None:
    """Show the source of a line: for a memory, the log lines behind it."""
    workspace = run.workspace()
    resolved = paths.resolved(place, workspace.root)
    if resolved in (layout.MEMORY, f"./{layout.MEMORY}"):
        listed = workspace.memories()
        run.done("why-list", render.list_fields(listed), render.list_lines(listed), listed.notices, look=output.ROWS)
    else:
        found = workspace.why(resolved)
        run.done("why", render.fields(found), render.lines(found, workspace.clock.now()), found.notices)


VERBS = (
    Verb(
        "why",
        why,
        (
            optional(
                "place",
                "[FILE:LINE]",
                "Line to explain. Default: all entries that compaction or curate made.",
                default="MEMORY.md",
            ),
        ),
        "agentws why MEMORY.md:12               the log lines behind a memory",
        "agentws why memory/2026-11-02.md:31    what became of a line, or who wrote it",
        "agentws why                            these entries, with how many sources each has",
    ),
)
