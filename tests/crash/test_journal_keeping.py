"""P1 to P4 for what keeps a journal: a seal that is told of is there and good, and what was to be forgotten is gone."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
from pathlib import Path

import pytest

from agentws.core.disk import files
from agentws.core.installation import keys
from agentws.core.journal.sealing import pack
from agentws.features.forget import purge as _purge
from agentws.features.journal import compaction as journal, seal as _seal
from tests.crash import harness, journal_reader, journal_scenarios, points, power, scenarios
from tests.crash.harness import Kill
from tests.crash.journal_scenarios import LARGE, Scenario, Stage, add
from tests.crash.scenarios import Ack
from tests.crash.test_journal_power import rests_on
from tests.thorough import THOROUGH, some

SECRET = "the words that are to go"
SECRETIVE = ["5", "6", "25"]
"""The events that hold them."""
COMPRESSED = "compressed"
SEALS = shutil.which("ssh-keygen") is not None


def _with_secrets(root: str, ack: Ack) -> None:
    """Words to forget in a closed segment, in a blob, and in the open segment."""
    journal_scenarios._some(root, ack)
    appender = scenarios.opened(root).stores.appender()
    for token, size in (("closed", 10), ("blob", LARGE - 1)):
        appender.append([journal_scenarios.entry(token, size, secret=SECRET)])
        ack(token)
    add(scenarios.opened(root), ack, *(f"large {number}" for number in range(17)), size=62_000)
    appender.append([journal_scenarios.entry("open", secret=SECRET)])
    ack("open")
    assert [str(one.seq) for one in journal_reader.events(root) if "secret" in one.body] == SECRETIVE
    assert len(segments(root)) == 2


def segments(root: str) -> list[str]:
    return [path for path in harness.tree(root) if path.startswith("journal/") and path.endswith(".jsonl")]


def _forget(root: str, ack: Ack) -> None:
    workspace = scenarios.opened(root)
    workspace.stores.environment.seals = False  # the seal that follows is a scenario of its own
    done = _purge.purge(workspace.stores, SECRETIVE, reason="it was a password")
    assert not [line for line in done.lines if line.waiting]
    for line in done.lines:
        if not line.already:
            ack(f"purged {line.seq}")


def _old(root: str, ack: Ack) -> None:
    """As before; and nothing in the first segments is referred to, so that all but the newest is compressed."""
    _with_secrets(root, ack)
    workspace = scenarios.opened(root)
    workspace.stores.appender().append([journal_scenarios.entry("end", kind="session.ended", session="s1")])
    ack("end")
    add(workspace, ack, *(f"later {number}" for number in range(17)), size=62_000)
    assert len(segments(root)) == 3


def _compress(root: str, ack: Ack) -> None:
    pack.NEWEST = 1
    done = journal.compact(scenarios.opened(root).stores, dry_run=False)
    ack(COMPRESSED)
    assert not done.compressed or len(done.compressed) <= 2


def _compressed(root: str, ack: Ack) -> None:
    _old(root, ack)
    assert harness.run(_compress, root).acks == [COMPRESSED]
    assert len(segments(root)) == 1


def _sign(root: str, ack: Ack) -> None:
    done = _seal.seal(scenarios.opened(root).stores)
    assert done.seq is not None, done.reason
    ack(f"seal {done.seq}")


def _signed(root: str, ack: Ack) -> None:
    journal_scenarios._some(root, ack)
    _sign(root, ack)
    add(scenarios.opened(root), ack, "c")


PURGE = Scenario("purge", _with_secrets, _forget, forgets=True)
FIRST_SEAL = Scenario("first seal", journal_scenarios._some, _sign, own=("identity/",))
LATER_SEAL = Scenario("later seal", _signed, _sign, own=("identity/",))
PACK = Scenario("compression", _old, _compress, own=("agentws.toml",), forgets=True)
PURGE_PACKED = Scenario("purge of compressed segments", _compressed, _forget, forgets=True)
ALL = [PURGE, PACK, PURGE_PACKED, *([FIRST_SEAL, LATER_SEAL] if SEALS else [])]


def test_seals_are_tested_here() -> None:
    if not SEALS:
        pytest.skip("NOT TESTED: crashes of seals; there is no ssh-keygen here")


def words(root: str) -> list[str]:
    """Where the words that were to go still stand, in whatever file."""
    return [
        path
        for path, data in harness.tree(root).items()
        if SECRET.encode() in (gzip.decompress(data) if path.endswith(".gz") else data)
    ]


def judge(stage: Stage, root: str, acks: list[str], *, rebound: bool = False) -> None:
    packed = [path for path in harness.tree(root) if path.endswith(".gz")]
    with open(f"{root}/agentws.toml", encoding="utf-8") as file:
        assert not packed or "journal.gz" in file.read(), "earlier versions do not know that they miss something"
    journal_scenarios.check(stage, root, [ack for ack in acks if ack != COMPRESSED], rebound=rebound)
    if stage.scenario is PACK:
        compressed_at_last(root, acks)
    elif stage.scenario in (PURGE, PURGE_PACKED):
        if any(ack.startswith("purged") for ack in acks):
            assert words(root) == [], "it was told that these words are gone"
        finish(stage, root)
    else:
        for one in journal_reader.events(root):
            if one.kind == "seal":
                assert_good(root, one)


def compressed_at_last(root: str, acks: list[str]) -> None:
    """What was told of is done; done again, the same segments stand compressed, and nothing is left beside them."""
    if COMPRESSED in acks:
        assert len(segments(root)) == 1
    lines = journal_reader.events(root)
    outcome = harness.run(_compress, root)
    assert outcome.error is None, outcome.error[3]
    assert len(segments(root)) == 1
    assert journal_reader.events(root) == lines
    left = (".agentws-old", ".agentws-new", ".edited-meanwhile-1")
    assert not [path for path in harness.tree(root) if path.endswith(left)]


def finish(stage: Stage, root: str) -> None:
    """Whoever does it again finishes it; each purged line has an event that says so, and no other line lost a word."""
    outcome = harness.run(_forget, root)
    assert outcome.error is None, outcome.error[3]
    assert words(root) == [], "done again, and these words are still there"
    lines = journal_reader.events(root)
    orders = {(one.body["seq"], one.body["digest"]) for one in lines if one.kind == "purged"}
    gone = {(one.seq, one.digest) for one in lines if "purged" in one.body}
    assert gone == orders, "a line without an event that says why, or an event without a line"
    assert len(gone) == 3


def assert_good(root: str, seal: journal_reader.Line) -> None:
    """The signature is one over what it names, by a key that `identity/allowed_signers` names."""
    hashes = journal_reader.hashes(root, seal.writer)
    message = f"agentws-seal-1 {journal_reader.agent_of(root)} {seal.writer} {seal.body['seq']} {seal.body['hash']}\n"
    assert hashes[seal.body["seq"] - 1] == seal.body["hash"]
    with open(f"{root}/identity/allowed_signers", encoding="utf-8") as file:
        allowed = [line.split() for line in file.read().splitlines() if line and not line.startswith("#")]
    public = [f"{line[-2]} {line[-1]}" for line in allowed] + [f"{line[-3]} {line[-2]}" for line in allowed]
    assert any(keys.verify(seal.body["signature"], message.encode(), public=key) for key in public)


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_what_is_killed_leaves_a_journal_that_goes_on_and_is_finished_later(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))

    points.killed(stage, scenario.act, some(stage.kills()), lambda root, acks: judge(stage, root, acks))


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_nothing_that_was_told_is_volatile(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))
    root, model = stage.model()

    outcome = harness.run(scenario.act, root)

    assert outcome.error is None
    assert power.volatile_at_acks(model, outcome, rests_on=rests_on) == []


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_a_power_cut_takes_nothing_that_was_told_and_brings_no_words_back(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))
    root, model = stage.model()
    outcome = harness.run(scenario.act, root)
    every = 1 if THOROUGH else 13

    for problem in power.wrongs(
        model, outcome, every, stage.place, lambda root, acks: judge(stage, root, acks, rebound=True)
    ):
        pytest.fail(problem)


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_a_failing_disk_is_an_error_of_ours_and_the_next_one_finishes_it(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))
    every = points.refusals(stage.whole.every, scenario.name)
    # Python's own tempfile, in which keys are made, calls itself without end where nothing may be removed any more.
    every = [point for point in every if scenario is PURGE or not (point.sticky and point.errno == errno.EACCES)]
    for point in every[::3] if THOROUGH else some(every):
        root = stage.fresh()
        outcome = harness.run(scenario.act, root, point)

        where = f"{point} {errno.errorcode[point.errno]} at {stage.whole.every[point.at]}"
        if outcome.error is not None:
            assert outcome.error[1], f"{where}: not an error of ours:\n{outcome.error[3]}"
            assert outcome.error[2] != 14, f"{where}: no damage was done:\n{outcome.error[3]}"
        with points.named(where, outcome):
            judge(stage, root, outcome.acks)


def test_a_purge_that_writes_in_place_is_caught_by_a_kill(tmp_path: Path) -> None:
    def mutant() -> None:
        def replace(
            self: files.Files, folder: int, name: str, path: str, data: bytes, expects: str, later: object
        ) -> str | None:
            self._expect(path, expects)
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666, dir_fd=folder)
            files.write_all(fd, data)
            files.sync(fd)
            os.close(fd)
            files.sync(folder)
            return None

        files.Files._replace = replace  # type: ignore[method-assign]

    stage = Stage(PURGE, str(tmp_path))
    changing = harness.run(PURGE.act, stage.fresh(), mutant=mutant).changing
    for at in [at for at, name in enumerate(changing) if name == "write"]:
        root = stage.fresh()
        outcome = harness.run(PURGE.act, root, Kill(at, harness.HALF), mutant=mutant)
        try:
            judge(stage, root, outcome.acks)
        except AssertionError:
            return
    pytest.fail("no kill has shown it")
