"""Sidecars and lists of names: a line is a unit."""

from __future__ import annotations

from tests.features.sync.plan.sides import ROWS, text

ROW = '{{"entry":"{}","run":"2026-11-{}T03:00:00Z"}}\n'
OLD = ROW.format("a", 20)


def test_rows_of_two_sides_stand_in_order_of_their_runs_and_a_removed_one_goes() -> None:
    ours = OLD + ROW.format("z", 22) + ROW.format("b", 22) + '{"run":"2026-11-22T03:00:00Z","days":1}\n'
    theirs = ROW.format("m", 21) + '{"run":"2026-11-21T03:00:00Z","days":1}\n'

    assert text(ROWS, OLD, ours, theirs) == theirs + ours.removeprefix(OLD)


def test_a_row_of_both_sides_stands_once() -> None:
    assert text(ROWS, OLD, OLD + ROW.format("b", 21), OLD + ROW.format("b", 21) + ROW.format("c", 22)) == (
        OLD + ROW.format("b", 21) + ROW.format("c", 22)
    )
    assert text(ROWS, None, OLD, OLD + ROW.format("c", 22)) == OLD + ROW.format("c", 22)


def test_writers_stand_in_the_order_in_which_they_came() -> None:
    one, two, three = ('{{"writer":"{}","at":"2026-11-2{}T07:00:00Z"}}\n'.format(*pair) for pair in ("f1", "e2", "a3"))

    assert text("identity/writers.jsonl", one, one + three, one + two) == one + two + three


def test_lines_that_are_no_json_are_kept() -> None:
    assert text(ROWS, "", "no json\n", '{"run":5}\n[1]\n') == 'no json\n{"run":5}\n[1]\n'


def test_a_comment_keeps_what_stands_below_it() -> None:
    assert text(".gitignore", "a\n", "a\n\n# mine\nz\nb\n", "a\n!c\n") == "a\n!c\n# mine\nz\nb\n"
    assert text("identity/allowed_signers", "a k\n", "a k\nc k\n", "a k\nb k\n") == "a k\nb k\nc k\n"
