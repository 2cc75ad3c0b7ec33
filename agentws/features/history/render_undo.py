"""Output of undo and its list of changes: lines for people and JSON fields for scripts."""

from __future__ import annotations

from agentws.core.formats.journal import summary
from agentws.core.terminal import output
from agentws.core.text import names
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.history.undo.apply import ChangeList, Undone
    from agentws.features.history.undo.whose import Whose

_MOST_ENTRY, _MOST_IN_ROW = 100, 50


def undo_fields(done: Undone) -> dict[str, object]:
    """Return the fields of `agentws/undo@1`."""
    return {
        **output.fields(done, "verb number paths dry_run redo events"),
        **_whose_fields(done.whose),
        "notices": done.notices,
    }


def _whose_fields(whose: Whose) -> dict[str, object]:
    return output.fields(whose, "at? session? state? host? writer? others=is_others")


def changes_fields(found: ChangeList) -> dict[str, object]:
    """Return the fields of `agentws/undo-list@1`."""
    rows = [
        {
            **output.fields(row, "number verb paths undone=is_undone forgotten=is_forgotten"),
            **_whose_fields(row.whose),
        }
        for row in found.rows
    ]
    return {"changes": rows, "notices": found.notices}


def changes_lines(found: ChangeList) -> Iterator[str]:
    """Return the changes that undo lists, newest first, one a line."""
    if not found.rows:
        yield "agentws has not changed anything here."
    for row in found.rows:
        more = f", {len(row.paths) - 3} more" if len(row.paths) > 3 else ""
        paths = f" ({one_line(', '.join(row.paths[:3]))}{more})" * bool(row.paths)  # names of files may be forgotten
        parts = (
            f"{row.number:>4}  {one_line(row.verb)}{paths}",
            summary.cut(one_line(row.entry.removeprefix("- ")), _MOST_IN_ROW),
            one_line(row.whose.words),
            "undone" * row.is_undone,
            "not undone: came from other machines" * (row.verb == "sync"),
            "cannot be undone: its data was forgotten" * (row.is_forgotten and not row.is_undone),
        )
        yield " · ".join(part for part in parts if part)


def undo_lines(done: Undone) -> Iterator[str]:
    """Yield the lines about what was undone."""
    done_words = ("Would redo", "Redid") if done.redo else ("Would undo", "Undid")
    yield f"{done_words[not done.dry_run]}: {done.verb} ({names.some(done.paths)})"
    yield from (f"  {summary.cut(one_line(entry), _MOST_ENTRY)}" for entry in done.entries)
    if done.whose.session or done.whose.state:
        yield f"  by {one_line(done.whose.words)}"
    if done.verb == "init" and not done.dry_run:
        yield "The folders .git and .agentws remain: they contain the undone files."
        yield "The folders journal and identity remain too: agentws init then recognises the agent."
