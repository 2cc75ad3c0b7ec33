"""Who did what, with what result: actions paired with the results and errors that end them. Pure."""

from __future__ import annotations

from datetime import datetime

from agentws.formats import event, gist
from agentws.planning import undone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.formats.event import Event

OK, ERROR, NONE, NOTHING, UNDONE = "ok", "error", "no result", "", "taken back"
"""How an action ended; NOTHING for what is no action and has no end, UNDONE for what was taken back."""

NOT_DONE = (event.THOUGHT, event.NOTE, event.PLAN, event.OPENED, event.SEAL)
"""Kinds that say what was thought, or hold the journal together: nobody did anything."""
ENDS = event.ENDS


class Row:
    """One thing that was done: when, by whom, what, and how it ended.

    `outcome` is one of OK, ERROR, NONE, NOTHING; `told` is what the result or the error says, and `told_src` whose
    words that is; `took_s` is None where it is not known.
    """

    __slots__ = (
        *("at", "call", "cursor", "kind", "outcome", "session", "src", "task", "told", "told_src", "took_s", "what"),
    )

    def __init__(self, found: Event) -> None:
        self.at = found.at
        self.cursor = found.cursor
        self.session = found.session
        self.src = found.src
        self.kind = found.kind
        self.call = found.call
        self.task: object = (found.body or {}).get("task")
        self.what = gist.of(found.body)
        self.outcome = NONE if found.kind == event.ACTION else NOTHING
        self.told = ""
        self.told_src: str | None = None
        self.took_s: float | None = None

    def end(self, found: Event) -> None:
        """Note how it ended."""
        self.outcome = ERROR if found.kind == event.ERROR else OK
        self.told = gist.cut(gist.text(found.body)) if found.body is not None else "(purged)"
        self.told_src = found.src
        self.took_s = _between(self.at, found.at)


def rows(events: Iterable[Event]) -> list[Row]:
    """The rows of the audit, in the order in which things began.

    A result or an error whose action is not among the events has a row of its own.
    """
    found: list[Row] = []
    begun: dict[tuple[str, str], Row] = {}
    elsewhere: dict[str, Row] = {}
    for one in events:
        if one.kind in NOT_DONE:
            continue
        if one.kind == event.UNDONE:
            gone = undone.taken_back([one])
            for each in found:
                each.outcome = UNDONE if each.cursor in gone else each.outcome
        call = (one.writer, one.call or "")
        # What began on another machine may have ended here.
        row = (begun.get(call) or elsewhere.get(call[1])) if one.kind in ENDS else None
        if row is not None:
            row.end(one)
            continue
        row = Row(one)
        found.append(row)
        if one.kind == event.ACTION:
            begun[call] = elsewhere[call[1]] = row
        elif one.kind in ENDS:
            row.end(one)
            row.took_s, row.what = None, str((one.body or {}).get("tool") or "")
    return found


def _between(start: str, end: str) -> float | None:
    try:
        seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError):
        return None
    return seconds if seconds >= 0 else None  # the clock was set back in between
