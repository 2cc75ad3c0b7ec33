"""P1, P2: what is acknowledged is durable, and a power cut at any moment leaves old or new.

By a model: content is durable after an fsync of its file, a name after an fsync of its folder, all else may be lost.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.crash import harness, power, scenarios
from tests.crash.harness import Kill
from tests.crash.scenarios import Scenario, Stage
from tests.thorough import THOROUGH, some


@pytest.mark.parametrize("scenario", scenarios.ALL, ids=lambda scenario: scenario.name)
def test_nothing_that_an_acknowledgement_rests_on_is_volatile(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))
    root, model = stage.model()

    outcome = harness.run(scenario.act, root)

    assert outcome.error is None
    assert outcome.acks, "nothing was acknowledged"
    assert power.volatile_at_acks(model, outcome, rests_on=lambda _, place: not scenarios.is_hint(place)) == []


@pytest.mark.parametrize("scenario", scenarios.ALL, ids=lambda scenario: scenario.name)
def test_an_acknowledgement_rests_on_nothing_that_a_killed_process_left_volatile(
    scenario: Scenario, tmp_path: Path
) -> None:
    stage = Stage(scenario, str(tmp_path))

    for at in some(range(len(stage.whole.changing))):
        root, model = stage.model()
        for event in harness.run(scenario.act, root, Kill(at)).events:
            model.apply(event)
        outcome = harness.run(scenarios.next_verb, root)

        assert outcome.error is None, outcome.error[3]
        assert power.volatile_at_acks(model, outcome, rests_on=rests_on) == [], (at, stage.whole.changing[at])


def rests_on(ack: Any, place: str) -> bool:
    """A line rests on its own file and the folders above; any other verb has mended what was left first."""
    if isinstance(ack, tuple):
        return place in (ack[0], "memory")
    if not scenarios.rests_on(ack, place):
        return False
    return place != ".agentws/.gitignore"  # once lost, it is empty, and written again by the next verb


@pytest.mark.parametrize("scenario", scenarios.ALL, ids=lambda scenario: scenario.name)
def test_a_power_cut_at_any_moment_leaves_old_or_new_and_all_that_was_acknowledged(
    scenario: Scenario, tmp_path: Path
) -> None:
    stage = Stage(scenario, str(tmp_path))

    for problem in power.cuts(stage, every=1 if THOROUGH else 29):
        pytest.fail(problem)
