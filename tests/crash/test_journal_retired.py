"""P1 to P4 for the beginning of a journal that is retired: it goes by a sealed event, or stands."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentws.core.journal.sealing import pack, retire
from agentws.features.journal import compaction as journal, retirement
from tests.crash import harness, journal_reader, journal_scenarios, points, power, scenarios
from tests.crash.journal_scenarios import Scenario, Stage
from tests.crash.scenarios import Ack
from tests.crash.test_journal_keeping import _old, _sign
from tests.format_reader import reader
from tests.thorough import THOROUGH, some

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not here")
RETIRED = "retired"


def _long_ago(root: str, ack: Ack) -> None:
    """Three segments that a seal covers, with a blob; the first of them compressed."""
    _old(root, ack)
    assert harness.run(_sign, root).error is None
    harness.run(_compress_one, root)
    assert [*Path(root).glob("journal/*/packed/*.gz")]


def _compress_one(root: str, ack: Ack) -> None:
    workspace = scenarios.opened(root)
    pack.pack(workspace.stores.files, workspace.stores.appender().writer, 1)


def _retire(root: str, ack: Ack) -> None:
    pack.NEWEST = 1
    workspace = scenarios.opened(root)
    by = workspace.stores.appender().writer
    due = retire.due(workspace.stores.files, by, "9999")
    retirement.due = lambda stores: [due] if due else []
    done = journal.compact(workspace.stores, dry_run=False)
    assert [one for one in workspace.notices if "Nothing was retired" in one] == []
    ack(RETIRED)
    assert not done.compressed


RETIRE = Scenario("retirement", _long_ago, _retire, own=("agentws.toml", "identity/"), forgets=True)


def judge(stage: Stage, root: str, acks: list[str]) -> None:
    scenarios.rebind(root)
    after = harness.run(journal_scenarios.append_another, root)  # what a crash has torn is taken out
    assert after.error is None, after.error[3]
    agent = journal_reader.agent_of(root)
    assert journal_scenarios.others(root, stage.scenario) == stage.before
    known = [token for token in stage.sure if token in journal_scenarios.tokens(root, stage.digests)]
    stands = [*Path(root).glob("journal/*/*.jsonl"), *Path(root).glob("journal/*/packed/*.gz")]
    assert len(stands) >= 1
    if len(known) < len(stage.sure):
        with open(f"{root}/agentws.toml", encoding="utf-8") as file:
            assert "journal.retired" in file.read(), "earlier versions do not know that they miss something"
        assert known == stage.sure[-len(known) :], "not a beginning is missing"
    _, wrong = reader.verify(root, agent)
    assert wrong == []
    if RETIRED in acks:
        assert len(stands) == 1
    outcome = harness.run(_retire, root)
    assert outcome.error is None, outcome.error[3]
    assert [path for path in harness.tree(root) if path.endswith((".jsonl", ".gz")) and "journal/" in path] == [
        path for path in harness.tree(root) if path.endswith("000003.jsonl")
    ]
    left = [path for path in harness.tree(root) if path.endswith((".agentws-old", ".agentws-new"))]
    assert not [path for path in left if not path.startswith(".agentws/state/")]  # ids alone stand there
    assert not [*Path(root).glob("journal/*/blobs/*")]
    assert reader.verify(root, agent)[1] == []


def test_what_is_killed_leaves_a_journal_that_is_proved_and_finished_later(tmp_path: Path) -> None:
    stage = Stage(RETIRE, str(tmp_path))

    points.killed(stage, RETIRE.act, some(stage.kills()), lambda root, acks: judge(stage, root, acks))


def test_a_power_cut_takes_no_more_than_was_retired(tmp_path: Path) -> None:
    stage = Stage(RETIRE, str(tmp_path))
    root, model = stage.model()
    outcome = harness.run(RETIRE.act, root)
    every = 1 if THOROUGH else 17

    for problem in power.wrongs(model, outcome, every, stage.place, lambda root, acks: judge(stage, root, acks)):
        pytest.fail(problem)
