"""P4: an error is never an acknowledgement, and the next append finds a journal that ends where a line does."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.crash import harness, journal_scenarios, points, power, scenarios
from tests.crash.harness import Fail
from tests.crash.journal_scenarios import Scenario, Stage
from tests.crash.test_journal_power import rests_on
from tests.thorough import some

SYNC_ERRORS = (errno.EIO, errno.ENOSPC, errno.EDQUOT)


def _without_key(ack: object, place: str) -> bool:
    """No event rests on a key that could not be made durable: nothing was signed, and the first seal makes it anew."""
    return rests_on(ack, place) and not place.endswith(("/key", "/key.pub"))


@pytest.mark.parametrize("scenario", journal_scenarios.ALL, ids=lambda scenario: scenario.name)
def test_a_failing_disk_is_an_error_of_ours_and_costs_no_event(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))

    for point in some(points.refusals(stage.whole.every, scenario.name)):
        root, model = stage.model()
        outcome = harness.run(scenario.act, root, point)

        where = f"{point} {errno.errorcode[point.errno]} at {stage.whole.every[point.at]}"
        if outcome.error is None:
            assert outcome.acks == stage.whole.acks, where
        else:
            assert outcome.error[1], f"{where}: not an error of ours:\n{outcome.error[3]}"
            assert outcome.error[2] not in (0, 14), f"{where}: no damage was done:\n{outcome.error[3]}"
        assert power.volatile_at_acks(model, outcome, rests_on=_without_key) == [], where
        with points.named(where, outcome):
            journal_scenarios.check(stage, root, outcome.acks)


def failed_sync(stage: Stage, root: str, code: int, *, sticky: bool = False) -> harness.Outcome:
    at = stage.whole.every.index("fdatasync")
    outcome = harness.run(stage.scenario.act, root, Fail(at, code, sticky=sticky))
    assert outcome.error is not None
    assert outcome.error[:2] == ("DiskError", True), outcome.error[3]
    return outcome


@pytest.mark.parametrize("code", SYNC_ERRORS, ids=errno.errorcode.get)
def test_after_a_failed_sync_the_journal_goes_on_in_a_new_segment_and_never_asks_the_old_file_again(
    code: int, tmp_path: Path
) -> None:
    stage = Stage(journal_scenarios.ONE, str(tmp_path))
    root, model = stage.model()
    failed = journal_scenarios.newest(root)
    inode = os.stat(failed).st_ino

    first = failed_sync(stage, root, code)
    second = harness.run(journal_scenarios.append_another, root)

    assert not first.acks
    assert second.error is None, second.error[3]
    assert second.acks == [journal_scenarios.ANOTHER]
    assert journal_scenarios.newest(root) != failed
    events = second.events
    assert ("fsync", inode) not in events, "a second sync of the file would lie"
    assert ("advise", inode) in events, "what is in memory is not what is on disk"
    for event in first.events:
        model.apply(event)
    assert power.volatile_at_acks(model, second, rests_on=rests_on) == []
    journal_scenarios.check(stage, root, second.acks)


def test_what_the_disk_has_lost_in_a_failed_sync_is_found_and_the_rest_goes_on(tmp_path: Path) -> None:
    stage = Stage(journal_scenarios.ONE, str(tmp_path))
    root = stage.fresh()
    before = os.path.getsize(journal_scenarios.newest(root))
    failed_sync(stage, root, errno.EIO)
    path = journal_scenarios.newest(root)
    lost = os.path.getsize(path) - before
    with open(path, "r+b") as file:  # what the system has really written, once it forgets its memory
        file.seek(before)
        file.write(bytes(lost))

    found = journal_scenarios.check(stage, root, [])

    assert "one" not in found


def test_a_failed_sync_is_marked_durably_before_the_error_is_told(tmp_path: Path) -> None:
    stage = Stage(journal_scenarios.ONE, str(tmp_path))
    root, model = stage.model()
    _, writer = journal_scenarios.files_of(root)

    def act(root: str, ack: scenarios.Ack) -> None:
        try:
            stage.scenario.act(root, ack)
        finally:
            ack("told")

    outcome = harness.run(act, root, Fail(stage.whole.every.index("fdatasync"), errno.EIO))

    assert outcome.acks == ["told"]
    mark = f".agentws/{writer}.poison"
    assert os.path.exists(f"{root}/{mark}")
    left = power.volatile_at_acks(model, outcome)
    assert not [what for what in left if what.startswith(mark)], left


def test_what_another_process_writes_while_a_sync_fails_is_not_acknowledged(tmp_path: Path) -> None:
    stage = Stage(journal_scenarios.ONE, str(tmp_path))
    root = stage.fresh()

    def act(root: str, ack: scenarios.Ack) -> None:
        """Its own sync succeeds, but between its write and that another process's has failed."""
        from agentws.core.disk import files

        real = files.sync_data

        def meanwhile(fd: int) -> None:
            real(fd)
            files.sync_data = real
            mark = f"{root}/.agentws/{journal_scenarios.files_of(root)[1]}.poison"
            with open(mark, "w", encoding="utf-8") as file:
                file.write("{}\n")

        files.sync_data = meanwhile
        journal_scenarios._append_one(root, ack)

    outcome = harness.run(act, root)

    assert outcome.error is not None
    assert outcome.error[0] == "DiskError", outcome.error[3]
    assert not outcome.acks
    journal_scenarios.check(stage, root, [])


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT], ids=errno.errorcode.get)
def test_a_line_that_does_not_fit_is_taken_back_at_once(code: int, tmp_path: Path) -> None:
    stage = Stage(journal_scenarios.SEVERAL, str(tmp_path))
    root = stage.fresh()
    path = journal_scenarios.newest(root)
    before = harness.contents(path)

    outcome = harness.run(stage.scenario.act, root, Fail(stage.whole.every.index("write"), code, short=True))

    assert outcome.error is not None
    assert outcome.error[0] == "DiskError", outcome.error[3]
    assert harness.contents(path) == before


def test_a_failed_sync_that_could_not_be_marked_is_remembered_by_the_process(tmp_path: Path) -> None:
    stage = Stage(journal_scenarios.ONE, str(tmp_path))
    root = stage.fresh()
    failed = journal_scenarios.newest(root)

    def act(root: str, ack: scenarios.Ack) -> None:
        from agentws.core.disk import files
        from agentws.core.journal import sync_failure as _poison
        from agentws.errors import DiskError

        def fail(fd: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        workspace = scenarios.opened(root)
        workspace.stores.appender()
        sync, poison = files.sync_data, _poison.mark
        files.sync_data, _poison.mark = fail, lambda *_: False  # nor can the mark be made
        for _ in range(2):
            with pytest.raises(DiskError):
                journal_scenarios.add(workspace, ack, "lost")
        files.sync_data, _poison.mark = sync, poison
        journal_scenarios.add(workspace, ack, "one")

    outcome = harness.run(act, root)

    assert outcome.error is None, outcome.error[3]
    assert outcome.acks == ["one"]
    assert journal_scenarios.newest(root) != failed


def test_on_a_full_disk_the_hint_becomes_the_mark(tmp_path: Path) -> None:
    stage = Stage(journal_scenarios.ONE, str(tmp_path))
    root = stage.fresh()
    _, writer = journal_scenarios.files_of(root)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def act(root: str, ack: scenarios.Ack) -> None:
        from agentws.core.disk import files

        workspace = scenarios.opened(root)
        workspace.stores.appender()
        opens = files.Files.open

        def opened(self: files.Files, path: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
            if path.endswith(".poison"):
                full()
            return opens(self, path, flags, mode)

        with harness.patched(files, "sync_data", full), harness.patched(files.Files, "open", opened):
            journal_scenarios.add(workspace, ack, "one")

    outcome = harness.run(act, root)

    assert outcome.error is not None
    assert outcome.error[0] == "DiskError", outcome.error[3]
    assert os.path.exists(f"{root}/.agentws/{writer}.poison")
    journal_scenarios.check(stage, root, [])
