"""A sample is spread over all points, and small enough to be tried each time."""

from __future__ import annotations

import itertools

import pytest

from tests import thorough


@pytest.mark.parametrize(("count", "most"), [(1000, 8), (9, 8), (10, 2), (11, 5)])
def test_a_sample_is_spread_evenly_with_both_ends(count: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thorough, "THOROUGH", False)
    taken = thorough.some(range(count), most)

    steps = [later - earlier for earlier, later in itertools.pairwise(taken)]

    assert (len(set(taken)), taken[0], taken[-1]) == (most, 0, count - 1)
    assert max(steps) - min(steps) <= 1


def test_few_points_are_all_taken_and_in_the_thorough_form_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thorough, "THOROUGH", False)
    assert thorough.some("abc", 3) == ["a", "b", "c"]
    assert thorough.some("", 3) == []
    monkeypatch.setattr(thorough, "THOROUGH", True)
    assert thorough.some(range(100), 2) == list(range(100))
