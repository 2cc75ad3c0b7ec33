"""What stands first in a list of what is open."""

from __future__ import annotations

from itertools import permutations

from agentws.planning.todo.row import OpenItem, by_due


def row(text: str, due: str) -> OpenItem:
    made = OpenItem("t3fk", text, "memory/2026-11-20.md", 3)
    made.due = due
    return made


def test_overdue_then_due_next_then_as_it_was() -> None:
    dated = [row("two days ago", "2026-11-18"), row("today", "2026-11-20"), row("next year", "2027-01-02")]
    others = [row("no date", ""), row("long ago", "2026-10-01"), row("none either", "")]

    for mixed in permutations([*dated, *others]):
        listed = by_due(mixed, "2026-11-20")
        assert listed[:3] == dated
        assert listed[3:] == [one for one in mixed if one in others]
