"""P4: an error is never a success, and never takes anything along that was there before."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from tests.crash import harness, points, power, scenarios
from tests.crash.scenarios import Scenario, Stage
from tests.thorough import some


@pytest.mark.parametrize("scenario", scenarios.ALL, ids=lambda scenario: scenario.name)
def test_a_failing_disk_is_an_error_of_ours_and_costs_nothing_that_was_there(
    scenario: Scenario, tmp_path: Path
) -> None:
    stage = Stage(scenario, str(tmp_path))

    for point in some(points.refusals(stage.whole.every, scenario.name)):
        root, model = stage.model()
        outcome = harness.run(scenario.act, root, point)

        where = f"{point} {errno.errorcode[point.errno]} at {stage.whole.every[point.at]}"
        if outcome.error is None:
            assert len(outcome.acks) == len(stage.whole.acks), where
            assert power.volatile_at_acks(model, outcome, rests_on=scenarios.rests_on) == [], where
            assert stage.documents(root) == stage.after, where
        else:
            assert outcome.error[1], f"{where}: not an error of ours:\n{outcome.error[3]}"
            assert outcome.error[2] != 0
        with points.named(where, outcome):
            scenarios.check(stage, root, outcome.acks)
