"""P1, P2, P11: what a run of compaction has acknowledged is durable, and a power cut at any moment leaves old or new,
every line once.

By the model of the harness. Real power cuts: test_compact_power_cuts.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.crash import compact_scenarios, harness, power, test_verb_power, verb_scenarios
from tests.crash.test_mutants import no_folder_sync, no_sync
from tests.crash.verb_scenarios import Stage, Verb
from tests.thorough import THOROUGH

EVERY = 1 if THOROUGH else 40
OTHERS_EVERY = 3 if THOROUGH else 120
"""A run has hundreds of operations; of those that matter most more cuts are tried each time."""


def cuts(verb: Verb, stage: Stage, mutant: Callable[[], None] | None = None) -> Iterator[str]:
    return test_verb_power.cuts(stage, mutant, every=EVERY if verb in compact_scenarios.USUAL else OTHERS_EVERY)


@pytest.mark.parametrize("verb", compact_scenarios.ALL, ids=lambda verb: verb.name)
def test_nothing_that_an_acknowledgement_rests_on_is_volatile(verb: Verb, tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path))
    root, model = stage.model()

    outcome = harness.run(stage.scenario.act, root)

    assert outcome.acks, outcome.error
    assert power.volatile_at_acks(model, outcome, rests_on=verb_scenarios.rests_on) == []


@pytest.mark.parametrize("verb", compact_scenarios.ALL, ids=lambda verb: verb.name)
def test_a_power_cut_at_any_moment_leaves_old_or_new(verb: Verb, tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path))

    for problem in cuts(verb, stage):
        pytest.fail(problem)


@pytest.mark.parametrize("mutant", [no_sync, no_folder_sync])
def test_code_that_does_not_sync_is_caught(mutant: Callable[[], None], tmp_path: Path) -> None:
    stage = Stage(compact_scenarios.LEAVING, str(tmp_path))
    root, model = stage.model()

    outcome = harness.run(stage.scenario.act, root, mutant=mutant)

    assert power.volatile_at_acks(model, outcome, rests_on=verb_scenarios.rests_on)
    assert next(cuts(compact_scenarios.LEAVING, stage, mutant), None) is not None
