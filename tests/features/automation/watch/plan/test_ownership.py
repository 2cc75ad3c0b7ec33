"""Whose a change is: agentws knows what it did itself, and all else is others'."""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.features.automation.watch.plan.ownership import Append, Replacement, Step, foreign
from tests import table

OLD = b"# Day\n\n- one\n"
LINE = b"- two\n"
MORE = b"- three\n"
A, B, C = b"- a\n", b"- a\n- b\n", b"- a\n- c\n"


def line(before: bytes, text: bytes, *, is_done: bool = True) -> Append:
    return Append(len(before), text, is_done=is_done)


def change(before: bytes | None, after: bytes | None, *, kept: bool = True) -> Replacement:
    ends = [digest.ABSENT if data is None else digest.of(data) for data in (before, after)]
    return Replacement(ends[0], ends[1], before if kept else None)


OURS: tuple[tuple[bytes | None, bytes | None, list[Step]], ...] = (
    (OLD, OLD, []),
    (None, None, []),
    (OLD, OLD + LINE, [line(OLD, LINE)]),
    (OLD, OLD + LINE + MORE, [line(OLD, LINE), line(OLD + LINE, MORE)]),
    (None, OLD, [line(b"", OLD)]),
    (b"", OLD, [line(b"", OLD)]),
    # A line that led to what was seen last does not count again, nor one that a kill kept from being written.
    (OLD, OLD + LINE, [line(OLD[:7], OLD[7:]), line(OLD, LINE)]),
    (OLD, OLD, [line(OLD, LINE, is_done=False)]),
    (OLD, OLD + LINE, [line(OLD, LINE), line(OLD + LINE, MORE, is_done=False)]),
    (A, B, [change(A, B)]),
    (A, None, [change(A, None)]),
    (None, A, [change(None, A)]),
    (A, C, [change(A, B), change(B, C)]),
    (B, C, [change(A, B), change(B, C)]),
    (C, C, [change(A, B), change(B, C)]),
    (A, C, [change(A, B, kept=False), change(B, C, kept=False)]),
    (A, B + LINE, [change(A, B), line(B, LINE)]),
    (A, C, [line(A, LINE), change(A + LINE, C)]),
    # What was forgotten is not kept: nobody else is blamed for what cannot be known.
    (A, C, [line(A, LINE), change(A + LINE, C, kept=False)]),
)


def test_what_agentws_did_is_nobody_elses() -> None:
    table.holds(lambda row: _is(foreign(*row, {}), []), OURS)


def test_an_edit_is_told_with_what_was_there_before_and_after() -> None:
    assert foreign(OLD, OLD + LINE, [], {}) == [(OLD, OLD + LINE)]
    assert foreign(OLD, None, [], {}) == [(OLD, None)]
    assert foreign(None, OLD, [], {}) == [(None, OLD)]


def test_an_edit_shows_below_and_above_a_line_of_ours() -> None:
    edited = OLD.replace(b"one", b"uno")

    assert foreign(OLD, edited + LINE, [line(edited, LINE)], {}) == [(OLD, edited + LINE)]
    assert foreign(OLD, edited + LINE, [line(OLD, LINE)], {}) == [(OLD, edited + LINE)]


def test_a_line_of_ours_that_somebody_took_away_is_an_edit() -> None:
    assert foreign(OLD, OLD, [line(OLD, LINE)], {}) == [], "as it was before: nothing to tell"
    assert foreign(OLD, OLD + LINE, [line(OLD, LINE), line(OLD + LINE, MORE)], {}) == [(OLD, OLD + LINE)]


def test_an_edit_before_a_change_of_ours_is_found() -> None:
    assert foreign(A, C, [change(B, C)], {}) == [(A, B)]


def test_an_edit_after_a_change_of_ours_is_compared_with_what_that_left_or_with_what_it_found() -> None:
    assert foreign(A, C, [change(A, B)], {digest.of(B): B}) == [(B, C)]
    assert foreign(A, C, [change(A, B)], {}) == [(A, C)]


def test_what_somebody_put_where_ours_was_taken_away_is_new() -> None:
    assert foreign(A, C, [change(A, None)], {}) == [(None, C)]


def test_going_back_by_hand_to_what_we_once_left_is_an_edit() -> None:
    assert foreign(C, B, [change(A, B), change(B, C)], {}) == [(C, B)]


def _is(found: object, wanted: object) -> None:
    assert found == wanted
