"""P2, P3: a verb that is killed at any file operation and run again leaves the files that an unkilled one leaves, and
the next verb that changes files has removed all that the kill left behind."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentws.cli.main import start
from agentws.core.formats.journal import packed
from agentws.errors import AgentwsError, ChangedUnderneathError
from agentws.workspace import Workspace
from tests.crash import compact_scenarios, harness, scenarios, test_forget, verb_scenarios
from tests.crash.harness import AFTER, BEFORE, HALF, Kill
from tests.crash.scenarios import Ack, Scenario
from tests.crash.test_forget import NAME
from tests.crash.verb_scenarios import Verb
from tests.features.journal.keeping import everywhere
from tests.thorough import some

NUMBER = re.compile(
    r"ssh-ed25519 [\w+/=]+|-----BEGIN [^-]+-----.*?-----END [^-]+-----|[0-9a-f]{8,}|[0-9]+|approvals/[0-9a-z]+",
    re.DOTALL,
)
"""What differs between two runs of the same: numbers, times, ids, keys and signatures."""
SAVED = re.compile(r"\.agentws/quarantine/[^/.]|.*\.edited-meanwhile-")
"""What a recovery saves of a torn line stays: it destroys nothing."""
ATTEMPTS = {
    r"journal/.*": "an event says what was done: one that a killed attempt recorded stays, beside that of the next one",
    r"\.agentws/changes\.jsonl": "each attempt is a change of its own",
    r"\.agentws/state/#/changed": "repeats the newest changes",
    r"\.agentws/undo/#": "what one attempt changed; the next one finds less to do",
    r"\.agentws/state/#/forgotten": "names each call of forget",
    r"\.agentws/state/#/orders": "names each order to purge until the next seal covers it",
    r"\.agentws/state/#/pins": "names the command that changed a setting: the killed one did not come to that",
}
"""Files that record attempts, and why a killed one and its repetition leave another content than a single one. That
none is missing and none more is checked of these too.
"""
LAGS = re.compile(r"\.agentws/state/#/sealed")
"""Says how far the journal was sealed; the next seal says it."""


def _kept_everywhere(workspace: Workspace) -> None:
    """A name also in a long event, two checkpoints, a sealed journal, and the search index."""
    test_forget._prepare(workspace)
    workspace.event("note", f"{NAME} " + "has much to say. " * 5000)
    workspace.journal.seal()
    workspace.tasks.add("Roof", start=True)
    for text in (f"{NAME} paid", f"{NAME} " + "tile " * 20_000, "nothing of it"):
        workspace.checkpoints.save("roof", {"text": text})
    _command(workspace.root, "search", "tester")


def _command(root: str, *words: str) -> None:
    """Run a command, with a cache beside the workspace."""
    os.environ["XDG_CACHE_HOME"] = f"{root}.cache"
    said = io.TextIOWrapper(io.BytesIO(), write_through=True)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = start([*words, "-C", root])
    assert not code, f"exit {code}: {said.buffer.getvalue().decode()}"


class _Done:
    notices: tuple[str, ...] = ()


def _forgets(workspace: Workspace) -> Any:
    _command(workspace.root, "forget", "--subject", NAME, "--reason", "asked for it", "--yes", "--debug")
    return _Done()


FORGET = Verb("forget of a name that is everywhere", _kept_everywhere, _forgets, test_forget._check)
VERBS = [*verb_scenarios.ALL, *compact_scenarios.ALL, test_forget.FORGET, FORGET]
TABLE = [*scenarios.SMALL, scenarios.REPLACE, *(verb.scenario for verb in VERBS)]


class Stage(scenarios.Stage):
    """A verb set up once, with the files that it leaves when it is run once, and twice, and work goes on."""

    def __init__(self, scenario: Scenario, folder: str) -> None:
        super().__init__(scenario, folder)
        self.once, self.twice = (self._unkilled(act) for act in (_work, self.again))

    def _unkilled(self, then: harness.Act) -> dict[str, set[bytes]]:
        root = self.fresh()
        for act in (self.scenario.act, then):
            outcome = harness.run(act, root)
            assert outcome.error is None, outcome.error[3]
        return files(root)

    def place(self) -> str:
        """Without the cache of the run before, so that each run does the same operations."""
        root = super().place()
        shutil.rmtree(f"{root}.cache", ignore_errors=True)
        return root

    def again(self, root: str, ack: Ack) -> None:
        """The verb once more, which may find that there is nothing left to do; then other work."""
        for _ in range(2):
            try:
                self.scenario.again(root, lambda _: None)
            except ChangedUnderneathError:
                continue  # its hint: run the same command again
            except AgentwsError:
                pass
            break
        _work(root, ack)

    def wrong(self, root: str) -> list[str]:
        """How the files of `root` differ from those of an unkilled run."""
        found = files(root)
        faults = [f"more: {path}" for path in found if path not in (self.once | self.twice) and not SAVED.match(path)]
        faults += [f"less: {path}" for path in self.once if path in self.twice and path not in found | _lagging(path)]
        return faults + [
            f"other: {path}: {data} is not {self.once[path]}"
            for path, data in found.items()
            if path in self.once and data not in (self.once[path], self.twice.get(path)) and self._is_compared(path)
        ]

    def _is_compared(self, path: str) -> bool:
        """Not where a repetition does other work: a second line in the log, an undo of what is undone already."""
        if "undo" in self.scenario.name or (self.scenario.logs and path.startswith("memory/")):
            return False
        return not any(re.fullmatch(pattern, path) for pattern in ATTEMPTS)


def _lagging(path: str) -> dict[str, None]:
    return {path: None} if LAGS.fullmatch(path) else {}


def _work(root: str, _: Ack) -> None:
    """What somebody does next: an event, a line, and a verb that changes a file."""
    scenarios.opened(root).event("note", "next")
    scenarios.opened(root).log("next")
    scenarios.opened(root).remember("next")


def files(root: str) -> dict[str, set[bytes]]:
    """The contents of all files beneath a root by their paths without numbers, times and ids."""
    found: dict[str, set[bytes]] = {}
    for path, data in harness.tree(root).items():
        found.setdefault(NUMBER.sub("#", path), set()).add(NUMBER.sub("#", data.decode("latin-1")).encode("latin-1"))
    return found


def points(stage: Stage) -> list[Kill]:
    """Before each operation, after the last one, and with each write torn."""
    changing = stage.whole.changing
    torn = [Kill(at, HALF) for at, name in enumerate(changing) if "write" in name]
    return some([*(Kill(at, BEFORE) for at in range(len(changing))), Kill(len(changing) - 1, AFTER), *torn], MOST)


MOST = 5


@pytest.mark.parametrize("scenario", TABLE, ids=lambda scenario: scenario.name)
def test_a_killed_verb_that_is_run_again_leaves_what_an_unkilled_one_leaves(scenario: Scenario, tmp_path: Path) -> None:
    stage = Stage(scenario, str(tmp_path))
    faults: list[str] = []

    tried = points(stage)
    for point in tried:
        root = stage.fresh()
        assert harness.run(scenario.act, root, point).killed
        outcome = harness.run(stage.again, root)
        wrong = [outcome.error[3]] if outcome.error else stage.wrong(root)
        faults += [f"{point.how} {point.at} ({stage.whole.changing[point.at]}): {wrong}"] if wrong else []

    assert not faults, f"{len(faults)} of {len(tried)} points\n" + "\n".join(faults)


def test_a_killed_forget_that_is_run_again_leaves_no_byte_of_the_name(tmp_path: Path) -> None:
    stage = Stage(FORGET.scenario, str(tmp_path))
    root = stage.fresh()
    harness.run(lambda root, _: _command(root, "search", "tester"), root)
    assert len(holding(root)) >= 9
    assert everywhere(f"{root}.cache", NAME), "the search index holds it"
    stage.whole = harness.run(stage.scenario.act, root)

    for point in points(stage):
        root = stage.fresh()
        harness.run(lambda root, _: _command(root, "search", "tester"), root)
        assert harness.run(stage.scenario.act, root, point).killed
        outcome = harness.run(stage.scenario.act, root)

        assert outcome.error is None, f"{point}: {outcome.error[3]}"
        assert holding(root) == [], point
        assert not Path(root, ".agentws/forgetting").exists()


def holding(root: str) -> list[str]:
    """The files of workspace, state and cache that hold the name, also packed ones."""
    folders = [folder for folder in (root, f"{root}.cache") if os.path.isdir(folder)]
    plain = [path for folder in folders for path in everywhere(folder, NAME)]
    packs = Path(root, "journal").rglob("*.gz")
    return plain + [str(path) for path in packs if NAME.encode() in packed.unpack(path.read_bytes(), 1 << 30)]
