"""P4: an error is never a success, and never takes anything along that was there before."""

from __future__ import annotations

import errno
import zlib
from pathlib import Path

import pytest

from tests.crash import harness, power, scenarios
from tests.crash.harness import ERRNOS, Fail
from tests.crash.scenarios import Scenario, Stage
from tests.thorough import THOROUGH, some


def points(stage: Stage) -> list[Fail]:
    """Each operation fails; in the thorough form with every errno that it can have, once and from then on."""
    found = []
    for at, kind in enumerate(stage.whole.every):
        ways = [
            Fail(at, code, sticky=sticky) for code, kinds in ERRNOS.items() if kind in kinds for sticky in (False, True)
        ]
        if kind == "write":
            ways += [
                Fail(at, code, sticky=sticky, short=True)
                for code in (errno.ENOSPC, errno.EDQUOT)
                for sticky in (False, True)
            ]
        if ways and not THOROUGH:
            # Which one is decided by the place alone, so that a failure can be met again.
            ways = [ways[zlib.crc32(f"{stage.scenario.name} {at}".encode()) % len(ways)]]
        found += ways
    return some(found)


@pytest.mark.parametrize("scenario", scenarios.ALL, ids=lambda scenario: scenario.name)
def test_a_failing_disk_is_an_error_of_ours_and_costs_nothing_that_was_there(
    scenario: Scenario, tmp_path: Path
) -> None:
    stage = Stage(scenario, str(tmp_path))

    for point in points(stage):
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
        try:
            scenarios.check(stage, root, outcome.acks)
        except AssertionError as error:
            raise AssertionError(f"{where}: {error}\n{outcome.error and outcome.error[3]}") from error
