"""P4, P11: a disk that refuses a verb is an error of ours, never a success, and costs nothing that was there; what
could be kept is told by the next verb, and the next run of compaction ends where an undisturbed one does."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from agentws.core.stores import marks
from tests.crash import compact_scenarios, harness, points, power, scenarios, verb_scenarios
from tests.crash.harness import Fail
from tests.crash.verb_scenarios import Stage, Verb
from tests.thorough import THOROUGH, some

_LOOKING = ("open", "read", "pread", "stat", "fstat", "scandir", "listdir", "flock")
USUAL_POINTS = 6


def refusals(stage: Stage) -> list[Fail]:
    """Return the failures that are tried; fewer of a run of compaction, which has a thousand operations alike."""
    found = points.refusals(stage.whole.every, stage.verb.name, _LOOKING)
    if not THOROUGH:
        changing = [point for point in found if stage.whole.every[point.at] not in _LOOKING]
        found = [*some(changing, USUAL_POINTS), *some(found, USUAL_POINTS // 2)]
    if stage.verb in compact_scenarios.ALL:
        return found[:: 2 if stage.verb in compact_scenarios.USUAL else 5]
    return found


@pytest.mark.parametrize("verb", [*verb_scenarios.ALL, *compact_scenarios.ALL], ids=lambda verb: verb.name)
def test_a_failing_disk_is_an_error_and_leaves_old_or_new(verb: Verb, tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path))

    for point in refusals(stage):
        root, model = stage.model()
        outcome = harness.run(stage.scenario.act, root, point)

        where = f"{point} {errno.errorcode[point.errno]} at {stage.whole.every[point.at]}"
        if outcome.error is None:
            assert outcome.acks, where
            assert power.volatile_at_acks(model, outcome, rests_on=verb_scenarios.rests_on) == [], where
        else:
            assert not outcome.acks, where
            assert outcome.error[1], f"{where}: not an error of ours:\n{outcome.error[3]}"
            assert outcome.error[2] not in (0, 14), f"{where}: no damage was done:\n{outcome.error[3]}"
        with points.named(where, outcome):
            stage.check(root, outcome.acks)


def test_a_disk_that_is_full_for_good_leaves_everything_as_it_was(tmp_path: Path) -> None:
    stage = Stage(compact_scenarios.FIRST, str(tmp_path))
    root = stage.fresh()
    # From the first write of the transaction on, so that what is noted of the failure fails too.
    full = Fail(stage.whole.every.index("write"), errno.ENOSPC, sticky=True)

    assert all(harness.run(stage.scenario.act, root, full).error is not None for _ in range(2))

    assert verb_scenarios.notes(harness.documents(root)) == verb_scenarios.notes(stage.before)
    stage.check(root, [])


def test_each_failure_of_a_run_is_counted_once_the_disk_takes_it(tmp_path: Path) -> None:
    stage = Stage(compact_scenarios.FIRST, str(tmp_path))
    root = stage.fresh()
    at = next(number for number, kind in enumerate(stage.whole.every) if kind == "rename")

    for _ in range(2):
        assert harness.run(stage.scenario.act, root, Fail(at, errno.EIO)).error is not None

    workspace = scenarios.opened(root)
    assert len(marks.failures(workspace.stores.files, marks.COMPACTION)) == 2
    assert not next(check for check in workspace.status().checks if check.name == "compaction").ok
