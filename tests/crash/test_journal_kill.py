"""P1, P2, P3: whoever is killed at any operation of an append leaves a journal that the next one mends by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash import harness, journal_scenarios, points
from tests.crash.journal_scenarios import Scenario, Stage
from tests.thorough import THOROUGH, some


@pytest.mark.parametrize("scenario", journal_scenarios.ALL, ids=lambda scenario: scenario.name)
def test_a_killed_append_loses_nothing_that_was_acknowledged_and_the_next_one_goes_on(
    scenario: Scenario, tmp_path: Path
) -> None:
    stage = Stage(scenario, str(tmp_path))

    points.killed(
        stage, scenario.act, some(stage.kills()), lambda root, acks: journal_scenarios.check(stage, root, acks)
    )


@pytest.mark.parametrize("scenario", journal_scenarios.ALL, ids=lambda scenario: scenario.name)
def test_what_was_killed_twice_is_mended_too(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))

    for first in some(stage.kills(), 2):
        at = 0
        while True:
            root = stage.fresh()
            acks = harness.run(scenario.act, root, first).acks
            again = harness.run(scenario.another, root, harness.Kill(at, harness.HALF))
            if not again.killed:
                break
            with points.named(f"{first}, then {at}"):
                journal_scenarios.check(stage, root, [*acks, *again.acks])
            at += 1 if THOROUGH else 25
