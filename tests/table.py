"""A table of cases in one test: a thousand rows cost a thousand calls, and not a thousand tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

Row = TypeVar("Row")
_MOST_SHOWN = 20


def holds(check: Callable[[Row], object], rows: Iterable[Row]) -> None:
    """Call `check` with each row and fail with all those that it did not hold for; no row at all is a failure too."""
    count, failed = 0, []
    for row in rows:
        count += 1
        try:
            check(row)
        except (Exception, pytest.fail.Exception) as error:
            failed.append(f"{row!r:.200}: {type(error).__name__}: {error}")
    assert count, "there is no row"
    if failed:
        pytest.fail(f"{len(failed)} of {count} rows:\n" + "\n".join(failed[:_MOST_SHOWN]), pytrace=False)
