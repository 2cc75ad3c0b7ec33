"""P1, P2, P3, P11: a verb that is killed at any file operation leaves old or new, never half; the work is always told,
the next verb mends the rest, and the next run of compaction ends where an undisturbed one does."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agentws.workspace import Environment, Workspace
from tests.crash import compact_scenarios, harness, points, scenarios, verb_scenarios
from tests.crash.harness import BEFORE, HALF, INTERRUPT, Kill
from tests.crash.scenarios import Ack
from tests.crash.verb_scenarios import Stage, Verb
from tests.thorough import THOROUGH, some


def kills(stage: Stage, most: int) -> list[Kill]:
    """Return the points at which the verb is killed, `most` of them in the quick form; more of a run of compaction."""
    every = points.kills(stage.whole.changing)
    if stage.verb not in compact_scenarios.ALL:
        return some(every, most)
    return every if THOROUGH else every[:: 30 if stage.verb in compact_scenarios.USUAL else 90]


def check(stage: Stage, root: str, outcome: harness.Outcome, point: Kill) -> None:
    """Check what is promised; what is broken is said with the operation that broke it."""
    with points.named(f"{point} ({stage.whole.changing[point.at]})"):
        stage.check(root, outcome.acks)


@pytest.mark.parametrize(
    ("verb", "moved"),
    [
        *(pytest.param(verb, False, id=verb.name) for verb in (*verb_scenarios.ALL, *compact_scenarios.ALL)),
        *(pytest.param(verb, True, id=f"{verb.name} in a copy of the workspace") for verb in verb_scenarios.ALL),
    ],
)
def test_a_killed_verb_leaves_old_or_new_and_the_next_one_tells_it(verb: Verb, moved: bool, tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path), moved=moved)
    assert not verb.kind or verb.kind in verb_scenarios.kinds(stage.root)

    for point in kills(stage, 3 if moved else 6):
        root = stage.fresh()
        outcome = harness.run(stage.scenario.act, root, point)

        assert outcome.killed, point
        check(stage, root, outcome, point)


@pytest.mark.parametrize("verb", compact_scenarios.ALL, ids=lambda verb: verb.name)
def test_a_run_that_is_interrupted_puts_back_what_it_began(verb: Verb, tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path))
    before, after = verb_scenarios.notes(stage.before), verb_scenarios.notes(stage.after)

    for at in range(0, len(stage.whole.changing), 1 if THOROUGH else 130):
        root = stage.fresh()
        point = Kill(at, INTERRUPT)
        outcome = harness.run(stage.scenario.act, root, point)

        assert outcome.error is not None, point
        assert outcome.error[0] == "KeyboardInterrupt", f"{point}: {outcome.error[3]}"
        assert verb_scenarios.notes(harness.documents(root)) in (before, after), f"{point} left it half done"
        check(stage, root, outcome, point)


def test_a_boot_that_is_killed_while_it_tells_a_derived_handoff_loses_nothing_of_it(tmp_path: Path) -> None:
    stage = Stage(verb_scenarios.HANDOFFS[0], str(tmp_path))
    whole = harness.run(boot, fresh(stage))
    (said,) = whole.acks
    assert verb_scenarios.PLAN in said
    assert "Recovered handoff" in said
    assert whole.changing, "boot remembers what it told"

    for at, name in enumerate(whole.changing):
        root = fresh(stage)
        before = harness.documents(root)
        assert harness.run(boot, root, Kill(at, HALF if "write" in name else BEFORE)).killed
        again, once_more = harness.run(boot, root), harness.run(boot, root)

        assert again.error is None, again.error[3]
        assert again.acks == once_more.acks == [said], name
        assert harness.documents(root) == before


def test_a_boot_that_is_killed_right_after_it_has_told_one_is_told_the_same_again(tmp_path: Path) -> None:
    stage = Stage(verb_scenarios.HANDOFFS[0], str(tmp_path))
    root = fresh(stage)

    def told_and_gone(root: str, ack: Ack) -> None:
        boot(root, ack)
        os._exit(harness._KILLED)

    outcomes = [harness.run(act, root) for _ in range(2) for act in (told_and_gone, boot)]

    assert [outcome.killed for outcome in outcomes] == [True, False, True, False]
    (said,) = {text for outcome in outcomes for text in outcome.acks}
    assert sum(len(outcome.acks) for outcome in outcomes) == 4
    assert verb_scenarios.PLAN in said


def fresh(stage: Stage) -> str:
    """A new copy, of which no boot has told anything yet."""
    root = stage.fresh()
    shutil.rmtree(f"{root}.cache", ignore_errors=True)
    return root


def boot(root: str, ack: Ack) -> None:
    """What a boot says that remembers."""
    here = Environment(now=scenarios.NOW, timezone="UTC", cache=f"{root}.cache")
    ack(Workspace.open(root, environment=here).boot().text)
