"""The managed section of MEMORY.md: what is ours changes, what is anybody else's stays byte for byte."""

from __future__ import annotations

import pytest

from agentws.core.formats.documents import managed

OWN = "# Memory\n\nMine.\n\n## People\n\n- Sam: short answers !9\n"
WITH = (
    f"{OWN}\n## From the logs\n\n### Decisions\n- 2026-03-02 Chose SQLite\n- 2026-03-04 Moved to Lisbon\n\n"
    "### Lessons\n- 2026-03-05 The pump needs a fuse\n\n## Machines\n\n- harbor\n"
)


def test_a_document_without_the_section_has_no_entries() -> None:
    assert managed.read(OWN).entries == []
    assert managed.read(OWN).start == -1


def test_entries_are_read_with_their_sub_heading_and_line() -> None:
    found = managed.read(WITH).entries

    assert [(one.kind, one.text, one.line) for one in found] == [
        ("Decisions", "2026-03-02 Chose SQLite", 12),
        ("Decisions", "2026-03-04 Moved to Lisbon", 13),
        ("Lessons", "2026-03-05 The pump needs a fuse", 16),
    ]
    assert WITH.split("\n")[found[2].line - 1] == "- 2026-03-05 The pump needs a fuse"


def test_the_first_entry_makes_the_section_at_the_end() -> None:
    made = managed.rewritten(OWN, joining=[("Decisions", "2026-03-02 Chose SQLite")])

    assert made == f"{OWN}\n## From the logs\n\n### Decisions\n- 2026-03-02 Chose SQLite\n"


def test_what_is_outside_stays_byte_for_byte() -> None:
    made = managed.rewritten(
        WITH, leaving={managed.of_text("2026-03-02 Chose SQLite")}, joining=[("Lessons", "2026-03-09 Tar the roof")]
    )

    assert made == WITH.replace("- 2026-03-02 Chose SQLite\n", "").replace(
        "needs a fuse\n", "needs a fuse\n- 2026-03-09 Tar the roof\n"
    )


def test_what_somebody_wrote_or_edited_in_the_section_stays() -> None:
    theirs = WITH.replace("Chose SQLite", "Chose SQLite, for good").replace(
        "### Lessons\n", "### Lessons\nRead these.\n"
    )

    made = managed.rewritten(
        theirs,
        leaving={managed.of_text(text) for text in ("2026-03-02 Chose SQLite", "2026-03-05 The pump needs a fuse")},
    )

    assert "- 2026-03-02 Chose SQLite, for good\n" in made
    assert "### Lessons\nRead these.\n" in made
    assert "fuse" not in made


def test_a_sub_heading_that_lost_its_last_entry_goes_and_so_does_the_section() -> None:
    texts = ["2026-03-02 Chose SQLite", "2026-03-04 Moved to Lisbon", "2026-03-05 The pump needs a fuse"]

    without_lessons = managed.rewritten(WITH, leaving={managed.of_text(texts[2])})
    without_all = managed.rewritten(WITH, leaving=set(map(managed.of_text, texts)))

    assert "Lessons" not in without_lessons
    assert without_all == f"{OWN}\n## Machines\n\n- harbor\n"


def test_new_sub_headings_come_in_their_order() -> None:
    order = ("Decisions", "Lessons", "Facts")

    made = managed.rewritten(WITH.replace("### Lessons\n- 2026-03-05 The pump needs a fuse\n\n", ""),
                             joining=[("Facts", "one"), ("Lessons", "two")], order=order)  # fmt: skip

    assert [made.index(f"### {title}") for title in order] == sorted(made.index(f"### {title}") for title in order)


def test_an_entry_of_several_lines_is_one_and_goes_as_one() -> None:
    text = WITH.replace("- 2026-03-04 Moved to Lisbon\n", "- 2026-03-04 Moved\n  to Lisbon\n")

    made = managed.rewritten(text, leaving={managed.of_text("2026-03-04 Moved to Lisbon")})

    assert made == WITH.replace("- 2026-03-04 Moved to Lisbon\n", "")


def test_the_same_words_are_the_same_entry_however_they_are_wrapped() -> None:
    assert managed.of_text("one  two\n  three") == managed.of_text("one two three")
    assert managed.of_text("one two") != managed.of_text("one three")


def test_line_ends_of_windows_are_kept() -> None:
    made = managed.rewritten(WITH.replace("\n", "\r\n"), joining=[("Decisions", "2026-03-06 Kept")])

    assert made.replace("\r\n", "").count("\n") == 0
    assert "- 2026-03-06 Kept\r\n" in made


def test_a_heading_in_a_code_block_is_no_heading() -> None:
    text = f"{OWN}\n```\n## From the logs\n- no entry\n```\n"

    assert managed.read(text).entries == []


@pytest.mark.parametrize("text", [OWN, WITH, "", "# Memory", WITH.rstrip("\n"), WITH.replace("\n", "\r\n")])
def test_changing_nothing_twice_is_changing_nothing_once(text: str) -> None:
    once = managed.rewritten(text, joining=[("Facts", "x")])

    assert managed.rewritten(once) == once
    assert managed.rewritten(managed.rewritten(once, leaving={managed.of_text("x")})) == managed.rewritten(
        once, leaving={managed.of_text("x")}
    )
