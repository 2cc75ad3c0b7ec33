"""P2, P3, P11: a run of compaction that is killed or interrupted at any file operation, and one that is taken back so,
leaves old or new; every line of the logs is there once, and a rerun ends where an undisturbed run does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash import compact_scenarios, harness, verb_scenarios
from tests.crash.harness import AFTER, BEFORE, HALF, INTERRUPT, ZEROS, Kill
from tests.crash.verb_scenarios import Stage, Verb
from tests.thorough import THOROUGH


def points(stage: Stage) -> list[Kill]:
    """Every way to be killed: before each operation, after the last one, and with each write torn."""
    changing = stage.whole.changing
    torn = [Kill(at, how) for at, name in enumerate(changing) if "write" in name for how in (HALF, ZEROS)]
    found = [*(Kill(at, BEFORE) for at in range(len(changing))), Kill(len(changing) - 1, AFTER), *torn]
    if THOROUGH:
        return found
    return found[:: 20 if stage.verb in compact_scenarios.USUAL else 60]


@pytest.mark.parametrize("verb", compact_scenarios.ALL, ids=lambda verb: verb.name)
def test_a_killed_run_leaves_old_or_new_and_a_rerun_converges(verb: Verb, tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path))
    assert verb.kind in verb_scenarios.kinds(stage.root)

    for point in points(stage):
        root = stage.fresh()
        outcome = harness.run(stage.scenario.act, root, point)

        assert outcome.killed, point
        tell_where(stage, root, outcome, point)


@pytest.mark.parametrize("verb", compact_scenarios.ALL, ids=lambda verb: verb.name)
def test_a_run_that_is_interrupted_puts_back_what_it_began(verb: Verb, tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path))
    before, after = verb_scenarios.notes(stage.before), verb_scenarios.notes(stage.after)

    for at in range(0, len(stage.whole.changing), 1 if THOROUGH else 90):
        root = stage.fresh()
        point = Kill(at, INTERRUPT)
        outcome = harness.run(stage.scenario.act, root, point)

        assert outcome.error is not None, point
        assert outcome.error[0] == "KeyboardInterrupt", f"{point}: {outcome.error[3]}"
        assert verb_scenarios.notes(harness.documents(root)) in (before, after), f"{point} left it half done"
        tell_where(stage, root, outcome, point)


def tell_where(stage: Stage, root: str, outcome: harness.Outcome, point: Kill) -> None:
    """Check what is promised; what is broken is said with the operation that broke it."""
    try:
        stage.check(root, outcome.acks)
    except AssertionError as error:
        raise AssertionError(f"{point} ({stage.whole.changing[point.at]}): {error}") from error
