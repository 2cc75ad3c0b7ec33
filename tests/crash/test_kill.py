"""P1, P2, P3: a process that is killed at any file operation leaves old or new, and the next one mends it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.crash import harness, points, scenarios
from tests.crash.scenarios import Scenario, Stage
from tests.thorough import some


@pytest.mark.parametrize("scenario", scenarios.ALL, ids=lambda scenario: scenario.name)
def test_a_killed_operation_leaves_old_or_new_and_the_next_one_mends_it(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))

    kills = some(points.kills(stage.whole.changing))
    points.killed(stage, scenario.act, kills, lambda root, acks: scenarios.check(stage, root, acks))


@pytest.mark.parametrize("scenario", [scenarios.INIT_GIT, scenarios.USE_GIT], ids=lambda scenario: scenario.name)
def test_with_git_a_killed_operation_is_mended_too(scenario: Scenario, tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("NOT TESTED: kills with git; there is no git here")
    stage = Stage(scenario, str(tmp_path))

    # git itself runs in processes of its own, which tests/core/states/test_plumbing.py kills.
    for point in some(points.kills(stage.whole.changing)):
        root = stage.fresh()
        if not harness.run(scenario.act, root, point).killed:
            continue  # with git the number of operations is not always the same

        outcome = harness.run(scenario.again, root)

        assert outcome.error is None, f"{point}: {outcome.error[3]}"
        # A repository that was being made is left behind under its scratch name, beside the whole one.
        found = harness.documents(root).items()
        assert dict(found) == stage.after, point
        assert scenarios.opened(root).boot().text
