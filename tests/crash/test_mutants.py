"""The harness itself: code that is broken in one of four ways must be caught by the checks that pass without it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.changes import ABSENT
from agentws.core.disk import daily_log, files
from tests.crash import harness, power, scenarios
from tests.crash.harness import HALF, Kill
from tests.crash.scenarios import Scenario, Stage


def no_sync() -> None:
    files.sync = files.sync_data = lambda fd: None


def no_folder_sync() -> None:
    real = files.sync
    files.sync = lambda fd: None if stat.S_ISDIR(os.fstat(fd).st_mode) else real(fd)


def no_repair() -> None:
    daily_log.repair = lambda files, intent: None


def write_in_place() -> None:
    def replace(
        self: files.Files, folder: int, name: str, path: str, data: bytes, expects: str, later: object
    ) -> str | None:
        self._expect(path, expects)
        flags = os.O_WRONLY | os.O_CREAT | (os.O_EXCL if expects == ABSENT else os.O_TRUNC)
        fd = os.open(name, flags, 0o666, dir_fd=folder)
        files.write_all(fd, data)
        files.sync(fd)
        os.close(fd)
        files.sync(folder)
        return None

    files.Files._replace = replace  # type: ignore[method-assign]


@pytest.mark.parametrize("mutant", [no_sync, no_folder_sync])
@pytest.mark.parametrize(
    "scenario", [scenarios.LOG_NEW, scenarios.USE_CONTEXT, scenarios.INIT_EMPTY], ids=lambda s: s.name
)
def test_code_that_does_not_sync_is_caught_at_the_acknowledgement(
    scenario: Scenario, mutant: Callable[[], None], tmp_path: Path
) -> None:
    stage = Stage(scenario, str(tmp_path))
    root, model = stage.model()

    outcome = harness.run(scenario.act, root, mutant=mutant)

    assert outcome.error is None
    assert power.volatile_at_acks(model, outcome)


@pytest.mark.parametrize("mutant", [no_sync, no_folder_sync])
def test_code_that_does_not_sync_is_caught_by_a_power_cut(mutant: Callable[[], None], tmp_path: Path) -> None:
    stage = Stage(scenarios.LOG_NEW, str(tmp_path))

    assert next(power.cuts(stage, mutant=mutant), None) is not None
    assert next(power.cuts(stage), None) is None


def test_code_that_leaves_torn_tails_is_caught_by_a_kill(tmp_path: Path) -> None:
    assert killed(scenarios.LOG_OURS, no_repair, tmp_path)


def test_code_that_writes_in_place_is_caught_by_a_kill(tmp_path: Path) -> None:
    assert killed(scenarios.USE_CONTEXT, write_in_place, tmp_path)


def killed(scenario: Scenario, mutant: Callable[[], None], tmp_path: Path) -> list[str]:
    """What the checks find where a mutant is killed in the middle of each of its writes."""
    stage = Stage(scenario, str(tmp_path))
    changing = harness.run(scenario.act, stage.fresh(), mutant=mutant).changing
    found = []
    for at in [at for at, name in enumerate(changing) if name == "write"]:
        root = stage.fresh()
        outcome = harness.run(scenario.act, root, Kill(at, HALF), mutant=mutant)
        try:
            scenarios.check(stage, root, outcome.acks, mutant=mutant)
        except AssertionError as error:
            found.append(str(error))
    return found
