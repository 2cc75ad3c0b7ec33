"""Renders a curation brief, and the result of an answer or review: lines for people, JSON fields for scripts."""

from __future__ import annotations

from agentws.core.formats.journal import summary
from agentws.core.terminal import output
from agentws.core.text.sanitize import one_line
from agentws.errors import NeedsYouError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.terminal.invocation import Run
    from agentws.features.memory.curate.answer import Curated
    from agentws.features.memory.curate.brief import Briefed

_MOST_WAS_CHARS = 100
BRIEF = """
    brief=brief.name text=brief.text section_tokens=brief.size
    entries=brief.rows[number text=entry.text heading=entry.kind day? a_person_s=is_theirs changed_file=tie?]
    candidates=brief.candidates[text kind sources=refs day? src] left_out=brief.left_out notices
"""
_OPERATION = "line operation=verb? said=raw"


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
    applied = [
        output.fields(operation, f"{_OPERATION} left", left=done.left.get(operation.line, []))
        for operation in done.applied
    ]
    names = f"applied refused[*operation[{_OPERATION}] why] declined section_tokens=tokens[before now] dry_run notices"
    return output.fields(done, names, applied=applied)


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
