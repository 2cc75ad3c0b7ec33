"""P2, P4, P24: a workflow that is killed, cut or refused at any file operation makes each effect once.

What it returned is recorded, and what nobody knows is asked about.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentws.features.workflow import flow
from agentws.features.workflow.plan import state
from agentws.workspace import Workspace
from tests.crash import harness, points, power, scenarios
from tests.crash.harness import BEFORE, Kill
from tests.crash.scenarios import Ack, Scenario, Stage
from tests.thorough import THOROUGH, some

STEPS = 3
NAME = "loan-7"


def _steps(root: str, ack: Ack) -> None:
    """A workflow whose effects are what it says of them, at once and for good; then what each step returned."""
    with scenarios.opened(root).workflow(NAME) as flow:
        for number in range(STEPS):
            told = flow.step("pay", _pays(ack, number), key=number)
            assert told == number * 7, told
            ack(("returned", number))
    ack(("paused", len(flow.waits)))


def _pays(ack: Ack, number: int) -> Callable[[], int]:
    def pay() -> int:
        ack(("effect", number))
        return number * 7

    return pay


def _after_one(root: str) -> None:
    """A workspace in which the first step was made by an earlier run."""
    scenarios._lived(root)
    with scenarios.opened(root).workflow(NAME) as flow:
        flow.step("pay", lambda: 0, key=0)


STORY = Scenario("workflow", scenarios._lived, _steps, _steps, signs_in=True)
LATER = Scenario("a later run", _after_one, _steps, _steps, signs_in=True)
BOTH = pytest.mark.parametrize("scenario", [STORY, LATER], ids=lambda scenario: scenario.name)


def check(root: str, acks: list[Any], first: int) -> None:
    """After whatever happened: resumed until its end, with a person who looks, each effect was made once.

    Those below `first` were made before.
    """
    made = Counter(number for what, number in acks if what == "effect")
    returned = {number for what, number in acks if what == "returned"}
    for _ in range(STEPS + 2):
        outcome = harness.run(_steps, root)
        assert outcome.error is None, f"what came after failed:\n{outcome.error[3]}"
        again = Counter(number for what, number in outcome.acks if what == "effect")
        assert not returned & again.keys(), f"returned, and made again: {again}"
        made += again
        if outcome.acks[-1:] == [("paused", 0)]:
            break
        _answer(scenarios.opened(root), made)
    else:
        raise AssertionError("it never came to its end")
    assert made == Counter(range(first, STEPS)), f"made twice, or lost: {made}"
    assert scenarios.opened(root).journal.verify().sound


def _answer(workspace: Workspace, made: Counter[int]) -> None:
    """A person says what became of each step that nobody knows of."""
    unknown = [step for step in workspace.workflow.show(NAME).flow.steps.values() if step.status == state.OPEN]
    assert unknown, "it pauses for what nobody knows"
    for step in unknown:
        said: dict[str, Any] = {"result": int(step.key) * 7} if made[int(step.key)] else {"not_done": True}
        workspace.workflow.resolve(NAME, "pay", key=step.key, **said)


def checking(stage: Stage) -> Callable[[str, list[Any]], None]:
    """Return the check of what this scenario leaves."""
    return lambda root, acks: check(root, acks, first=int(stage.scenario is LATER))


@BOTH
def test_killed_at_any_file_operation(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))

    points.killed(stage, _steps, some(points.kills(stage.whole.changing), 16), checking(stage))


@BOTH
def test_refused_by_the_disk_at_any_file_operation(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))
    every = points.refusals(stage.whole.every, scenario.name)
    for point in some(every, 10):
        root = stage.fresh()
        outcome = harness.run(_steps, root, point)
        where = (point, errno.errorcode[point.errno], stage.whole.every[point.at])
        assert outcome.error is None or outcome.error[1], f"{where}: no error of ours:\n{outcome.error}"
        with points.named(where):
            checking(stage)(root, outcome.acks)


@BOTH
def test_cut_from_the_power_at_any_moment(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))
    root, model = stage.model()
    outcome = harness.run(_steps, root)

    def judge(root: str, acks: list[Any]) -> None:
        scenarios.rebind(root)
        checking(stage)(root, [*acks])

    for problem in power.wrongs(model, outcome, 1 if THOROUGH else 19, stage.place, judge):
        pytest.fail(problem)


def test_an_effect_rests_on_nothing_that_is_volatile(tmp_path: Path) -> None:
    """Neither the beginning of a step once it is made, nor its result once it was returned."""
    stage = Stage(STORY, str(tmp_path))
    root, model = stage.model()
    outcome = harness.run(_steps, root)

    def rests_on(_: Any, place: str) -> bool:
        return place.startswith("journal/") and not scenarios.is_hint(place)

    assert power.volatile_at_acks(model, outcome, rests_on=rests_on) == []


@pytest.mark.parametrize("mutant", ["unknown runs again", "begins afterwards"])
def test_the_checks_notice_what_is_broken(mutant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(STORY, str(tmp_path))
    if mutant == "unknown runs again":
        before = flow.before
        monkeypatch.setattr(
            flow, "before", lambda own, step, policy: before(own, step, policy) if step.done else flow.RUN
        )
    else:
        monkeypatch.setattr(flow, "begin", lambda own, step, policy: "")
    with pytest.raises(AssertionError, match=r"made again|made twice|it never came"):
        _killed_everywhere(stage)


def _killed_everywhere(stage: Stage) -> None:
    for at in range(len(stage.whole.changing)):
        root = stage.fresh()
        checking(stage)(root, harness.run(_steps, root, Kill(at, BEFORE)).acks)
