"""Time travel, decided: which state a word means, what differs, what a log held then."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from agentws.features.history.plan import point_in_time
from agentws.features.history.plan.point_in_time import Difference, State

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
STATES = [
    State("cc33", NOON, "agentws remember"),
    State("bb22", NOON - timedelta(hours=2), "by hand\n\nmore words"),
    State("bbaa", NOON - timedelta(days=1), "agentws init"),
]


@pytest.mark.parametrize(
    ("word", "found"),
    [("cc33", 1), ("bb22", 1), ("bb2", 0), ("bb", 0), ("yesterday", 0), ("2026", 0), ("", 0), ("CC33", 0)],
)
def test_a_word_names_a_state_where_its_id_begins_so(word: str, found: int) -> None:
    assert len(point_in_time.named(STATES, word)) == found


def test_two_states_may_begin_alike() -> None:
    alike = [State("abcd1", NOON, ""), State("abcd2", NOON, "")]

    assert point_in_time.named(alike, "abcd") == alike


def test_a_time_that_no_calendar_shows_elsewhere_is_left_as_it_is() -> None:
    end = State("dd44", datetime(9999, 12, 31, 23, 59, tzinfo=UTC), "")

    assert end.local(timezone(timedelta(hours=14))) == end.at
    assert STATES[0].local(timezone(timedelta(hours=14))).hour == 2


# What differs

TEXTS = {
    "nothing": b"",
    "one": b"one\n",
    "unended": b"one",
    "many": b"".join(b"line %d\n" % number for number in range(40)),
    "first changed": b"".join(b"line %d\n" % (number or 99) for number in range(40)),
    "both ends": b"new\n" + b"".join(b"line %d\n" % number for number in range(1, 39)) + b"end",
    "two places": b"".join(b"line %d\n" % (number if number not in (5, 30) else 77) for number in range(40)),
    "near places": b"".join(b"line %d\n" % (number if number not in (5, 9) else 77) for number in range(40)),
    "carriage": b"one\r\ntwo\r\n",
    "invalid bytes": b"\xff\xfe one\n\x00\n",
    "form feed": b"a\x0cb\n\xe2\x80\xa8c\n",
    "unended twice": b"one\ntwo",
}


@pytest.mark.parametrize("before", TEXTS)
@pytest.mark.parametrize("after", TEXTS)
def test_a_patch_turns_the_one_into_the_other_under_the_patch_of_others(
    before: str, after: str, tmp_path: Path
) -> None:
    old, new = TEXTS[before], TEXTS[after]
    found = Difference(old, new)
    if old == new:
        assert (found.lines, found.added, found.removed) == ([], 0, 0)
        return
    lines = point_in_time.patch(found, before="x" if old else None, after="x" if new else None)
    if old:
        (tmp_path / "x").write_bytes(old)
    (tmp_path / "p").write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))

    done = subprocess.run(["git", "apply", "--whitespace=nowarn", "p"], cwd=tmp_path, capture_output=True, check=False)

    assert done.returncode == 0, (done.stderr, lines)
    assert ((tmp_path / "x").read_bytes() if new else b"") == new
    assert new or not (tmp_path / "x").exists()


def test_lines_are_counted_once_each_way() -> None:
    found = Difference(b"a\nb\nc\n", b"a\nB\nB2\nc\n")

    assert (found.added, found.removed) == (2, 1)
    assert found.lines == ["@@ -1,3 +1,4 @@", " a", "-b", "+B", "+B2", " c"]


def test_far_changes_stand_in_parts_of_their_own_and_near_ones_together() -> None:
    far = [line for line in Difference(TEXTS["many"], TEXTS["two places"]).lines if line.startswith("@@")]
    near = [line for line in Difference(TEXTS["many"], TEXTS["near places"]).lines if line.startswith("@@")]

    assert far == ["@@ -3,7 +3,7 @@", "@@ -28,7 +28,7 @@"]
    assert near == ["@@ -3,11 +3,11 @@"]


def test_what_is_too_much_to_compare_goes_and_comes_as_a_whole() -> None:
    old = [b"%d\n" % number for number in range(2000)]
    new = old[::-1]

    found = Difference(b"same\n" + b"".join(old) + b"end\n", b"same\n" + b"".join(new) + b"end\n")

    assert (found.added, found.removed) == (2000, 2000)
    assert found.lines[:2] == ["@@ -1,2002 +1,2002 @@", " same"]


# What a log held

DAY = b"# 2026-11-20\n\n- 08:00 one\n"


@pytest.mark.parametrize(
    ("recorded", "later", "until", "then"),
    [
        (DAY, DAY + b"- 09:00 two\n- 10:00 three\n", "09:30", DAY + b"- 09:00 two\n"),
        (DAY, DAY + b"- 09:00 two\n", "09:00", DAY + b"- 09:00 two\n"),
        (DAY, DAY + b"- 09:00 two\n", "08:59", DAY),
        (DAY, DAY + b"- 09:00 two\n", "", DAY + b"- 09:00 two\n"),
        (DAY, b"# 2026-11-20\n\n- 08:00 other\n- 09:00 two\n", "23:59", DAY),
        (DAY, None, "23:59", DAY),
        (None, DAY, "08:00", DAY),
        (None, DAY, "07:59", None),
        (None, None, "07:59", None),
        (None, b"# only a title\n", "", b"# only a title\n"),
        (DAY, DAY + b"- 09:00 two\n  more of it\n\n- 10:00 x\n  y\n", "09:30", DAY + b"- 09:00 two\n  more of it\n"),
        (DAY, DAY + b"\n## Log\n\n- 12:00 later\n", "09:00", DAY),
        (DAY, DAY + b"\n## Log\n\n- 09:00 then\n", "09:00", DAY + b"\n## Log\n\n- 09:00 then\n"),
        (DAY, DAY + b"by hand\n", "09:00", DAY + b"by hand\n"),
        (DAY, DAY + b"- 12:00 x\nby hand\n", "09:00", DAY),
        (DAY, DAY + b"- 12:00 x\n- 08:30 the hour that comes twice\n", "09:00",
         DAY + b"- 08:30 the hour that comes twice\n"),
        (b"", DAY, "09:00", DAY),
    ],
)  # fmt: skip
def test_a_log_is_what_was_recorded_and_what_was_appended_by_then(
    recorded: bytes | None, later: bytes | None, until: str, then: bytes | None
) -> None:
    assert point_in_time.log_then(recorded, later, until=until) == then
