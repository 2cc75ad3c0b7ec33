"""Rendering of `agentws journal audit --recalled`: receipts of recall as lines and JSON fields."""

from __future__ import annotations

from agentws.core.formats.journal import summary
from agentws.core.terminal import output
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.terminal.moments import Teller
    from agentws.features.journal.receipts import RecalledEntry, Receipt, Receipts

_MOST_CHARS = 100


def fields(found: Receipts) -> dict[str, object]:
    """Return the fields of `agentws/journal-recalled@1`."""
    return {
        "recalled": [
            {
                **output.fields(row, "cursor at session tokens purged"),
                "entries": [_entry_fields(one) for one in row.entries],
            }
            for row in found.rows
        ],
        "more": found.more,
        "notices": found.notices,
    }


def _entry_fields(one: RecalledEntry) -> dict[str, object]:
    return output.fields(one, "path line end_line score state text")


def lines(teller: Teller, found: Receipts, *, is_on: bool) -> Iterator[str]:
    """Yield a line for each recall, and its memories below it; `is_on` is whether recall is switched on."""
    if not found.rows:
        why = (
            "Only certain matches are, from the next session on."
            if is_on
            else "To add them: agentws config recall.prompt true"
        )
        yield f"No memories were added to a prompt yet. {why}"
        return
    for row in found.rows:
        yield "  ".join(filter(None, (teller.moment(row.at), one_line(row.session or ""), _size(row))))
        yield from (f"  {_line(one)}" for one in row.entries)


def _size(row: Receipt) -> str:
    return "(purged)" if row.purged else f"{row.tokens or 0} tokens"


def _line(one: RecalledEntry) -> str:
    said = " ".join(output.without_secrets(one.text).split()) if one.text else f"({one.state})"
    return f"{one_line(one.path)}:{one.line}  {summary.cut(one_line(said), _MOST_CHARS)}"
