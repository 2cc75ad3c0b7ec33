"""Why then: what was known, asked, allowed and done at the moment of a line, an event or an approval; for printing."""

from __future__ import annotations

from datetime import datetime

from agentws.core.disk import clock
from agentws.core.formats.journal import summary
from agentws.errors import UsageError
from agentws.features.journal.render import masked
from agentws.features.ui.page import Page, never
from agentws.features.ui.pages.boot import as_it_was

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.features.journal.audit import AuditRow
    from agentws.workspace import Workspace

_REQUEST = 600


def view(workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return the moment of the reference `ref` of the query."""
    ref = query.get("ref", "").strip()
    if not ref:
        raise UsageError("The address names no reference.", hint="Follow a link “why then” of Memory or Time.")
    answer = workspace.history.then(ref)
    now = workspace.stores.clock.now()
    boot = as_it_was(workspace, datetime.fromisoformat(answer.booted)).boot() if answer.booted else None
    return {
        "then": answer,
        "at": clock.local(answer.at, now),
        "day": clock.day_in(now.tzinfo, answer.at) if answer.at else "",
        "booted": clock.local(answer.booted, now),
        "boot": boot,
        "sections": [(section.source, section.tokens) for section in boot.context.sections] if boot else [],
        "requests": [
            (clock.local(each.at, now), summary.of(masked(each.body), longest=_REQUEST)) for each in answer.requests
        ],
        "recalled": [entry for receipt in answer.recalled for entry in receipt.entries],
        "approvals": [(each, clock.local(each.decided or each.asked, now)) for each in answer.approvals],
        "actions": [("Done before", _rows(answer.before, now)), ("Done after", _rows(answer.after, now))],
        "notices": [*answer.notices, *(boot.notices if boot else [])],
    }


def _rows(rows: Sequence[AuditRow], now: datetime) -> list[Mapping[str, object]]:
    return [{"row": row, "at": clock.local(row.at, now)} for row in rows]


PAGE = Page("then", "Why then", view, in_menu=False, exported=never)
