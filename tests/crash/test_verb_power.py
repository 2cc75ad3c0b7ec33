"""P1, P2, P11: what a verb has acknowledged is durable, and a power cut at any moment leaves old or new.

By the model of the harness. Real power cuts: test_verb_power_cuts.py, test_compact_power_cuts.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crash import compact_scenarios, harness, power, verb_scenarios
from tests.crash.harness import Kill
from tests.crash.test_mutants import no_folder_sync, no_sync
from tests.crash.verb_scenarios import Stage, Verb
from tests.thorough import THOROUGH

EVERY = 1 if THOROUGH else 23
OF_USUAL_RUNS, OF_RUNS = (1, 3) if THOROUGH else (60, 180)
"""A run of compaction has hundreds of operations; of those that matter most more cuts are tried each time."""
VERBS = [*verb_scenarios.ALL, *compact_scenarios.ALL]


def cuts(stage: Stage, mutant: Callable[[], None] | None = None) -> Iterator[str]:
    """Cut the power after every so many operations, in each way in turn, in all of them at the acknowledgement."""
    every = OF_USUAL_RUNS if stage.verb in compact_scenarios.USUAL else OF_RUNS
    every = every if stage.verb in compact_scenarios.ALL else EVERY
    root, model = stage.model()
    outcome = harness.run(stage.scenario.act, root, mutant=mutant)
    yield from power.wrongs(
        model, outcome, every, stage.place, lambda root, acks: stage.check(root, acks, rebound=True)
    )


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_nothing_that_an_acknowledgement_rests_on_is_volatile(verb: Verb, tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path))
    root, model = stage.model()

    outcome = harness.run(stage.scenario.act, root)

    assert outcome.acks, outcome.error
    assert power.volatile_at_acks(model, outcome, rests_on=verb_scenarios.rests_on) == []


@pytest.mark.parametrize("verb", verb_scenarios.ALL, ids=lambda verb: verb.name)
def test_an_acknowledgement_rests_on_nothing_that_a_killed_process_left_volatile(verb: Verb, tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path))

    for at in range(0, len(stage.whole.changing), EVERY):
        root, model = stage.model()
        for event in harness.run(stage.scenario.act, root, Kill(at)).events:
            model.apply(event)
        outcome = harness.run(verb_scenarios.another, root)

        assert outcome.error is None, outcome.error[3]
        left = power.volatile_at_acks(model, outcome, rests_on=after_a_kill)
        assert left == [], (at, stage.whole.changing[at])


_CHECKING = re.compile(r"\.agentws/state/(?:[^/]+/)*\.making-[0-9a-f]{16}(?:/signers|/signature)?")


def after_a_kill(ack: Any, place: str) -> bool:
    """Not on what the killed one was about to remember of its seal: the seal before it says the same of the rest. Nor
    on a line or a checkpoint that it never acknowledged, made or removed: what adds a task reads neither, and the next
    line makes both durable. Nor on
    the folder in which a signature was being checked, and the two files there: a later seal takes it away. A key that
    was being made in such a folder is none of these.
    """
    is_left = (
        place.endswith("/sealed")
        or place.startswith(("memory/", "checkpoints/"))
        or _CHECKING.fullmatch(place) is not None
    )
    return verb_scenarios.rests_on(ack, place) and not is_left


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_power_cut_at_any_moment_leaves_old_or_new_and_all_that_was_acknowledged(verb: Verb, tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path))

    for problem in cuts(stage):
        pytest.fail(problem)


@pytest.mark.parametrize("mutant", [no_sync, no_folder_sync])
@pytest.mark.parametrize("verb", [*verb_scenarios.USUAL, compact_scenarios.LEAVING], ids=lambda verb: verb.name)
def test_code_that_does_not_sync_is_caught(verb: Verb, mutant: Callable[[], None], tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path))
    root, model = stage.model()

    outcome = harness.run(stage.scenario.act, root, mutant=mutant)

    assert power.volatile_at_acks(model, outcome, rests_on=verb_scenarios.rests_on)
    assert next(cuts(stage, mutant), None) is not None
