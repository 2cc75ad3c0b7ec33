"""The harness itself: a journal that is broken in one of four ways is caught by the checks that pass without it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk import files
from agentws.core.formats.journal import segment
from agentws.core.journal import recovery
from tests.crash import harness, journal_scenarios, power
from tests.crash.harness import TORN, Kill
from tests.crash.journal_scenarios import Scenario, Stage
from tests.crash.test_journal_power import cuts, rests_on
from tests.crash.test_mutants import no_folder_sync, no_sync


def no_repair() -> None:
    recovery._taken_out = lambda *_: ""  # type: ignore[assignment]


def write_in_place() -> None:
    def mend(store: files.Files, end: Any, size: int, hint: Any, reason: str) -> str:
        path = f"{store.root}/{segment.path(end.writer, end.segment)}"
        good = harness.contents(path)[: end.offset]
        fd = os.open(path, os.O_RDWR | os.O_TRUNC)
        files.write_all(fd, good)
        files.sync(fd)
        os.close(fd)
        return ""

    recovery._taken_out = mend


@pytest.mark.parametrize("scenario", [journal_scenarios.ONE, journal_scenarios.ROTATE], ids=lambda s: s.name)
def test_a_journal_that_does_not_sync_is_caught_at_the_acknowledgement(scenario: Scenario, tmp_path: Path) -> None:
    assert volatile(scenario, no_sync, tmp_path)


@pytest.mark.parametrize("scenario", [journal_scenarios.FIRST, journal_scenarios.ROTATE], ids=lambda s: s.name)
def test_a_journal_that_does_not_sync_folders_is_caught_at_the_acknowledgement(
    scenario: Scenario, tmp_path: Path
) -> None:
    assert volatile(scenario, no_folder_sync, tmp_path)


@pytest.mark.parametrize("mutant", [no_sync, no_folder_sync])
def test_a_journal_that_does_not_sync_is_caught_by_a_power_cut(mutant: Callable[[], None], tmp_path: Path) -> None:
    stage = Stage(journal_scenarios.ROTATE, str(tmp_path))

    assert next(cuts(stage, mutant=mutant), None) is not None
    assert next(cuts(stage), None) is None


@pytest.mark.parametrize("scenario", [journal_scenarios.ONE, journal_scenarios.HOLED], ids=lambda s: s.name)
def test_a_journal_that_leaves_torn_tails_is_caught_by_a_kill(scenario: Scenario, tmp_path: Path) -> None:
    assert killed(scenario, no_repair, tmp_path)


def test_a_journal_that_is_written_in_place_is_caught_by_a_kill(tmp_path: Path) -> None:
    assert killed(journal_scenarios.TORN, write_in_place, tmp_path)


def volatile(scenario: Scenario, mutant: Callable[[], None], tmp_path: Path) -> list[str]:
    """What the model finds volatile at the acknowledgements of a mutant."""
    stage = Stage(scenario, str(tmp_path))
    root, model = stage.model()
    outcome = harness.run(scenario.act, root, mutant=mutant)
    assert outcome.error is None, outcome.error[3]
    return power.volatile_at_acks(model, outcome, rests_on=rests_on)


def killed(scenario: Scenario, mutant: Callable[[], None], tmp_path: Path) -> list[str]:
    """What the checks find where a mutant is killed in the middle of each of its writes."""
    stage = Stage(scenario, str(tmp_path))
    changing = harness.run(scenario.act, stage.fresh(), mutant=mutant).changing
    found = []
    for at in [at for at, name in enumerate(changing) if name == "write"]:
        for how in TORN:
            root = stage.fresh()
            outcome = harness.run(scenario.act, root, Kill(at, how, journal_scenarios.following), mutant=mutant)
            try:
                journal_scenarios.check(stage, root, outcome.acks, mutant=mutant)
            except AssertionError as error:
                found.append(str(error))
    return found
