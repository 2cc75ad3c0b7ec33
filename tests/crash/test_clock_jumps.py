"""The order of lines is the order of the file, whatever the clock does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentws.workspace import Environment, Workspace


def log_at(root: str, moments: list[datetime]) -> list[tuple[str, str]]:
    """Log one numbered line at each moment; (path, line as it stands there) of each."""
    done = []
    for number, moment in enumerate(moments):
        logged = Workspace.open(root, environment=Environment(now=moment)).log(f"line {number}")
        done.append((logged.path, Path(root, logged.path).read_text().split("\n")[logged.line - 1]))
    return done


def workspace(tmp_path: Path, zone: str) -> str:
    root = str(tmp_path / "robin")
    start = datetime(2026, 1, 1, tzinfo=UTC)
    Workspace.init(root, environment=Environment(now=start, timezone=zone), git=False)
    return root


def test_midnight_between_two_lines_loses_none(tmp_path: Path) -> None:
    root = workspace(tmp_path, "UTC")
    late = datetime(2026, 11, 20, 23, 59, 59, tzinfo=UTC)

    done = log_at(root, [late, late + timedelta(seconds=2)])

    assert done == [("memory/2026-11-20.md", "- 23:59 line 0"), ("memory/2026-11-21.md", "- 00:00 line 1")]


def test_a_clock_stepping_back_two_hours_keeps_the_order_of_the_file(tmp_path: Path) -> None:
    root = workspace(tmp_path, "UTC")
    noon = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)

    log_at(root, [noon, noon - timedelta(hours=2), noon])

    entries = [line for line in Path(root, "memory/2026-11-20.md").read_text().split("\n") if line.startswith("- ")]
    assert entries == ["- 12:00 line 0", "- 10:00 line 1", "- 12:00 line 2"]


def test_a_clock_stepping_back_over_midnight_finds_its_old_day_again(tmp_path: Path) -> None:
    root = workspace(tmp_path, "UTC")
    after = datetime(2026, 11, 21, 1, 0, tzinfo=UTC)

    log_at(root, [after - timedelta(hours=2), after, after - timedelta(hours=1, minutes=30)])

    assert Path(root, "memory/2026-11-20.md").read_text().endswith("- 23:00 line 0\n- 23:30 line 2\n")
    assert Path(root, "memory/2026-11-21.md").read_text().endswith("- 01:00 line 1\n")


@pytest.mark.parametrize("month_day", [(3, 29), (10, 25)])
def test_a_day_with_a_change_of_the_clocks_has_one_file_and_every_line(
    tmp_path: Path, month_day: tuple[int, int]
) -> None:
    root = workspace(tmp_path, "Europe/Berlin")
    month, day = month_day
    begin = datetime(2026, month, day, 0, 30, tzinfo=UTC)
    moments = [begin + timedelta(minutes=15 * step) for step in range(8)]

    done = log_at(root, moments)

    path = f"memory/2026-{month:02}-{day:02}.md"
    assert {where for where, _ in done} == {path}
    entries = [line for line in Path(root, path).read_text().split("\n") if line.startswith("- ")]
    assert entries == [line for _, line in done]


@pytest.mark.parametrize("year", [2038, 9999])
def test_a_far_year_is_a_year(tmp_path: Path, year: int) -> None:
    root = workspace(tmp_path, "UTC")

    done = log_at(root, [datetime(year, 1, 19, 3, 14, 8, tzinfo=UTC)])

    assert done == [(f"memory/{year}-01-19.md", "- 03:14 line 0")]
