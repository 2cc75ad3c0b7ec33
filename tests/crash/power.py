"""What the model of a power cut says of a run: used by the tests of the code, and by those of the harness itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.crash import harness, scenarios
from tests.crash.harness import Model, Outcome
from tests.crash.scenarios import Stage
from tests.thorough import THOROUGH

WAYS = ("lost", "names", "data", "mixed")


def volatile_at_acks(
    model: Model, outcome: Outcome, *, rests_on: Callable[[Any, str], bool] = lambda ack, place: True
) -> list[str]:
    """What a power cut at the moment of an acknowledgement could take back, of what the acknowledgement rests on."""
    found = []
    for event in outcome.events:
        if event[0] == "ack":
            found += [what for what in model.volatile() if rests_on(event[1], what.rpartition(":")[0])]
        model.apply(event)
    return found


def cuts(stage: Stage, *, every: int = 1, mutant: Callable[[], None] | None = None) -> Iterator[str]:
    """Cut the power after every `every`-th operation, in each of the WAYS, and tell what is wrong afterwards."""
    root, model = stage.model()
    outcome = harness.run(stage.scenario.act, root, mutant=mutant)
    yield from wrongs(
        model, outcome, every, stage.place, lambda root, acks: scenarios.check(stage, root, acks, power_cut=True)
    )


def wrongs(
    model: Model,
    outcome: Outcome,
    every: int,
    place: Callable[[], str],
    check: Callable[[str, list[Any]], object],
) -> Iterator[str]:
    """Cut the power after every `every`-th operation of a run, and tell what `check` finds in each `place`."""
    assert outcome.error is None, outcome.error[3]
    acks: list[Any] = []
    for number, event in enumerate(outcome.events):
        if event[0] == "ack":
            acks.append(event[1])
        model.apply(event)
        if number % every and event[0] != "ack":
            continue
        # One way at a time, each in its turn; with all of them at the acknowledgements, which matter most.
        for way in WAYS if THOROUGH or event[0] == "ack" else (WAYS[number // every % 4],):
            root = place()
            model.cut(root, way, seed=number)
            try:
                check(root, acks)
            except AssertionError as error:
                yield f"cut after event {number} {event[:3]} ({way}): {error}"
