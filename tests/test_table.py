"""A table that holds for every row, and fails with each for which it does not."""

from __future__ import annotations

import pytest

from tests import table


def is_even(number: int) -> None:
    assert number % 2 == 0


def test_a_table_holds_where_every_row_does() -> None:
    table.holds(is_even, [2, 4])


def test_all_rows_that_fail_are_shown_and_those_behind_them_tried() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"(?s)2 of 4 rows:\n1: AssertionError.*\n5: AssertionError"):
        table.holds(is_even, [2, 1, 4, 5])


def test_an_error_is_a_failure_of_its_row() -> None:
    with pytest.raises(pytest.fail.Exception, match="1 of 2 rows:\n0: ZeroDivisionError"):
        table.holds(lambda number: 1 // number, [0, 1])


def test_a_table_without_rows_proves_nothing() -> None:
    with pytest.raises(AssertionError, match="no row"):
        table.holds(is_even, [])
