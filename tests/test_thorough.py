"""A sample is spread over all points, and small enough to be tried each time."""

from __future__ import annotations

import itertools
from pathlib import Path

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


def test_tests_of_one_table_take_all_of_it_in_turn() -> None:
    cases = range(28)
    taken = [thorough.in_turn(f"test_{number}", cases, 5) for number in range(99)]

    assert all(4 <= len(some) <= 5 for some in taken)
    assert {case for some in taken for case in some} == {*cases}
    assert thorough.in_turn("any", cases[:5], 5) == cases[:5]


def test_each_two_values_of_two_axes_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = ("abcd", [True, False], ("x", "y", "z"))
    monkeypatch.setattr(thorough, "THOROUGH", False)
    rows = thorough.meeting(*axes)

    assert len(rows) == len(set(rows)) < 24
    for one, other in itertools.combinations(range(3), 2):
        assert {(row[one], row[other]) for row in rows} == set(itertools.product(axes[one], axes[other]))
    monkeypatch.setattr(thorough, "THOROUGH", True)
    assert thorough.meeting(*axes) == list(itertools.product(*axes))


def test_make_runs_each_thorough_form() -> None:
    root = Path(__file__).parent.parent
    never = set(root.glob("tests/**/test_*.py"))
    for line in (root / "Makefile").read_text().splitlines():
        if "AGENTWS_THOROUGH=1" in line:
            words = line.split()
            places = [root / word for word in words if word.startswith("tests")]
            ignored = [root / word.removeprefix("--ignore=") for word in words if word.startswith("--ignore=")]
            never = {
                path
                for path in never
                if not any(map(path.is_relative_to, places)) or any(map(path.is_relative_to, ignored))
            }

    assert not never
