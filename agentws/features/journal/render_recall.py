"""Rendering of `agentws journal audit --recalled`: receipts of recall as lines and JSON fields."""

from __future__ import annotations

from agentws.core.formats.journal import summary
from agentws.core.terminal import output
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentws.core.terminal.moments import Teller
    from agentws.features.journal.receipts import RecalledEntry, Receipt, Receipts

_MOST_CHARS = 100
ROW = "cursor at session tokens purged entries[path line end_line score state text]"


def entry_lines(rows: Iterable[Receipt]) -> Iterator[str]:
    """Yield a line for each recalled memory of these receipts."""
    yield from (f"            {_line(entry)}" for row in rows for entry in row.entries)


def lines(teller: Teller, receipts: Receipts, *, is_on: bool) -> Iterator[str]:
    """Yield a line for each recall, and its memories below it; `is_on` is whether recall is switched on."""
    if not receipts.rows:
        why = (
            "Only certain matches are, from the next session on."
            if is_on
            else "To add them: agentws config recall.prompt true"
        )
        yield f"No memories were added to a prompt yet. {why}"
        return
    for row in receipts.rows:
        yield "  ".join(filter(None, (teller.moment(row.at), one_line(row.session or ""), _size(row))))
        yield from (f"  {_line(entry)}" for entry in row.entries)


def _size(row: Receipt) -> str:
    return "(purged)" if row.purged else f"{row.tokens or 0} tokens"


def _line(recalled_entry: RecalledEntry) -> str:
    message = (
        " ".join(output.without_secrets(recalled_entry.text).split())
        if recalled_entry.text
        else f"({recalled_entry.state})"
    )
    place = output.place(one_line(recalled_entry.path), recalled_entry.line)
    return f"{place}  {summary.cut(one_line(message), _MOST_CHARS)}"
