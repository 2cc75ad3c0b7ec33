"""Daily logs of two machines: both sides' entries in order of time, every other byte as it was."""

from __future__ import annotations

from tests.features.sync.plan.sides import LOG, text, told

DAY = "# 2026-11-20\n\n- 07:15 Watered the fig\n- 07:20 [decision] Compost only !8\n"
HAND = (
    "# Wednesday\r\n\r\nIt rained.\r\nAll day.\r\n\r\n| plant | state |\r\n|---|---|\r\n| fig | asleep |\r\n\r\n"
    "- roses\r\n  - red\r\n\r\n    wrapped in sacking\r\n  - white\r\n\r\n```sh\r\n# no heading\r\n- no item\r\n```\r\n"
)


def test_what_both_logged_stands_in_order_of_time() -> None:
    ours = DAY + "- 08:00 Swept\n- 12:00 Lunch\n"
    theirs = DAY + "- 07:50 Rang Ada\n  about the keys\n- 09:00 Sowed\n"

    assert text(LOG, DAY, ours, theirs) == (
        DAY + "- 07:50 Rang Ada\n  about the keys\n- 08:00 Swept\n- 09:00 Sowed\n- 12:00 Lunch\n"
    )


def test_the_time_counts_whatever_mark_stands_before_it() -> None:
    ours, theirs = DAY + "* 12:00 Lunch\n", DAY + "- 08:00 Swept\n"

    assert text(LOG, DAY, ours, theirs) == DAY + "- 08:00 Swept\n* 12:00 Lunch\n"


def test_what_one_side_wrote_in_one_minute_keeps_its_order() -> None:
    ours, theirs = DAY + "- 08:00 Z\n- 08:00 A\n", DAY + "- 08:00 M\n"

    assert text(LOG, DAY, ours, theirs) == DAY + "- 08:00 M\n- 08:00 Z\n- 08:00 A\n"


def test_the_same_words_of_two_machines_are_two_entries_and_those_that_both_knew_are_one() -> None:
    ours, theirs = DAY + "- 08:00 Swept\n", DAY + "- 08:00 Swept\n- 08:30 Sowed\n"

    assert text(LOG, DAY, ours, theirs) == DAY + "- 08:00 Swept\n- 08:00 Swept\n- 08:30 Sowed\n"
    assert text(LOG, None, ours, theirs) == DAY + "- 08:00 Swept\n- 08:30 Sowed\n"
    assert text(LOG, DAY + "- 08:00 Swept\n", ours, theirs) == DAY + "- 08:00 Swept\n- 08:30 Sowed\n"


def test_entries_below_a_heading_stay_below_it_and_the_heading_stands_once() -> None:
    ours, theirs = DAY + "\n## Evening\n\n- 19:00 Read\n", DAY + "- 07:50 Rang\n\n## Evening\n\n- 18:00 Ate\n"

    assert text(LOG, DAY, ours, theirs) == DAY + "- 07:50 Rang\n\n## Evening\n\n- 18:00 Ate\n- 19:00 Read\n"


def test_a_log_by_hand_keeps_its_bytes() -> None:
    ours, theirs = HAND + "\r\n## Log\r\n\r\n- 08:00 a\r\n", HAND + "\r\n## Log\r\n\r\n- 07:00 b\r\n"

    assert text(LOG, HAND, ours, theirs) == HAND + "\r\n## Log\r\n\r\n- 07:00 b\r\n- 08:00 a\r\n"
    changed = HAND.replace("| fig | asleep |", "| fig | awake |")
    assert text(LOG, HAND, changed, theirs) == changed + "\r\n## Log\r\n\r\n- 07:00 b\r\n"


def test_a_line_without_an_end_gets_one_where_something_follows() -> None:
    assert text(LOG, "- a", "- a\n- 07:00 b\n", "- a\n- 08:00 c") == "- a\n- 07:00 b\n- 08:00 c\n"
    assert text(LOG, "", "x", "y") == "x\n\ny"


def test_what_a_side_removed_is_gone_unless_the_other_edited_it() -> None:
    without = DAY.replace("- 07:15 Watered the fig\n", "")

    assert text(LOG, DAY, without, DAY + "- 08:00 Swept\n") == without + "- 08:00 Swept\n"
    made, conflicts = told(LOG, DAY, without, DAY.replace("fig", "fig tree"))
    assert "- 07:15 Watered the fig tree\n" in made
    assert conflicts == [
        ("removal", "2026-11-20", "- 07:15 Watered the fig", None, "- 07:15 Watered the fig tree"),
    ]


def test_a_line_that_one_side_removed_and_the_other_wrote_again_stays() -> None:
    twice = "- 07:00 a\n- 07:00 a\n"

    assert text(LOG, "- 07:00 a\n", "", twice) == twice


def test_torn_bytes_of_a_log_are_kept_and_the_rest_is_merged() -> None:
    from tests.features.sync.plan.sides import both

    merged = both(LOG, b"- 07:00 a\n", b"- 07:00 a\n- 08:00 \xe2\x82\n", b"- 07:00 a\n- 07:30 b\n")
    assert merged.content == b"- 07:00 a\n- 07:30 b\n- 08:00 \xe2\x82\n"
    assert not merged.conflicts


def test_what_a_side_put_in_newest_first_stays_there() -> None:
    base = "# D\n\n---\nb\n\n---\na\n"

    assert text(LOG, base, "# D\n\n---\nc\n\n---\nb\n\n---\na\n", base + "- 09:00 x\n") == (
        "# D\n\n---\nc\n\n---\nb\n\n---\na\n- 09:00 x\n"
    )
