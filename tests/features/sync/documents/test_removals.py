"""A folder that was moved away or is not mounted takes nothing off the other machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import NeedsYouError
from agentws.features.sync.guards import missing_files
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines

DAYS = [f"memory/2026-10-{day:02}.md" for day in range(1, 13)]


def written(machines: Machines) -> Workspace:
    """An agent with twelve days, synced with the stick."""
    desk = machines.first()
    desk.log("The roof has 300 tiles")
    for path in DAYS:
        Path(desk.root, path).write_text("# A day\n\n- 09:00 Rang the office\n")
    desk.sync(str(machines.stick))
    return desk


def test_a_folder_that_was_moved_away_stops_the_sync(machines: Machines) -> None:
    desk = written(machines)
    laptop = machines.another("laptop")
    laptop.log("Came home")
    laptop.sync()
    Path(desk.root, "memory").rename(machines.stick.with_name("elsewhere"))
    before = machines.files("desk")

    for _ in range(2):
        with pytest.raises(NeedsYouError, match=r"in memory/ are gone") as refused:
            desk.sync()

    assert "--accept-removals" in str(refused.value.hint)
    assert machines.files("desk") == before
    assert laptop.sync()[0].is_still
    assert all(path in machines.files("laptop") for path in DAYS)
    assert any("memory/ are gone" in one.says for one in desk.status().findings)

    machines.stick.with_name("elsewhere").rename(Path(desk.root, "memory"))
    desk.sync()
    assert machines.files("desk") == machines.files("laptop")


def test_a_person_may_mean_it(machines: Machines) -> None:
    desk = written(machines)
    laptop = machines.another("laptop")
    for path in DAYS:
        Path(desk.root, path).unlink()

    desk.sync(accept_removals=True)
    laptop.sync()

    assert not set(DAYS) & machines.files("laptop").keys()


@pytest.mark.parametrize(
    ("ours", "stops"),
    [
        (DAYS[:6], False),
        (DAYS[:2], True),
        (DAYS[:3], False),
        ([path.replace("memory/", "memory/archive/2026/") for path in DAYS], False),
    ],
    ids=["half", "ten-of-twelve", "nine", "archived"],
)
def test_more_than_half_and_at_least_ten_are_too_many(ours: list[str], stops: bool) -> None:
    others = [f"tasks/{number}.md" for number in range(100)]
    if not stops:
        missing_files.check_removals([*DAYS, *others], [*ours, *others])
        return
    with pytest.raises(NeedsYouError, match="10 of 12 files in memory/"):
        missing_files.check_removals([*DAYS, *others], [*ours, *others])


def test_what_is_resolved_or_retired_by_the_dozen_is_no_folder_that_went() -> None:
    before = [f"{folder}/{number}.json" for folder in ("conflicts", "journal/w") for number in range(20)]

    missing_files.check_removals([*before, *DAYS], DAYS)
