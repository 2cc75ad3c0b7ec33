"""The rows that a cache keeps of notes: open items are the same with them as with all entries."""

from __future__ import annotations

import json

from hypothesis import given, strategies as st

from agentws.core.notes import item_rows, open_items, reading
from agentws.core.notes.open_items import File, OpenItems

LINES = (
    *(
        "# 2026-11-20",
        "## Next",
        "## Offen",
        "### Roof",
        "**Next:**",
        "",
        "```",
        "<!--",
        "-->",
        "| a | b |",
        "|---|---|",
    ),
    *("- [ ] Call Tom", "- [x] Call Tom", "- Call Tom", "- [~] Call Tom ^t3fk", "  - [ ] Buy slates", "- Buy slates"),
    *("- 09:00 [todo] Water the ferns !7 #garden", "- [done] Water the ferns (closes ^t3fk)", "- Water the ferns"),
    *("TODO: oil the gate (due 2026-11-21)", "- [dropped] oil the gate", "- Waiting for: the bank", "- ~~Call Tom~~"),
    *(
        "- [todo] Pay the ferryman (via tool:web)",
        "- [fact] The heron is back",
        "> - [ ] Call Tom",
        "It rained.",
        "☐ Call Tom",
    ),
)
NAMES = (
    "memory/2026-11-19.md",
    "memory/2026-11-20.md",
    "memory/2026-11-20-standup.md",
    "memory/2026-11-21.md",
    "MEMORY.md",
)
NOTES = st.lists(st.sampled_from(LINES), max_size=14).map("\n".join)


def day(path: str) -> str:
    return path[7:17] if path.startswith("memory/") else ""


def shown(items: OpenItems) -> object:
    """All that the fields of open and closed items say."""
    opened = [
        (item.ref, item.state, item.since, item.last, item.due, item.is_overdue, [entry.path for entry in item.said])
        for item in items.open
    ]
    closed = {(entry.path, entry.line): (by.path, by.line, by.state) for entry, by in items.closed.items()}
    fields = [
        (entry.line, entry.end_line, entry.text, entry.body, entry.tags, entry.time, entry.importance, entry.is_heard)
        for item in items.open
        for entry in item.said
    ]
    return opened, closed, fields


@given(st.dictionaries(st.sampled_from(NAMES), NOTES, min_size=1))
def test_open_items_of_rows_are_those_of_the_notes(texts: dict[str, str]) -> None:
    files = {path: reading.read(text, path=path, day=day(path)) for path, text in texts.items()}
    rows = {path: json.dumps(item_rows.row(item_rows.counting(entries))) for path, entries in files.items()}
    again: list[File] = [item_rows.file(json.loads(row), path, day(path)) for path, row in rows.items()]

    assert shown(open_items.among(again, today="2026-11-21")) == shown(
        open_items.of(files.values(), today="2026-11-21")
    )
    asking = {
        (entry.path, entry.line)
        for entries in files.values()
        for entry in entries
        if item_rows.asks_from_outside(entry)
    }
    assert asking == {
        (entry.path, entry.line) for file in again for entry in file.entries if item_rows.asks_from_outside(entry)
    }


def test_a_row_has_only_what_counts() -> None:
    entries = reading.read("- The heron is back\n- [ ] Call Tom\n", path="memory/2026-11-20.md", day="2026-11-20")

    assert [entry.body for entry in item_rows.counting(entries).entries] == ["Call Tom"]
