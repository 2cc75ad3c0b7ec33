"""What was taken out of a log, and what was added to it."""

from __future__ import annotations

from agentws.features.sync.plan.state import late


def test_lines_are_told_by_their_place_and_their_text() -> None:
    before = b"# Day\n\n- a\n  below a\n- b\n\n\n- c\n"
    after = b"# Day\n- b\n- new\n  below new\n- c\n- b\n"
    gone, added = late.compared(before, after)
    assert gone == [(2, 4, b"- a\n  below a")]
    assert added == [(2, 4, b"- new\n  below new"), (5, 6, b"- b")]
    assert late.without(before, gone) == b"# Day\n\n\n\n- b\n\n\n- c\n"


def test_of_thousands_of_lines_those_that_differ_are_told() -> None:
    before = b"".join(b"- line %d\n" % number for number in range(4_000))
    after = b"- first\n" + before.replace(b"- line 7\n", b"").replace(b"- line 9\n", b"- line 9\n" * 2) + b"- last\n"
    gone, added = late.compared(before, after)
    assert gone == [(7, 8, b"- line 7")]
    assert [text for *_, text in added] == [b"- first", b"- line 9", b"- last"]


def test_line_ends_stay_as_they_are() -> None:
    before = b"# Day\r\n\r\n- a\r\n- b\r\n"
    gone, added = late.compared(before, before.replace(b"- a\r\n", b"") + b"- c\r\n")
    assert late.without(before, gone) == b"# Day\r\n\r\n\r\n- b\r\n"
    assert late.added_to("memory/2026-09-01.2.md", b"# 2026-09-01\r\n", added) == b"# 2026-09-01\r\n- c\r\n"
    assert late.added_to("memory/2026-09-01.2.md", b"- x", added) == b"- x\n- c\n"


def test_a_line_of_an_archived_day_goes_where_log_writes_it() -> None:
    assert late.place("memory/2026-09-01.md") == "memory/2026-09-01.2.md"
    assert late.place("memory/2026-09-01.2.md") == "memory/2026-09-01.2.md"
    assert late.place("memory/2026-09-01-standup.md") == "memory/2026-09-01-standup.md"
    assert late.is_bare("memory/2026-09-01.2.md", b"# 2026-09-01\n\n")
    assert not late.is_bare("memory/2026-09-01.md", b"# 2026-09-01\n\n")
    assert not late.is_bare("memory/2026-09-01.2.md", b"# 2026-09-01\n\n- a\n")
