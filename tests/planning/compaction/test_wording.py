"""What compaction takes from English words: the kind of a heading, and whether a line is done."""

from __future__ import annotations

from agentws.formats import notes
from agentws.planning.compaction import wording
from tests.table import holds

KINDS: list[tuple[str, str | None]] = [
    ("Open Questions", "question"),
    ("Next session", "todo"),
    ("Lessons", "lesson"),
    ("Decisions", "decision"),
    ("Preferences", "preference"),
    ("Errors", "error"),
    ("Weather", None),
    ("TODO", "todo"),
    ("Done", "done"),
]
DONE: list[tuple[str, bool | None]] = [
    ("- DONE: a", True),
    ("- the file is deleted", True),
    ("- [x] a", True),
    ("- [ ] a, all of it done", False),
    ("- a", None),
    ("- [done] a (via net:mail)", None),
    ("## Done\n- a", True),
    ("## Done\n- [decision] a", None),
]


def test_a_heading_gives_its_kind_to_what_stands_below() -> None:
    def check(row: tuple[str, str | None]) -> None:
        (note,) = notes.read(f"## {row[0]}\n\n- a thing\n")
        assert wording.kind(note) == row[1]

    holds(check, KINDS)


def test_marks_win_over_words() -> None:
    def check(row: tuple[str, bool | None]) -> None:
        (note,) = notes.read(f"{row[0]}\n")
        assert wording.done(note) is row[1]

    holds(check, DONE)
