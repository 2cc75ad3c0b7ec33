"""Renders a curation brief, and the result of an answer or review: lines for people, JSON fields for scripts."""

from __future__ import annotations

from agentws.core.formats.journal import summary
from agentws.core.terminal import output
from agentws.core.text.sanitize import one_line
from agentws.errors import NeedsYouError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from agentws.core.terminal.invocation import Run
    from agentws.features.memory.curate.answer import Curated
    from agentws.features.memory.curate.brief import Briefed

_MOST_WAS_CHARS = 100


def brief_fields(briefed: Briefed) -> dict[str, object]:
    """Return the fields of `agentws/curate-brief@1`."""
    made = briefed.brief
    return {
        **output.fields(made, "brief=name text section_tokens=size"),
        "entries": [_row_fields(row) for row in made.rows],
        "candidates": [output.fields(candidate, "text kind sources=refs day? src") for candidate in made.candidates],
        "left_out": made.left_out,
        "notices": briefed.notices,
    }


def _row_fields(row: Any) -> dict[str, object]:
    return output.fields(row, "number text=entry.text heading=entry.kind day? a_person_s=is_theirs changed_file=tie?")


def brief_lines(briefed: Briefed) -> Iterator[str]:
    """Yield the lines of the curation brief."""
    yield from briefed.brief.text.rstrip("\n").split("\n")


def tell(invocation: Run, done: Curated) -> None:
    """Print what a curation did; NeedsYouError if an operation was refused."""
    invocation.done("curate", fields(done), lines(done), done.notices)
    if done.refused:
        count = len(done.refused)
        raise NeedsYouError(
            f"{count} operation{'s' * (count > 1)} refused, {len(done.applied)} applied.",
            hint="Correct the refused operations, and apply only these: agentws curate --apply FILE",
        )


def fields(done: Curated) -> dict[str, object]:
    """Return the fields of `agentws/curate@1`."""
    return {
        "applied": [
            {
                **_operation_fields(operation),
                "left": done.left.get(operation.line, []),
            }
            for operation in done.applied
        ],
        "refused": [{**_operation_fields(operation), "why": why} for operation, why in done.refused],
        "declined": done.declined,
        "section_tokens": {"before": done.tokens[0], "now": done.tokens[1]},
        "dry_run": done.dry_run,
        "notices": done.notices,
    }


def _operation_fields(item: Any) -> dict[str, object]:
    return output.fields(item, "line operation=verb? said=raw")


def lines(done: Curated) -> Iterator[str]:
    """Yield the operations that a curation applied, and those it refused, with why."""
    would = "would apply" if done.dry_run else "applied"
    for operation in done.applied:
        yield f"{would}: {operation.raw}"
        for text in done.left.get(operation.line, ()):
            yield f"  was: {summary.cut(one_line(text), _MOST_WAS_CHARS)}"
    for operation, why in done.refused:
        yield f"refused: {operation.raw}"
        yield f"  line {operation.line}: {why}"
    if done.applied:
        yield f"The section in MEMORY.md has {done.tokens[1]} tokens ({done.tokens[0]} before)."
    if done.declined:
        what = f"{done.declined} candidate{'s' * (done.declined > 1)}"
        yield f"{what} will not be proposed again." if not done.dry_run else f"{what} would not be proposed again."
    if done.changes.changes and not done.dry_run:
        yield "Undo: agentws undo"
