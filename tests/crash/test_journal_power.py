"""P1, P2: what is acknowledged of a journal is durable, whatever legal state a power cut leaves the disk in.

By the model of the harness. Real power cuts: test_power_cuts.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.crash import harness, journal_scenarios, points, power, scenarios
from tests.crash.harness import Kill
from tests.crash.journal_scenarios import Scenario, Stage
from tests.thorough import THOROUGH, some


def rests_on(ack: object, place: str) -> bool:
    """An event rests on journal and state, not on hints, nor on what a replacement or a killed process leaves beside.

    A key counts once its folder `.making-…` has its own name. How far this installation has written (`newest`) is a
    hint, though it lies in the state: it may lag behind.
    """
    if place.endswith((".agentws-new", ".agentws-old")) or "/.making-" in place or scenarios.is_hint(place):
        return False
    return place.startswith(("journal", ".agentws/state"))


def cuts(stage: Stage, mutant: Callable[[], None] | None = None, *, every: int = 1) -> Iterator[str]:
    """Cut the power after every so many operations, in each way, and tell what is wrong afterwards."""
    root, model = stage.model()
    outcome = harness.run(stage.scenario.act, root, mutant=mutant)

    def check(root: str, acks: list[str]) -> None:
        journal_scenarios.check(stage, root, acks, rebound=True, mutant=mutant)

    yield from power.wrongs(model, outcome, every, stage.place, check)


@pytest.mark.parametrize("scenario", journal_scenarios.ALL, ids=lambda scenario: scenario.name)
def test_nothing_that_an_acknowledged_event_rests_on_is_volatile(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))
    root, model = stage.model()

    outcome = harness.run(scenario.act, root)

    assert outcome.error is None
    assert power.volatile_at_acks(model, outcome, rests_on=rests_on) == []


@pytest.mark.parametrize("scenario", journal_scenarios.ALL, ids=lambda scenario: scenario.name)
def test_an_acknowledged_event_rests_on_nothing_that_a_killed_process_left_volatile(
    scenario: Scenario, tmp_path: Path
) -> None:
    stage = Stage(scenario, str(tmp_path))

    for point in some(stage.kills()):
        root, model = stage.model()
        for event in harness.run(scenario.act, root, point).events:
            model.apply(event)
        outcome = harness.run(scenario.another, root)

        assert outcome.error is None, outcome.error[3]
        left = power.volatile_at_acks(model, outcome, rests_on=rests_on)
        assert left == [], (point, stage.whole.changing[point.at])


@pytest.mark.parametrize("scenario", journal_scenarios.ALL, ids=lambda scenario: scenario.name)
def test_a_power_cut_at_any_moment_takes_nothing_that_was_acknowledged(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))

    for problem in cuts(stage, every=1 if THOROUGH else 19):
        pytest.fail(problem)


@pytest.mark.parametrize("scenario", journal_scenarios.ALL, ids=lambda scenario: scenario.name)
def test_a_power_cut_after_a_killed_append_takes_nothing_that_was_acknowledged_later(
    scenario: Scenario, tmp_path: Path
) -> None:
    stage = Stage(scenario, str(tmp_path))
    kills: list[Kill] = some(stage.kills())

    for number, point in enumerate(kills):
        root, model = stage.model()
        first = harness.run(scenario.act, root, point)
        for event in first.events:
            model.apply(event)
        second = harness.run(scenario.another, root)
        for event in second.events:
            model.apply(event)
        for way in power.WAYS if THOROUGH else (power.WAYS[number % 4],):
            root = stage.place()
            model.cut(root, way, seed=number)
            with points.named(f"{point}, cut ({way})"):
                journal_scenarios.check(stage, root, [*first.acks, *second.acks], rebound=True)
