"""Tasks, handoffs and contexts: field by field."""

from __future__ import annotations

from agentws.features.sync.plan.merged import Merged
from tests.features.sync.plan.sides import TASK, both, merge, text, told

TASK_TEXT = """---
# The state.
status: waiting  # a comment
step: import the contacts
waiting_on: Sam
priority: high
updated: 2026-11-20T10:00:00+01:00
tags: [a, b]  # of mine
client: Harbor Goods
---
# Move

- [x] export
- [ ] import
- [ ] tell Sam
"""


def changed(*pairs: tuple[str, str]) -> str:
    made = TASK_TEXT
    for old, new in pairs:
        assert old in made
        made = made.replace(old, new)
    return made


def test_each_field_is_merged_by_itself_and_every_other_byte_stays() -> None:
    ours = changed(("waiting_on: Sam\n", ""), ("T10", "T11"), ("[ ] import", "[x] import"), ("[a, b]", "[a, b, c]"))
    theirs = changed(("high", "low"), ("T10", "T12"), ("[ ] tell", "[x] tell"), ("[a, b]", "[b, d]"))

    assert text(TASK, TASK_TEXT, ours, theirs) == changed(
        ("waiting_on: Sam\n", ""),
        ("T10", "T12"),
        ("high", "low"),
        ("[a, b]", "[b, c, d]"),
        ("[ ] import", "[x] import"),
        ("[ ] tell", "[x] tell"),
    )


def test_of_two_states_what_is_over_stays_and_the_other_is_a_conflict() -> None:
    made, conflicts = told(
        TASK, TASK_TEXT, changed(("status: waiting", "status: active")), changed(("waiting ", "done "))
    )

    assert made == changed(("status: waiting", "status: done"))
    assert conflicts == [
        ("field", "status", *(f"status: {word}  # a comment" for word in ("waiting", "active", "done")))
    ]


def test_a_field_that_one_side_removed_and_the_other_edited_stays() -> None:
    made, conflicts = told(TASK, TASK_TEXT, changed(("waiting_on: Sam\n", "")), changed(("Sam\npri", "Ada\npri")))

    assert "waiting_on: Ada\n" in made
    assert conflicts == [("removal", "waiting_on", "waiting_on: Sam", None, "waiting_on: Ada")]


def test_what_is_private_stays_private_and_no_audience_is_widened() -> None:
    base, rest = "---\nstatus: open\n---\n", "---\n# T\n"
    shared = "---\nstatus: open\naudience: shared\n" + rest

    assert "audience" not in text(TASK, None, shared, "---\nstatus: open\nx: 1\n" + rest)
    assert "private: true" in text(TASK, base, base.replace("\n---\n", "\nprivate: true\n---\n"), base + "x\n")
    one, other = "---\nsrc: tool:web\n---\n- a\n", "---\nsrc: agent\n---\n- b\n"
    assert text(TASK, None, one, other) == "---\nsrc: tool:web\n---\n- a\n- b\n"


def test_a_header_that_cannot_be_read_leaves_the_file_whole() -> None:
    damaged, fine = b"---\nstatus: [open\n---\n", b"---\nstatus: done\n---\n- x\n"
    merged = both(TASK, b"# a\n", damaged, fine)

    assert merged.content in (damaged, fine)
    assert [conflict.what for conflict in merged.conflicts] == ["file"]


def test_a_header_of_one_side_and_the_body_of_the_other() -> None:
    assert text(TASK, "# a\n", "---\nstatus: open\n---\n# a\n", "# a\n- b\n") == "---\nstatus: open\n---\n# a\n- b\n"


def test_a_horizontal_rule_is_no_header() -> None:
    assert text(TASK, "---\n\nText\n", "---\n\nText\n\nOne.\n", "---\n\nText\n\nTwo.\n") == (
        "---\n\nText\n\nOne.\n\nTwo.\n"
    )


def test_a_list_by_lines_is_merged_by_item() -> None:
    base = "---\ntags:\n  - a\n---\n"

    assert merge(
        TASK, base.encode(), base.replace("- a", "- b").encode(), base.replace("- a", "- a\n  - c").encode()
    ) == Merged(b"---\ntags: [b, c]\n---\n")


def test_a_header_that_only_others_read_is_taken_from_the_side_that_changed_it() -> None:
    base = "---\na: &x 1\nb: *x\n---\n# T\n"

    ours, theirs = base.replace("1", "2") + "- one\n", base + "- two\n"
    assert text("knowledge/a.md", base, ours, theirs) == base.replace("1", "2") + "- one\n- two\n"
    merged = both("knowledge/a.md", base.encode(), ours.encode(), base.replace("1", "3").encode())
    assert [conflict.what for conflict in merged.conflicts] == ["file"]
