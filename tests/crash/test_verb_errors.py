"""P4: a disk that refuses a handoff or a task verb is an error of ours, never a success, and costs nothing that was
there; what could be kept is told by the next verb."""

from __future__ import annotations

import errno
import zlib
from pathlib import Path

import pytest

from tests.crash import harness, power, verb_scenarios
from tests.crash.harness import ERRNOS, Fail
from tests.crash.verb_scenarios import Stage, Verb
from tests.thorough import THOROUGH, some

_LOOKING = ("open", "read", "pread", "stat", "fstat", "scandir", "listdir", "flock")
USUAL_POINTS = 6


def points(stage: Stage) -> list[Fail]:
    """Each operation fails; those that change something with every errno that they can have, once and from then on."""
    found: list[Fail] = []
    for at, kind in enumerate(stage.whole.every):
        ways = [
            Fail(at, code, sticky=sticky) for code, kinds in ERRNOS.items() if kind in kinds for sticky in (False, True)
        ]
        if kind in ("write", "pwrite"):
            codes = (errno.ENOSPC, errno.EDQUOT)
            ways += [Fail(at, code, sticky=sticky, short=True) for code in codes for sticky in (False, True)]
        if ways and (kind in _LOOKING or not THOROUGH):
            # Which one is decided by the place alone, so that a failure can be met again.
            ways = [ways[zlib.crc32(f"{stage.verb.name} {at}".encode()) % len(ways)]]
        found += ways
    if THOROUGH:
        return found
    changing = [point for point in found if stage.whole.every[point.at] not in _LOOKING]
    return [*some(changing, USUAL_POINTS), *some(found, USUAL_POINTS // 2)]


@pytest.mark.parametrize("verb", verb_scenarios.ALL, ids=lambda verb: verb.name)
def test_a_failing_disk_is_an_error_and_leaves_old_or_new(verb: Verb, tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path))

    for point in points(stage):
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
        try:
            stage.check(root, outcome.acks)
        except AssertionError as error:
            raise AssertionError(f"{where}: {error}\n{outcome.error and outcome.error[3]}") from error
